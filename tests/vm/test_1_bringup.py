"""bringup between two machines with kernels of their own, the shipped runbook as a user starts it."""
import json

from cluster import VmTest, wait_for


class Bringup(VmTest):
    def carrier(self, machine):
        return machine.read(f"/sys/class/net/{machine.interfaces()['direct']}/carrier").strip()

    def plugged(self, machine):
        machine.link("direct", True)
        wait_for(lambda: self.carrier(machine) == "1")

    def test_two_healthy_machines_pass_from_both_sides(self):
        for machine in (self.a, self.b):
            document = self.healthy(machine)
            self.assertFalse(document["lab"], "these are machines, as far as they can know")
            bulk = next(c for i, c in self.checks(document) if c["check"] == "link.bulk")
            self.assertTrue(all(m["value"] > 0 for m in bulk["measurements"] if m["unit"] == "bit/s"), bulk["measurements"])
            first = json.loads(machine.read(f"/var/lib/diag/records/{document['record']}/journal.jsonl").splitlines()[0])
            self.assertEqual(first["boot"].replace("-", ""), machine.boot_id().replace("-", ""), "a real machine's boot id is known")

    def test_a_cable_pulled_at_both_ends_is_no_carrier(self):
        for machine in (self.a, self.b):
            machine.link("direct", False)
            self.addCleanup(self.plugged, machine)
        wait_for(lambda: self.carrier(self.a) == "0")
        self.fails(self.a, "reachability", "link.no-carrier")

    def test_a_machine_that_is_switched_off_is_not_a_pulled_cable(self):
        """The twin: the switch keeps the carrier up, and the peer is silent."""
        self.b.qmp("stop")
        self.addCleanup(self.b.qmp, "cont")
        check = self.fails(self.a, "reachability", "names.no-neighbour")
        self.assertEqual(check["check"], "names.reach")

    def test_a_switch_port_that_drops_jumbo_frames(self):
        self.lab.port_mtu("direct", "b", 1500)
        self.addCleanup(self.lab.port_mtu, "direct", "b", 9000)
        check = self.fails(self.a, "mtu", "mtu.path-smaller")
        size = next(m for m in check["measurements"] if m["name"] == "path_mtu")
        self.assertIn(size["value"], (1500, 1504), "the bridge lets a VLAN tag more pass")
