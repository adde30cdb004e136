"""diag init --peer in the lab: the file that it writes names the wires that the lab laid, and a run accepts it unedited."""
import os, re, subprocess, unittest

import harness

CONFIG = "/run/diag-lab/ssh/config"


@unittest.skipUnless(harness.ROOT, "the lab needs root")
class InitPeer(harness.Diag):
    def setUp(self):
        super().setUp()
        self.site = f"{self.folder}/site.yaml"
        done = self.command("lab", "up", "--nodes", "3")
        self.addCleanup(self.command, "lab", "down")
        self.assertEqual(done.returncode, 0, done.stderr)
        if not os.path.exists(CONFIG):
            self.skipTest("the lab has no sshd: openssh-server is not installed")

    def command(self, *words):
        return subprocess.run([harness.DIAG, *words], env=self.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=300)

    def at(self, node, *words):
        return self.command("lab", "exec", node, "--", *words)

    def init(self, *peers):
        words = [word for peer in peers for word in ("--peer", peer)]
        return self.at("a", harness.DIAG, "init", *words, "--ssh-config", CONFIG, self.site)

    def links(self):
        """{(machine, interface), ...} -> (id, whether it is for management), of each link of the file."""
        with open(self.site) as f:
            texts = re.split(r"\n  - id: ", f.read())[1:]
        return {frozenset(re.findall(r"\n +(\S+): {interface: ([^,}]+)", text)): (text.split()[0], "management: true" in text) for text in texts}

    def test_three_nodes_become_their_wires_and_a_run_accepts_the_file_unedited(self):
        done = self.init("node-b.home.arpa", "node-c.home.arpa")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        links = self.links()
        wires = {"direct": "ab", "direct-ac": "ac", "direct-bc": "bc", "house": "abc"}
        self.assertEqual(set(links), {frozenset((f"node-{node}", name) for node in nodes) for name, nodes in wires.items()})
        self.assertEqual([name for name, management in links.values() if management], ["house"])
        with open(self.site) as f:
            self.assertIn("node-c: {interface: direct-bc, name: node-c-direct-bc.home.arpa, address: 10.10.12.13}", f.read())
        for node in "abc":
            self.assertEqual(self.at(node, harness.DIAG, "run", "bringup", "--site", self.site, "--plan").returncode, 0)
        run = self.at("c", harness.DIAG, "run", "bringup", "--site", self.site, "--only", "reachability")
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        again = self.init("node-b.home.arpa")
        self.assertEqual(again.returncode, 64)
        self.assertIn("not overwritten", again.stderr)

    def test_a_cut_cable_a_host_that_is_not_there_and_a_prefix_without_a_wire_are_left_out_and_said(self):
        self.at("c", "ip", "link", "set", "direct-ac", "down")
        # In one prefix, on two wires: an address alone joins nobody.
        self.at("a", "ip", "address", "add", "10.99.0.1/24", "dev", "direct")
        self.at("c", "ip", "address", "add", "10.99.0.3/24", "dev", "direct-bc")
        done = self.init("node-b", "node-c", "node-x")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("node-x: left out", done.stderr)
        self.assertIn("node-c direct-ac: it is switched off", done.stdout)
        self.assertIn("node-a direct-ac (10.10.11.11): none of the others has an address in 10.10.11.0/24", done.stdout)
        found = set(self.links())
        self.assertEqual(len(found), 3)
        self.assertNotIn(frozenset({("node-a", "direct"), ("node-c", "direct-bc")}), found)
        with open(self.site) as f:
            self.assertFalse(re.search("node-x", f.read().split("machines:")[1]))


if __name__ == "__main__":
    harness.main()
