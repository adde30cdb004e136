"""diag run and diag check from outside: exit status, what stands on stdout and stderr, signals."""
import contextlib, json, os, shutil, signal, subprocess, time, unittest

import harness


class Run(harness.Diag):
    def test_all_passed_is_0_and_fits_on_one_screen(self):
        done = self.diag("run", self.runbook("answers.pass: {}", "answers.pass: {where: there}"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("passed", done.stdout)
        self.assertLess(done.stdout.count("\n"), 24)

    def test_exit_status_is_the_worst_outcome(self):
        for checks, status in ((["answers.warn: {}"], 1), (["answers.fail: {}"], 2), (["answers.late: {}\n        timeout: 200ms"], 3), (["answers.skip: {}"], 0),
                               (["answers.warn: {}", "answers.fail: {}"], 2)):
            with self.subTest(checks=checks):
                self.assertEqual(self.diag("run", self.runbook(*checks)).returncode, status)

    def test_fail_on_changes_what_counts(self):
        path = self.runbook("answers.warn: {}")
        self.assertEqual(self.diag("run", path, "--fail-on", "not_run").returncode, 0)
        self.assertEqual(self.diag("run", path, "--fail-on", "fail").returncode, 0)

    def test_a_failure_explains_itself(self):
        done = self.diag("run", self.runbook("answers.fail: {where: rack 3}", "answers.pass: {}"))
        for part in ("a frame does not arrive", "the size of a thing", "answers.small", "Smaller than planned.", "configuration",
                     "raise swp1 of 'rack 3'", "evidence/one/1/", "failed at one (exit 2)"):
            self.assertIn(part, done.stdout)

    def test_json_is_one_document_on_stdout(self):
        document, status = self.json("run", self.runbook("answers.fail: {}", "answers.pass: {}"))
        self.assertEqual((document["exit"], document["state"], status), (2, "failed", 2))
        checks = document["checkpoints"][0]["rows"][0]["checks"]
        self.assertEqual(len(checks), 1, "the row goes on after its first failure")
        self.assertEqual(checks[0]["measurements"][0], {"name": "size", "value": 1500, "unit": "bytes", "min": 9000, "max": None, "within": False})
        self.assertTrue(os.path.isfile(self.last_record() + "/" + checks[0]["evidence"][0]["path"]))

    def test_the_run_stops_at_the_first_failing_checkpoint(self):
        path = self.write("two.runbook", "runbook: two\ncheckpoints:\n  - id: a\n    checks: [answers.fail: {}]\n  - id: b\n    checks: [answers.pass: {}]\n")
        done = self.diag("run", path)
        self.assertIn("not reached: b", done.stdout)
        document, _ = self.json("run", path, "--only", "b")
        self.assertEqual(document["exit"], 0)

    def test_plan_runs_nothing_and_keeps_nothing(self):
        done = self.diag("run", self.runbook("answers.fail: {where: x}"), "--plan")
        self.assertEqual(done.returncode, 0)
        self.assertIn("answers.fail where=x", done.stdout)
        self.assertFalse(os.path.exists(self.state))

    def test_escapes_of_a_check_reach_neither_terminal_nor_json_raw(self):
        path = self.runbook("answers.escapes: {}")
        for form in ("text", "json"):
            out = self.diag("run", path, "--format", form, "--color", "never").stdout
            self.assertNotIn("\x1b", out)
            self.assertNotIn("\x07", out)

    def test_set_changes_a_setting(self):
        path = self.write("s.runbook", 'runbook: s\nsettings: {place: a}\ncheckpoints:\n  - id: one\n    checks: [answers.pass: {where: "${settings.place}"}]\n')
        self.assertIn("it holds on b", self.diag("run", path, "--set", "place=b").stdout)
        self.assertEqual(self.diag("run", path, "--set", "palce=b").returncode, 64)

    def test_records_are_private_and_name_the_run(self):
        self.diag("run", self.runbook("answers.kept: {}"))
        record = self.last_record()
        self.assertEqual(os.stat(record).st_mode & 0o777, 0o700)
        self.assertEqual(os.stat(record + "/journal.jsonl").st_mode & 0o777, 0o600)
        first = self.events()[0]
        self.assertEqual(first["format"], 1)
        self.assertIn("answers.kept", first["runbook"]["text"])
        self.assertEqual(len(first["plugins"][0]["sha256"]), 64)


class Signals(harness.Diag):
    def begun(self, check, *words):
        """A run in the middle of its check."""
        path, before = self.runbook(check), self.records()
        run = self.start("run", path, *words)
        deadline = time.monotonic() + 60
        while run.poll() is None and time.monotonic() < deadline and not (self.records() != before and any(e["event"] == "check" for e in self.events_so_far())
                                                   and len(harness.descendants(run.pid)) >= 2):
            time.sleep(0.02)
        return run

    def records(self):
        return set(os.listdir(f"{self.state}/records")) if os.path.exists(f"{self.state}/last") else set()

    def gone(self, pids):
        deadline = time.monotonic() + 5
        while time.monotonic() < deadline and any(os.path.exists(f"/proc/{pid}") for pid in pids):
            time.sleep(0.05)
        self.assertEqual([pid for pid in pids if os.path.exists(f"/proc/{pid}")], [])

    def events_so_far(self):
        try:
            return self.events()
        except (OSError, ValueError):
            return []

    def test_sigint_and_sigterm_write_interrupted_and_die_by_that_signal(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(number=number):
                run = self.begun("answers.sleep: {time: 77s}")
                run.send_signal(number)
                run.communicate(timeout=30)
                self.assertEqual(run.returncode, -number)
                self.assertEqual(self.events()[-1]["event"], "interrupted")
                self.assertNotIn("verdict", [e["event"] for e in self.events()])

    def test_a_second_one_of_either_kind_ends_diag_at_once_though_a_check_cannot_be_ended(self):
        for first, second in ((signal.SIGINT, signal.SIGINT), (signal.SIGTERM, signal.SIGTERM), (signal.SIGINT, signal.SIGTERM)):
            with self.subTest(first=first, second=second):
                run = self.begun("answers.sleep: {time: 77s}")
                self.addCleanup(run.kill)
                below = harness.descendants(run.pid)
                self.assertGreaterEqual(len(below), 2, "a worker and its job")
                for pid in below:
                    os.kill(pid, signal.SIGSTOP)  # nobody there obeys, and diag waits for them
                run.send_signal(first)
                time.sleep(1)
                self.assertIsNone(run.poll(), "one alone waits until the check has ended")
                run.send_signal(second)
                run.communicate(timeout=3)
                self.assertEqual(run.returncode, -second)
                self.assertEqual(self.diag("verify").returncode, 0)
                for pid in below:
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGCONT)
                self.gone(below)

    def test_sighup_and_a_closed_stdout_do_not_stop_a_run(self):
        run = self.start("run", self.runbook("answers.sleep: {time: 500ms}", "answers.pass: {}"))
        run.stdout.close()
        time.sleep(0.2)
        run.send_signal(signal.SIGHUP)
        run.wait(30)
        self.assertEqual(run.returncode, 0)
        self.assertEqual(self.events()[-1]["state"], "passed")
        run.stderr.close()

    def stopped_for(self, seconds, check):
        """The document of a run of which diag alone is stopped (Ctrl-Z) in the middle of its check."""
        run = self.begun(check, "--format", "json")
        run.send_signal(signal.SIGSTOP)
        time.sleep(seconds)
        run.send_signal(signal.SIGCONT)
        return json.loads(run.communicate(timeout=60)[0])["checkpoints"][0]["rows"][0]["checks"][0]

    def test_a_diag_that_was_stopped_for_long_blames_itself_and_not_the_worker(self):
        check = self.stopped_for(17, "answers.sleep: {time: 77s}")
        self.assertEqual((check["outcome"], check["cause"]), ("not_run", "worker.host-stopped"))
        self.assertRegex(check["reason"], "sent nothing for (1[7-9]|2[0-9]) s")

    def test_a_diag_that_was_stopped_for_a_moment_goes_on(self):
        self.assertEqual(self.stopped_for(6, "answers.sleep: {time: 8s}")["outcome"], "pass")

    def test_a_killed_host_leaves_no_process_and_a_record_that_verifies(self):
        run = self.begun("answers.sleep: {time: 77s}")
        below = harness.descendants(run.pid)
        self.assertGreaterEqual(len(below), 2, "a worker and its job")
        run.kill()
        run.communicate()
        self.gone(below)
        self.assertEqual(self.diag("verify").returncode, 0)
        self.assertEqual(self.json("show")[0]["state"], "interrupted")


class SideBySide(harness.Diag):
    def words(self, count, checks):
        keys = ", ".join(f"peer-{i}: {{name: p{i}}}" for i in range(count))
        site = self.write("site.yaml", f"machines: {{node-a: {{name: node-a}}, {keys}}}\n")
        path = self.write("rows.runbook", f"runbook: rows\ncheckpoints:\n  - {{id: all, each: peer, checks: [{checks}]}}\n")
        return "run", path, "--site", site, "--machine", "node-a"

    def rows(self, count, checks):
        document, status = self.json(*self.words(count, checks))
        return [row["outcome"] for row in document["checkpoints"][0]["rows"]], status

    def test_more_rows_than_workers_take_turns(self):
        self.assertEqual(self.rows(40, f"answers.meet: {{folder: {self.folder}, count: 8}}"), (["pass"] * 40, 0))

    def test_an_interruption_ends_those_that_run_and_those_that_wait_for_their_turn(self):
        run = self.start(*self.words(20, f"answers.meet: {{folder: {self.folder}, count: 99, patience: 77s}}"))
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline and sum(name.startswith("met-") for name in os.listdir(self.folder)) < 8:
            time.sleep(0.02)
        self.assertEqual(sum(name.startswith("met-") for name in os.listdir(self.folder)), 8, "so many run at the same time")
        run.send_signal(signal.SIGINT)
        run.communicate(timeout=30)
        self.assertEqual(run.returncode, -signal.SIGINT)
        self.assertEqual([e["event"] for e in self.events() if e["event"] == "verdict"], [])

    def test_rows_of_checks_that_allow_it_run_at_the_same_time(self):
        """Else the logins of a rack take as long as all of them together."""
        done = self.diag(*self.words(4, f"answers.meet: {{folder: {self.folder}, count: 4}}"))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("all, 4 rows: answers.meet", done.stderr)
        self.assertNotIn("peer-3: answers.meet", done.stderr, "what one row says is told as another's")

    def test_a_row_with_one_check_that_does_not_runs_alone(self):
        outcomes, status = self.rows(2, f"answers.meet: {{folder: {self.folder}, count: 2, patience: 500ms}}, answers.pass: {{}}")
        self.assertEqual((outcomes, status), (["fail", "pass"], 2), "the second one finds what the first has left")


def plugin(name="answers"):
    with open(f"{harness.PREFIX}/tests/plugins/{name}/{name}.so", "rb") as file:
        return file.read()


class OnPeer(harness.Diag):
    """The login is a script in ssh's place, which starts a worker of another installation on this machine."""

    def on_peer(self, plugin, calls_itself="node-b", says="", name="answers", words=("check", "answers.pass", "--on", "node-b")):
        """What `words` answer; `says`: what sed makes of the worker's own words."""
        for folder in ("bin", "peer/bin", "peer/lib/diag/plugins"):
            os.makedirs(f"{self.folder}/{folder}")
        shutil.copy(f"{harness.PREFIX}/bin/diag-worker", f"{self.folder}/peer/bin")
        if plugin:
            with open(f"{self.folder}/peer/lib/diag/plugins/{name}.so", "wb") as out:
                out.write(plugin)
        worker = f"DIAG_MACHINE={calls_itself} {self.folder}/peer/bin/diag-worker"
        with open(f"{self.folder}/bin/ssh", "w") as out:
            out.write(f"#!/bin/sh\n{worker}" + (f" | sed -u '{says}'\n" if says else "\n"))
        os.chmod(f"{self.folder}/bin/ssh", 0o755)
        self.env["PATH"] = f"{self.folder}/bin:{os.environ['PATH']}"
        self.site = ("--site", self.write("site.yaml", "machines:\n  node-a: {name: node-a}\n  node-b: {name: node-b}\n  node-c: {name: c.home.arpa}\n"),
                     "--machine", "node-a")
        return self.asked(*words)

    def asked(self, *words):
        document, status = self.json(*words, *self.site)
        return document["checkpoints"][0]["rows"][0]["checks"][0], status

    def test_the_peers_of_one_round_log_in_side_by_side(self):
        """Else a rack takes as many login times as it has machines, and a dead one holds up all others."""
        os.makedirs(f"{self.folder}/bin")
        with open(f"{self.folder}/bin/ssh", "w") as out:  # no worker before somebody else logs in too; the machine is the last word but one
            out.write("#!/bin/sh\nwhile [ $# -gt 2 ]; do shift; done\n: > {0}/in-$1\n"
                      "for wait in $(seq 100); do [ $(ls -d {0}/in-* | wc -l) -ge 2 ] && DIAG_MACHINE=$1 exec {1}/bin/diag-worker; sleep 0.1; done\n"
                      "exit 255\n".format(self.folder, harness.PREFIX))
        os.chmod(f"{self.folder}/bin/ssh", 0o755)
        self.env |= {"PATH": f"{self.folder}/bin:{os.environ['PATH']}", "DIAG_PLUGINS": harness.PLUGINS}
        keys = [f"node-{letter}" for letter in "abcdef"]
        site = self.write("site.yaml", "machines:\n" + "".join(f"  {key}: {{name: {key}}}\n" for key in keys)
                          + "links:\n  - {id: l, ends: {" + ", ".join(f"{key}: {{name: {key}-l}}" for key in keys) + "}}\n")
        path = self.write("round.runbook", "runbook: round\ncheckpoints:\n  - {id: all, each: direction, checks: [answers.pass: {}]}\n")
        document, status = self.json("run", path, "--site", site, "--machine", "node-a")
        rows = document["checkpoints"][0]["rows"]
        self.assertEqual((len(rows), {row["outcome"] for row in rows}, status), (30, {"pass"}, 0), rows)

    def test_the_same_plugin_there_answers(self):
        check, status = self.on_peer(plugin())
        self.assertEqual((check["outcome"], status), ("pass", 0), check)

    def test_a_verdict_says_where_it_ran_if_not_here(self):
        self.on_peer(plugin())
        words = ("check", "answers.fail", *self.site)
        self.assertRegex(self.diag(*words, "--on", "node-b").stdout, "ran on +node-b")
        self.assertNotIn("ran on", self.diag(*words).stdout)

    def test_rows_that_meet_on_one_peer_wait_for_each_other(self):
        self.on_peer(plugin())
        path = self.write("one.runbook", "runbook: one\ncheckpoints:\n  - id: all\n    each: peer\n    checks:\n"
                          f"      - answers.meet: {{folder: {self.folder}, count: 1}}\n        on: node-b\n")
        document, status = self.json("run", path, *self.site)
        self.assertEqual(([row["outcome"] for row in document["checkpoints"][0]["rows"]], status), (["pass"] * 2, 0), document)

    def test_a_login_that_leads_to_another_machine_of_the_site_file_is_refused(self):
        """What is measured there would be told of a machine that nobody asked."""
        check, status = self.on_peer(b"", calls_itself="node-c")
        self.assertEqual((check["outcome"], check["cause"], status), ("fail", "peer.wrong-machine", 2), check)
        self.assertIn("node-c", check["reason"])

    def test_a_machine_that_the_site_file_does_not_know_by_its_own_name_is_no_other_one(self):
        check, status = self.on_peer(plugin(), calls_itself="")
        self.assertEqual((check["outcome"], status), ("pass", 0), check)

    def test_a_peer_of_another_protocol_is_a_failure_that_says_how_to_update_it(self):
        check, status = self.on_peer(plugin(), says='s/"protocol":1/"protocol":2/')
        self.assertEqual((check["outcome"], check["cause"], check["next"], status), ("fail", "peer.protocol", "diag peers install", 2), check)
        self.assertIn("node-b speaks protocol 2", check["reason"])
        peers, status = self.json("peers", *self.site)
        self.assertEqual(([p["cause"] for p in peers["peers"] if p["machine"] == "node-b"], status), (["peer.protocol"], 2))

    def test_a_peer_of_another_build_that_speaks_this_protocol_is_used_and_noted(self):
        check, status = self.on_peer(plugin(), says='s/"version":"[0-9]/"version":"9/')
        self.assertEqual((check["outcome"], check["cause"], status), ("pass", None, 0), check)
        self.assertIn("node-b has diag 9", check["notes"][0])

    def test_a_check_in_two_halves_is_not_run_where_nothing_names_the_other_machine(self):
        pairs = ("--plugins", f"{harness.PREFIX}/tests/plugins/pair")
        check, status = self.on_peer(plugin("pair"), name="pair", words=("check", "pair.sum", *pairs))
        self.assertEqual((check["outcome"], check["cause"], check["mover"], status), ("not_run", "peer.unnamed", "configuration", 3), check)
        check, status = self.asked("check", "pair.can-do-alone", *pairs)
        self.assertEqual((check["outcome"], check["reason"], status), ("pass", "alone", 0), check)
        self.assertIn("peer.unnamed", check["notes"][0])
        check, status = self.asked("check", "pair.sum", "--there", "node-b", *pairs)
        self.assertEqual((check["outcome"], check["reason"], status), ("pass", "node-b says 3, to node-a", 0), check)

    def test_a_captured_tree_answers_for_no_other_machine(self):
        os.mkdir(f"{self.folder}/tree")
        tree = ("--root", f"{self.folder}/tree")
        check, status = self.on_peer(plugin(), words=("check", "answers.pass", "--on", "node-b", *tree))
        self.assertEqual((check["outcome"], check["cause"], status), ("not_run", "peer.unavailable", 3), check)
        self.assertIn("node-b", check["reason"])
        for words in (("--on", "node-a", *tree), ("--on", "node-b")):  # the tree's own machine, and no tree
            check, status = self.asked("check", "answers.pass", *words)
            self.assertEqual((check["outcome"], status), ("pass", 0), check)

    def test_a_plugin_that_does_not_load_there_is_the_peers_fault_and_ends_no_run(self):
        check, status = self.on_peer(b"no shared object")
        self.assertEqual((check["outcome"], check["cause"], status), ("not_run", "peer.plugin-missing", 3), check)
        self.assertIn("node-b", check["reason"])

    def test_a_plugin_that_is_not_there_is_said(self):
        check, status = self.on_peer(b"")
        self.assertEqual((check["cause"], status), ("peer.plugin-missing", 3), check)


class Check(harness.Diag):
    def test_one_check_keeps_nothing_unless_told(self):
        document, status = self.json("check", "answers.fail")
        self.assertEqual(status, 2)
        self.assertIsNone(document["record"])
        self.assertFalse(os.path.exists(self.state))
        document, _ = self.json("check", "answers.fail", "--keep")
        self.assertEqual(self.diag("verify", document["record"]).returncode, 0)
        self.assertNotIn("diag resume", self.diag("show", document["record"]).stdout)  # there is no runbook in it to go on with
        self.assertIn("diag resume", self.diag("run", self.runbook("answers.fail: {}")).stdout)

    def test_parameters_are_typed_and_misspellings_suggested(self):
        for words, part in ((["answers.sleep", "time=1"], "duration"), (["answers.sleep", "tiem=1s"], "time"), (["answers.slep"], "answers.sleep"),
                            (["answers.named"], "name"), (["answers.pass", "where"], "param=value")):
            with self.subTest(words=words):
                done = self.diag("check", *words)
                self.assertEqual(done.returncode, 64)
                self.assertIn(part, done.stderr)


if __name__ == "__main__":
    harness.main()
