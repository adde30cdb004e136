// The causes that the host itself gives, for `diag explain` and for not_run verdicts.
#include "host/catalogue.hpp"

namespace diag::host {

namespace {

// Remedies may use {check} and {file}.  A check that misbehaves is for whoever maintains it: mover `software`.
const std::vector<Cause> causes = {
    {"worker.signal", "software", "The check's process was ended by a signal: it crashed, or something killed it.",
     "diag check {check} ...; the crash is in the plugin, or in a library or driver that it calls"},
    {"worker.deadline", "software", "The check did not end within the time it declares plus the timeout; everything it started was killed.",
     "find out what it waits for, or give it longer (timeout: 30s beside the check)"},
    {"worker.junk", "software", "The check sent something that is no event, or is not complete.", "mend the plugin of {check}"},
    {"worker.no-verdict", "software", "The check ended without a verdict.", "mend the plugin of {check}"},
    {"worker.exit", "software", "The check's process ended with an error, and without a verdict.",
     "read the evidence 'stderr'; mend the plugin of {check}"},
    {"worker.exception", "software", "Something was thrown in the check that it did not expect.",
     "read the reason; mend the plugin of {check}"},
    {"worker.unreadable", "owner", "What the check reads is not there, or cannot be read, so it could not tell.",
     "read the reason; give this user the right to read it, or take the check out where there is no such thing"},
    {"worker.parameter", "configuration", "A parameter has a value of the right type that the check cannot use.",
     "diag explain {check}; then correct the runbook or the site file"},
    {"worker.unknown", "owner", "The check asked its question, and what it got is no answer.",
     "read the reason and the evidence; run it alone: diag check {check} ..."},
    {"worker.memory", "software", "The check wanted more memory than a check may use.",
     "ask it for less at once, or mend the plugin of {check}"},
    {"worker.output", "software", "The check wrote more to stdout and stderr than is kept.", "make it, or the program it runs, quieter"},
    {"worker.events", "software", "The check sent too many events, or one that is too long.", "mend the plugin of {check}"},
    {"worker.undeclared-cause", "software", "The check named a cause that it does not declare.",
     "declare the cause in the plugin of {check}"},
    {"worker.cause-missing", "software", "The check warned or failed and named no cause.",
     "name a declared cause in the plugin of {check}"},
    {"worker.measurement", "software", "The check reported a measurement that is no number, or contradicts itself.",
     "mend the plugin of {check}"},
    {"worker.pass-outside-limit", "software", "The check passed beside a measurement that lies outside its limit.",
     "make the verdict follow the measurement in the plugin of {check}"},
    {"worker.left-running", "software", "Processes that the check started were still running when it had ended; they were killed.",
     "have the plugin of {check} end what it starts"},
    {"worker.stuck", "hardware",
     "A process of the check could not be killed: the kernel waits in it for a device or a server that does not answer, or it is of "
     "another user.",
     "read the evidence 'stuck': the kernel stack names what is waited for; such a process goes when that answers, or with a reboot"},
    {"worker.lost", "software", "The worker that ran the check ended, or no longer answered.",
     "look for it in the kernel log: journalctl -k --grep 'diag-worker|Out of memory'"},
    {"worker.not-started", "owner", "The worker could not start a process for the check.",
     "look at the limits on processes and open files: ulimit -a"},
    {"worker.interrupted", "owner", "The check was stopped because the run was.", "run it again"},
    {"worker.privilege", "owner", "The check lacks a right or a program that it needs.", "sudo diag ..."},
    {"worker.load", "software", "The check's plugin could not be loaded when the check was to run.", "diag plugins"},
    {"peer.unreachable", "owner", "There is no login to the peer as a launcher would make it, so nothing can run there.",
     "see what the checks of the login say: diag run bringup --only ssh"},
    {"peer.diag-missing", "software", "The login to the peer works, and diag is not installed there, or not in the PATH of such a login.",
     "diag peers install"},
    {"peer.no-worker", "software", "What the login to the peer starts is not diag's worker.",
     "log in by hand and look: command -v diag-worker; a forced command, or a shell that is none, may stand in its place"},
    {"peer.protocol", "software", "The peer's diag speaks another protocol than this one.", "diag peers install"},
    {"peer.plugin-missing", "software", "The peer's diag has no such check.", "diag peers install"},
    {"peer.lost", "owner", "The connection to the peer broke, or the peer stopped answering, while something ran there.",
     "look whether the machine is still there: diag peers; and at its kernel log"},
    {"peer.companion-lost", "software",
     "The other half of the check, on the other machine, ended or fell silent before this one had its answer.",
     "read the notes: what the other half said last stands there"},
    {"peer.unnamed", "configuration", "The check has another half, and nothing says on which machine.",
     "give it a row with another end: each: link, each: direction or each: peer"},
    {"peer.unavailable", "configuration", "The check belongs to another machine, and that cannot be asked in this way.",
     "run it there, or without what the reason names"},
    {"machine.busy", "owner", "Another exclusive check is loading this machine.", "wait until the holder is done, or end it"},
    {"plugin.untrusted", "owner", "Somebody else could change the plugin's file, or put another in its place.",
     "give the file and the folders above it to root (or, as a user, to yourself), writable by nobody else"},
    {"plugin.unreadable", "owner", "The plugin's file or folder cannot be read.", "look at its permissions: namei -l {file}"},
    {"plugin.not-a-plugin", "owner", "The file on the plugin path is no diag plugin.", "take it out of the plugin folder"},
    {"plugin.magic", "software", "The file has a plugin's symbol, but what it gives is no plugin.", "build it again with the plugin kit"},
    {"plugin.newer", "software", "The plugin was built for a newer diag.", "update diag, or build the plugin with the installed kit"},
    {"plugin.size", "software", "The plugin's ABI struct is too short to be one.", "build it again with the plugin kit"},
    {"plugin.load", "software", "The dynamic loader refuses the plugin.", "read the reason (often a library that is missing): ldd {file}"},
    {"plugin.describe", "software", "The plugin crashed, hung or failed when it was asked what it offers.", "mend the plugin"},
    {"plugin.catalogue", "software", "The plugin says something about itself that is not well-formed.",
     "mend what the reason names in the plugin"},
    {"plugin.duplicate", "owner", "Two different plugins have one name, so neither is used.",
     "take one of the two files out of the plugin folders"},
};

}  // namespace

const std::vector<Cause>& host_causes() { return causes; }

}  // namespace diag::host
