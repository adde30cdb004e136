"""A bond of two direct cables in 802.3ad, between the two functions of one adapter on either side."""
from cluster import VmTest, link, links, shared, site, wait_for


class Bond(VmTest):
    @classmethod
    def setUpClass(cls):
        lab = shared()
        for number, machine in enumerate(lab.machines[:2], 11):
            machine.write("/etc/systemd/network/30-bond0.netdev", "[NetDev]\nName=bond0\nKind=bond\nMTUBytes=9000\n"
                          "[Bond]\nMode=802.3ad\nMIIMonitorSec=100ms\nLACPTransmitRate=fast\n")
            machine.write("/etc/systemd/network/30-lanes.network",
                          f"[Match]\nPermanentMACAddress={machine.nics['lane0'].mac} {machine.nics['lane1'].mac}\n[Link]\nMTUBytes=9000\n[Network]\nBond=bond0\n")
            machine.write("/etc/systemd/network/31-bond0.network", f"[Match]\nName=bond0\n[Network]\nAddress=10.10.2.{number}/24\nLinkLocalAddressing=no\n")
            machine.run("networkctl", "reload")
        for machine in lab.machines[:2]:
            wait_for(lambda: machine.run("ping", "-c", "1", "-W", "1", "10.10.2.11", check=False).returncode == 0
                     and machine.run("ping", "-c", "1", "-W", "1", "10.10.2.12", check=False).returncode == 0)
        bond = {m.name: {"interface": "bond0", "name": f"{m.name}-bond.home.arpa", "address": f"10.10.2.{n}"} for n, m in enumerate(lab.machines[:2], 11)}
        cls.site = "/etc/diag/bond.yaml"
        for machine in lab.machines[:2]:
            machine.write(cls.site, site(lab, link("bond", 9000, bond, "    speed: 2Gbit\n    lanes: 2\n"), *links(lab)))

    def up(self):
        return self.a.read("/proc/net/bonding/bond0").count("MII Status: up")

    def plugged(self):
        for machine in (self.a, self.b):
            machine.link("lane1", True)
        wait_for(lambda: self.up() == 3)  # the bond and its two members

    def test_a_whole_bond_passes_and_a_lost_lane_is_told(self):
        wait_for(lambda: self.up() == 3)
        whole = self.healthy(self.a, "--site", self.site)
        self.assertEqual(next(c["outcome"] for _, c in self.checks(whole) if c["check"] == "link.state"), "pass", "both lanes' speeds, added up")
        for machine in (self.a, self.b):
            machine.link("lane1", False)
        self.addCleanup(self.plugged)
        wait_for(lambda: self.up() == 2)
        check = self.fails(self.a, "reachability", "link.member-down", "--site", self.site)
        self.assertIn(self.a.interfaces()["lane1"], check["reason"])
        document, status = self.diag(self.a, "check", "link.state", "interface=bond0")
        self.assertEqual((status, self.checks(document)[0][1]["cause"]), (1, "link.member-down"), "no speed was planned: it works, with less")

    def asked(self, *params):
        document, _ = self.diag(self.a, "check", "link.bond", "interface=bond0", *params)
        return self.checks(document)[0][1]

    def becomes(self, cause):
        """link.bond on a comes to this cause, once LACP has noticed; its check is returned."""
        wait_for(lambda: self.asked("lanes=2")["cause"] == cause)
        return self.asked("lanes=2")

    def agreed(self):
        """Both ends' lanes are up and carry traffic again."""
        wait_for(lambda: self.asked("lanes=2")["outcome"] == "pass", 120)

    def test_both_ends_agree_on_two_lanes(self):
        self.agreed()
        check = self.asked("lanes=2")
        self.assertIn(self.b.read("/sys/class/net/bond0/address").strip(), check["reason"], "the partner is the other end's bond")
        self.assertEqual(self.asked("lanes=3")["cause"], "link.bond-lanes")
        document, _ = self.diag(self.a, "check", "link.bond", f"interface={self.a.interfaces()['direct']}")
        self.assertEqual(self.checks(document)[0][1]["outcome"], "skip", "an adapter is no bond")

    def test_an_end_that_stops_speaking_lacp_is_no_partner_although_every_lane_has_carrier(self):
        self.agreed()
        self.addCleanup(self.agreed)
        self.b.run("ip", "link", "set", "bond0", "down")
        self.addCleanup(self.b.run, "ip", "link", "set", "bond0", "up")
        self.becomes("link.bond-no-partner")

    def test_one_lane_that_is_in_no_group_at_the_other_end_is_named(self):
        self.agreed()
        self.addCleanup(self.agreed)
        ours, theirs = (machine.interfaces()["lane1"] for machine in (self.a, self.b))
        self.b.run("networkctl", "down", theirs)
        self.b.run("ip", "link", "set", theirs, "nomaster")
        self.addCleanup(self.b.run, "networkctl", "reconfigure", theirs)
        self.b.run("ip", "link", "set", theirs, "up")
        check = self.becomes("link.bond-lane-silent")
        self.assertIn(ours, check["reason"])

    def test_a_member_with_a_smaller_mtu_than_its_bond(self):
        self.agreed()
        self.addCleanup(self.agreed)
        lane = self.a.interfaces()["lane1"]
        self.a.run("ip", "link", "set", lane, "mtu", "1500")
        self.addCleanup(self.a.run, "ip", "link", "set", lane, "mtu", "9000")
        self.assertIn(lane, self.becomes("link.bond-mtu")["reason"])

    def test_look_shows_the_bond_its_members_and_their_functions(self):
        document, status = self.diag(self.a, "look")
        self.assertEqual(status, 0)
        things = {(thing["kind"], thing["name"]): thing["properties"] for thing in document["things"]}
        named = self.a.interfaces()
        lanes = [named["lane0"], named["lane1"]]
        bond = things["interface", "bond0"]
        self.assertEqual((bond["kind"], bond["joined"]["members"], bond["speed"], bond["mtu"]), ("bond", lanes, 2 * 10**9, 9000))
        paths = [things["adapter", lane]["path"] for lane in lanes]
        self.assertEqual([path[-2:] for path in paths], [".0", ".1"])
        self.assertEqual(paths[0][:-2], paths[1][:-2], "two functions of one device")
        for lane in lanes:
            self.assertEqual((things["interface", lane]["joined"]["in"], things["adapter", lane]["driver"]), ("bond0", "e1000e"))
        text = self.a.run("diag", "look").stdout
        for word in (*lanes, *paths, "bond0", f"of {lanes[0]} + {lanes[1]}"):
            self.assertIn(word, text)
