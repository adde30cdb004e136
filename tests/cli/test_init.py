"""diag look and diag init from outside."""
import json, os, re, subprocess, unittest

import harness


class Look(harness.Diag):
    def test_it_needs_no_site_file_and_shows_the_machine(self):
        done = self.diag("look")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(os.uname().nodename, done.stdout)
        document = json.loads(self.diag("look", "--format", "json").stdout)
        self.assertEqual(document["arch"], os.uname().machine)
        self.assertEqual(document["blind"], [])

    @unittest.skipUnless(harness.ROOT, "only root can become somebody without rights")
    def test_it_needs_no_root_and_shows_nobody_the_same_interfaces(self):
        argv = [harness.DIAG, "look", "--plugins", f"{harness.PREFIX}/lib/diag/plugins", "--format", "json"]
        nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all", "--bounding-set=-all"]
        looks = []
        for who in ([], nobody, []):
            done = subprocess.run(who + argv, env=self.env, cwd="/", stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60)
            self.assertEqual(done.returncode, 0, done.stderr)
            document = json.loads(done.stdout)
            self.assertEqual(document["blind"], [])
            looks.append({(t["kind"], t["name"]) for t in document["things"] if t["kind"] in ("interface", "adapter")})
        self.assertTrue(looks[1])
        self.assertEqual((looks[0] & looks[2]) - looks[1], set(), "what root saw before and after")

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

    def test_a_settings_file_with_every_key_gives_a_site_file_and_settings_that_the_shipped_bringup_plans_with(self):
        env = self.write(".env", "".join(f"{line}\n" for line in (
            "# who is who", "MACHINE_NAME=s1", "MACHINE_ROLES=prefill,router", 'CLUSTER_PEERS="node-b.home.arpa node-c.home.arpa"', "SSH_USER=ops",
            "IPERF_PORT=5202", "IPERF_SECONDS=20", "IPERF_STREAMS=4", "PING_COUNT=50", "LABBOOK=labbook.md", "CLUSTER_IFACE=lo", "CLUSTER_MTU=9000",
            "MODELS_DIR=/srv/models", "NFS_SERVER=node-b.home.arpa", "NFS_EXPORT=/srv/models", 'NFS_CLIENTS="*.home.arpa"')))
        site, shipped = f"{self.folder}/site.yaml", ("--plugins", f"{harness.PREFIX}/lib/diag/plugins")
        done = self.diag("init", site, "--env", env, *shipped)
        self.assertEqual(done.returncode, 0, done.stderr)
        words = [word for setting in re.findall(r"--set (\S+)", done.stdout) for word in ("--set", setting)]
        self.assertEqual(len(words), 8, done.stdout)
        plan, status = self.json("run", "bringup", "--site", site, "--machine", "s1", "--plan", *words, *shipped)
        self.assertEqual(status, 0)
        bulk = next(c for c in plan["checkpoints"] if c["id"] == "bulk")
        self.assertEqual({(p["port"], p["seconds"]) for p in (check["params"] for row in bulk["rows"] for check in row["checks"])}, {(5202, 20.0)})
        # Twin: a setting that the runbook does not have is refused.
        self.assertEqual(self.diag("run", "bringup", "--site", site, "--machine", "s1", "--plan", "--set", "prot=1", *shipped).returncode, 64)

    def test_without_a_settings_file_it_writes_what_this_machine_shows(self):
        site = f"{self.folder}/first.yaml"
        done = self.diag("init", site)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(site) as f:
            self.assertIn("machines:", f.read())


    @unittest.skipUnless(harness.ROOT, "only root is so careful")
    def test_root_is_told_where_a_run_would_not_read_the_file(self):
        os.makedirs(f"{self.folder}/open")
        os.chmod(f"{self.folder}/open", 0o777)
        done = self.diag("init", f"{self.folder}/open/site.yaml")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("not trusted by root", done.stderr)
        self.assertNotIn("not trusted", self.diag("init", f"{self.folder}/site.yaml").stderr)


class Peers(harness.Diag):
    """The login is a script in ssh's place: it sees the words that ssh would."""

    def init(self, ssh, *words):
        folder = f"{self.folder}/bin"
        os.makedirs(folder, exist_ok=True)
        with open(f"{folder}/ssh", "w") as out:
            out.write("#!/bin/sh\n" + ssh)
        os.chmod(f"{folder}/ssh", 0o755)
        self.env["PATH"] = f"{folder}:{os.environ['PATH']}"
        self.site = f"{self.folder}/site.yaml"
        return self.diag("init", self.site, *words, "--plugins", f"{harness.PREFIX}/lib/diag/plugins")

    def text(self):
        with open(self.site) as f:
            return f.read()

    def test_a_peer_that_lets_nobody_in_is_left_out_with_the_next_command_and_the_rest_is_written(self):
        done = self.init("echo 'Permission denied (publickey).' >&2; exit 255\n", "--peer", "gpu[01-02]", "--ssh-user", "ops")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("gpu02: left out", done.stderr)
        self.assertIn("-l ops -- gpu02 true", done.stderr)
        self.assertNotIn("gpu01:", self.text().split("machines:")[1])
        self.assertIn("user: ops", self.text())
        plan = self.diag("run", "bringup", "--plan", "--site", self.site, "--machine", os.uname().nodename.split(".")[0], "--plugins", f"{harness.PREFIX}/lib/diag/plugins")
        self.assertEqual(plan.returncode, 0, plan.stderr)

    def test_a_peer_without_diag_becomes_a_machine_that_an_installation_knows(self):
        done = self.init("echo 'sh: 1: diag-worker: not found' >&2; exit 127\n", "--peer", "node-q.home.arpa")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("peer.diag-missing", done.stderr)
        self.assertIn(f"diag peers install --site {self.site} --apply", done.stderr)
        self.assertIn("node-q: {ssh: node-q.home.arpa}", self.text())

    def test_a_peer_that_is_this_machine_stands_in_the_file_once(self):
        done = self.init(f"exec {harness.PREFIX}/bin/diag-worker\n", "--peer", "here.home.arpa")
        self.assertIn("here.home.arpa is this machine", done.stderr)
        self.assertNotIn("here", self.text().split("machines:")[1])

    def test_what_contradicts_itself_or_would_be_an_option_of_ssh_is_refused_and_nothing_is_written(self):
        for words in (["--ssh-user", "ops"], ["--peer=-oProxyCommand=x"], ["--peer", "ops@node-b"], ["--peer", "gpu[01-"], ["--peer", "b", "--env", "x"],
                      ["--peer", "b", "--root", "/"]):
            done = self.init("exit 1\n", *words)
            self.assertEqual(done.returncode, 64, (words, done.stderr))
            self.assertFalse(os.path.exists(self.site))


if __name__ == "__main__":
    harness.main()
