"""Loss and delay as the kernel makes them, on real adapters."""
from cluster import VmTest


class Netem(VmTest):
    def netem(self, machine, *words):
        device = machine.interfaces()["direct"]
        machine.run("tc", "qdisc", "add", "dev", device, "root", "netem", *words)
        self.addCleanup(machine.run, "tc", "qdisc", "del", "dev", device, "root")

    def test_loss_is_loss(self):
        self.a.run("ping", "-c", "1", "10.10.0.12")  # so that the neighbour is known, and only echoes are lost
        self.netem(self.a, "loss", "30%")
        self.fails(self.a, "reachability", "names.loss", "--set", "count=30")

    def test_delay_alone_is_a_number_and_no_fault(self):
        self.netem(self.a, "delay", "40ms")
        document, status = self.diag(self.a, "check", "names.reach", "name=node-b-direct.home.arpa", f"interface={self.a.interfaces()['direct']}", "count=5")
        self.assertEqual(status, 0, self.told(document))
        (_, check), = self.checks(document)
        least = next(m["value"] for m in check["measurements"] if m["name"] == "rtt_min")
        self.assertGreaterEqual(least, 0.040)
