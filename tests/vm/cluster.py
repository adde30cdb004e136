"""What the tests make of the bare machines of lab.py, as an administrator would: names, addresses on the direct link, a
site file.  And the one lab that all test files of a run share, because a boot takes a minute."""
import json, os, subprocess, time, unittest

from lab import Lab

LONG = bool(os.environ.get("DIAG_VM_LONG"))
# Software emulation carries some hundred Mbit/s; what is tested is the verdict, not the cable.
EXPECT = "20Mbit"
SHORT = ("--set", "seconds=1s", "--set", "count=3")
standing = []  # the lab that stands, if any


def shared(count=2):
    """The lab of this run, started and dressed at the first call; one of another size takes its place."""
    if standing and len(standing[0].machines) != count:
        standing.pop().close()
    if not standing:
        standing.append(Lab(count).start())
        dress(standing[0])
    return standing[0]


def link(identity, mtu, ends, more=""):
    lines = "".join(f"      {machine}: {{{', '.join(f'{k}: {v!r}' for k, v in end.items())}}}\n" for machine, end in ends.items())
    return f"  - id: {identity}\n    mtu: {mtu}\n    expect: {EXPECT}\n{more}    ends:\n{lines}"


def site(lab, *links):
    """A site file's text: all machines, and these links."""
    machines = "".join(f"  {m.name}: {{name: {m.name}.home.arpa}}\n" for m in lab.machines)
    return f"machines:\n{machines}links:\n" + "".join(links)


def dress(lab):
    """Every machine gets the names of all, its address on the direct link, and the site file."""
    hosts = "127.0.0.1 localhost\n" + "".join(f"10.66.0.{n} {m.name}.home.arpa {m.name}\n10.10.0.{n} {m.name}-direct.home.arpa\n10.10.2.{n} {m.name}-bond.home.arpa\n"
                                              for n, m in enumerate(lab.machines, 11))
    for number, machine in enumerate(lab.machines, 11):
        machine.write("/etc/hosts", hosts)
        machine.write("/etc/systemd/network/20-direct.network", f"[Match]\nMACAddress={machine.nics['direct'].mac}\n[Link]\nMTUBytes=9000\n"
                      f"[Network]\nAddress=10.10.0.{number}/24\nLinkLocalAddressing=no\n")
        machine.run("networkctl", "reload")
    text = site(lab, *links(lab))
    for machine in lab.machines:
        machine.write("/etc/diag/site.yaml", text)
        machine.run("sync")  # what was set up must be there after a power cut
        wait_for(lambda: "10.10.0." in machine.run("ip", "-br", "address", "show", "up").stdout)


def links(lab):
    """The two links that all machines share, as their site file tells them."""
    direct, house = {}, {}
    for number, machine in enumerate(lab.machines, 11):
        named = machine.interfaces()
        direct[machine.name] = {"interface": named["direct"], "mac": machine.nics["direct"].mac, "name": f"{machine.name}-direct.home.arpa",
                                "address": f"10.10.0.{number}"}
        house[machine.name] = {"interface": named["house"], "name": f"{machine.name}.home.arpa", "address": f"10.66.0.{number}"}
    return [link("direct", 9000, direct, "    speed: 1Gbit\n"), link("house", 1500, house, "    management: true\n")]


def wait_for(holds, patience=60):
    end = time.monotonic() + patience
    while not holds():
        if time.monotonic() > end:
            raise TimeoutError("it did not come within a minute")
        time.sleep(0.5)


class VmTest(unittest.TestCase):
    maxDiff = None
    count = 2  # machines

    def setUp(self):
        self.lab = shared(self.count)
        self.a, self.b = self.lab.machines[:2]

    def diag(self, machine, *words):
        """diag's document and exit status on a machine."""
        done = machine.run("diag", *words, "--format", "json", check=False)
        try:
            return json.loads(done.stdout), done.returncode
        except ValueError:
            self.fail(f"no JSON from diag {words}: exit {done.returncode}\n{done.stdout}{done.stderr}")

    def bringup(self, machine, *words):
        return self.diag(machine, "run", "bringup", *SHORT, *words)

    @staticmethod
    def checks(document):
        return [(c["id"], check) for c in document["checkpoints"] for row in c.get("rows", []) for check in row["checks"]]

    def told(self, document):
        """What was not a pass, for the message of a failing test."""
        return [(i, c["check"], c["outcome"], c["cause"], c["reason"]) for i, c in self.checks(document) if c["outcome"] not in ("pass", "skip")]

    def healthy(self, machine, *words):
        document, status = self.bringup(machine, *words)
        self.assertEqual(status, 0, self.told(document))
        # Of a virtio adapter, and of what is no bond, there is nothing to judge.
        self.assertEqual([(i, c["check"]) for i, c in self.checks(document) if c["outcome"] == "skip" and c["check"] not in ("link.pcie", "link.bond")], [])
        return document

    def fails(self, machine, checkpoint, cause, *words):
        """The run stops at this checkpoint, for this cause; its check is returned."""
        document, status = self.bringup(machine, *words)
        self.assertEqual(status, 2, self.told(document))
        first = next((i, c) for i, c in self.checks(document) if c["outcome"] == "fail")
        self.assertEqual((first[0], first[1]["cause"]), (checkpoint, cause), self.told(document))
        return first[1]
