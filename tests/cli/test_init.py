"""diag look and diag init from outside."""
import json, os, unittest

import harness


class Look(harness.Diag):
    def test_it_needs_no_site_file_and_shows_the_machine(self):
        done = self.diag("look")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(os.uname().nodename, done.stdout)
        document = json.loads(self.diag("look", "--format", "json").stdout)
        self.assertEqual(document["arch"], os.uname().machine)
        self.assertEqual(document["blind"], [])

    def test_what_a_plugin_could_not_look_at_is_not_called_fine(self):
        done = self.diag("look", "--plugins", f"{harness.PREFIX}/tests/plugins/bad")
        self.assertEqual(done.returncode, 3)
        self.assertIn("could not look", done.stdout)
        self.assertNotIn("nothing looks wrong", done.stdout)

    def test_a_captured_tree_is_no_live_machine(self):
        os.makedirs(f"{self.folder}/tree/etc")
        self.write("tree/etc/hostname", "captured\n")
        self.write("tree/etc/os-release", 'PRETTY_NAME="Some OS 7"\n')
        self.assertIn("captured · Some OS 7", self.diag("look", "--root", f"{self.folder}/tree").stdout)


class Init(harness.Diag):
    def test_a_settings_file_becomes_a_site_file_that_a_run_accepts_and_nothing_is_overwritten(self):
        env = self.write(".env", "MACHINE_NAME=n1\nCLUSTER_PEERS=node-b.home.arpa\nCLUSTER_MTU=9000\nIPERF_STREAMS=4\n")
        site = f"{self.folder}/site.yaml"
        done = self.diag("init", site, "--env", env)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("What it could not know", done.stdout)
        self.assertIn("--set streams=4", done.stdout)
        path = self.write("l.runbook", 'runbook: l\ncheckpoints:\n  - id: one\n    each: link\n    checks: [answers.pass: {where: "${link.there.name}"}]\n')
        document, status = self.json("run", path, "--site", site, "--machine", "n1")
        self.assertEqual(status, 0)
        self.assertEqual(document["checkpoints"][0]["rows"][0]["checks"][0]["params"], {"where": "node-b.home.arpa"})
        with open(site) as f:
            before = f.read()
        again = self.diag("init", site)
        self.assertEqual(again.returncode, 64)
        self.assertIn("not overwritten", again.stderr)
        with open(site) as f:
            self.assertEqual(f.read(), before)

    def test_without_a_settings_file_it_writes_what_this_machine_shows(self):
        site = f"{self.folder}/first.yaml"
        done = self.diag("init", site)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(site) as f:
            self.assertIn("machines:", f.read())


if __name__ == "__main__":
    harness.main()
