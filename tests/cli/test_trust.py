"""Whose plugins, runbooks and site files are believed."""
import os, shutil, subprocess, tempfile, unittest

import harness


class Trust(harness.Diag):
    def copy_plugin(self, name):
        folder = f"{self.folder}/{name}"
        os.mkdir(folder)
        shutil.copy(harness.PLUGINS + "/answers.so", folder)
        return folder

    def test_a_plugin_that_others_can_write_is_refused_with_the_reason(self):
        folder = self.copy_plugin("open")
        os.chmod(folder + "/answers.so", 0o666)
        done = self.diag("plugins", "--plugins", folder)
        self.assertNotIn("answers.pass", done.stdout)
        self.assertIn("anyone can write", done.stderr)

    def test_two_plugins_of_one_name_are_refused_and_both_named(self):
        first, second = self.copy_plugin("first"), self.copy_plugin("second")
        with open(second + "/answers.so", "ab") as f:
            f.write(b"\0")  # another file of the same name
        done = self.diag("plugins", "--plugins", first, "--plugins", second)
        self.assertIn("first/answers.so", done.stderr)
        self.assertIn("second/answers.so", done.stderr)

    def test_the_same_file_twice_is_one_plugin(self):
        first, second = self.copy_plugin("one"), self.copy_plugin("two")
        done = self.diag("plugins", "--plugins", first, "--plugins", second)
        self.assertIn("answers.pass", done.stdout)
        self.assertEqual(done.stderr, "")

    @unittest.skipUnless(harness.ROOT, "the rule is root's")
    def test_root_believes_no_runbook_or_site_file_of_others(self):
        path = self.runbook("answers.pass: {}")
        site = self.write("site.yaml", "machines: {a: {name: a}}\n")
        self.assertEqual(self.diag("run", path, "--site", site, "--machine", "a").returncode, 0)
        for broken in (path, site):
            os.chown(broken, 65534, 65534)
            done = self.diag("run", path, "--site", site, "--machine", "a")
            self.assertEqual(done.returncode, 64)
            self.assertIn("65534", done.stderr)
            os.chown(broken, 0, 0)

    @unittest.skipUnless(harness.ROOT, "the rule is root's")
    def test_root_reads_the_file_that_was_judged_not_what_a_link_leads_to_later(self):
        path, others = self.runbook("answers.pass: {}"), f"{self.folder}/others"
        os.mkdir(others)
        os.chmod(others, 0o777)
        os.symlink(path, f"{others}/link.runbook")
        self.assertEqual(self.diag("run", f"{others}/link.runbook").returncode, 0)
        self.assertEqual(self.events()[0]["runbook"]["path"], os.path.realpath(path))
        os.symlink(f"{self.folder}/nothing", f"{others}/dangling.runbook")
        self.assertEqual(self.diag("run", f"{others}/dangling.runbook").returncode, 64)

    # A record decides what runs: the runbook's text, the folders of plugins, and what exec.run starts.
    def as_nobody(self, *words, **env):
        def become():
            os.setgroups([]), os.setgid(65534), os.setuid(65534)
        return subprocess.run(self.argv(*words), env=self.env | env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=become)

    def nobodys_record(self):
        """The folder of a failed run of another user, whose runbook is no longer there."""
        os.chmod(self.folder, 0o755)
        theirs = f"{self.folder}/theirs"
        os.mkdir(theirs)
        os.chown(theirs, 65534, 65534)
        path = self.runbook("answers.fail: {}")
        self.assertEqual(self.as_nobody("run", path, DIAG_STATE=theirs).returncode, 2)
        os.unlink(path)
        with open(theirs + "/last") as f:
            return theirs, f"{theirs}/records/{f.read().strip()}"

    @unittest.skipUnless(harness.ROOT, "the rule is root's")
    def test_root_goes_on_with_no_record_of_others_and_can_still_look_at_it(self):
        theirs, record = self.nobodys_record()
        with open(record + "/journal.jsonl") as f:
            before = f.read()
        for words in (("resume", record), ("resume", "--state", theirs)):
            done = self.diag(*words)
            self.assertEqual(done.returncode, 64, done.stdout + done.stderr)
            self.assertIn("belongs to user 65534", done.stderr)
        with open(record + "/journal.jsonl") as f:
            self.assertEqual(f.read(), before)
        for words in (("show", record), ("verify", record), ("list", "--state", theirs)):
            self.assertEqual(self.diag(*words).returncode, 0)
        done = self.as_nobody("resume", DIAG_STATE=theirs)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("the record's copy of it is used", done.stdout)

    @unittest.skipUnless(harness.ROOT, "the rule is root's")
    def test_a_record_that_only_looks_like_roots_own_is_not_gone_on_with(self):
        theirs, record = self.nobodys_record()
        for path in (record, f"{theirs}/records", theirs):
            os.chown(path, 0, 0)
        self.assertIn("journal.jsonl belongs to user 65534", self.diag("resume", record).stderr)
        os.chown(record + "/journal.jsonl", 0, 0)
        os.chmod(theirs, 0o777)
        self.assertIn("anyone can write", self.diag("resume", record).stderr)
        os.chmod(theirs, 0o755)
        self.assertEqual(self.diag("resume", record).returncode, 2, "root's own, its runbook gone")

    @unittest.skipUnless(harness.ROOT, "the rule is root's")
    def test_root_writes_no_record_where_others_can(self):
        theirs, record = self.nobodys_record()
        path = self.runbook("answers.pass: {}")
        for words in (("run", path), ("check", "answers.pass", "--keep"), ("prune", "--keep", "1")):
            done = self.diag(*words, "--state", theirs)
            self.assertEqual(done.returncode, 64, done.stdout + done.stderr)
            self.assertIn("65534", done.stderr)
        self.assertEqual(os.listdir(theirs + "/records"), [os.path.basename(record)])
        self.assertEqual(self.diag("prune", "--keep", "1", "--dry-run", "--state", theirs).returncode, 0)
        os.symlink(theirs, self.folder + "/link")
        self.assertEqual(self.diag("run", path, "--state", self.folder + "/link").returncode, 64)
        with tempfile.TemporaryDirectory() as below_sticky:
            self.assertEqual(self.diag("run", path, "--state", below_sticky + "/state").returncode, 0)


if __name__ == "__main__":
    harness.main()
