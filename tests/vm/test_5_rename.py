"""An adapter that is called otherwise since another PCI device was added: found by what survives."""
import re, unittest

from cluster import LONG, VmTest

# A root port between those of house and direct, with a device in it: the kernel numbers every bus behind it anew.
PORT = "pcie-root-port,id=port5,chassis=5,slot=5,bus=pcie.0,addr=0x5"


class Rename(VmTest):
    def booted_with(self, *devices):
        """The direct link's interface as the site file has it, and as it is after the machine was switched off and got these devices."""
        before = re.search(rf"interface: '(\w+)', mac: '{self.a.nics['direct'].mac}'", self.a.read("/etc/diag/site.yaml"))[1]
        self.a.run("sync")
        self.a.cut()
        self.a.start(*devices)
        after = self.a.interfaces()["direct"]
        self.assertNotEqual(before, after, "the added device did not move the name: the test shows nothing")
        return before, after

    def test_a_device_added_before_it_and_one_behind_the_others(self):
        self.a.plug("virtio-net-pci")  # the twin, while the machine runs: it moves nobody's name
        self.healthy(self.a, "--only", "reachability")
        before, after = self.booted_with(PORT, "virtio-rng-pci,bus=port5")
        check = self.fails(self.a, "reachability", "link.renamed")
        for word in (before, after, self.a.nics["direct"].mac):
            self.assertIn(word, check["reason"] + check["next"])

    @unittest.skipUnless(LONG, "the slow part: ./run-tests --long")
    def test_an_adapter_added_before_it_takes_its_name(self):
        before, after = self.booted_with(PORT, "virtio-net-pci,bus=port5")
        check = self.fails(self.a, "reachability", "link.other-adapter")
        for word in (before, after, self.a.nics["direct"].mac):
            self.assertIn(word, check["reason"])
