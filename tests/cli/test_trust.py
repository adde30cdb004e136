"""Whose plugins, runbooks and site files are believed."""
import os, shutil, unittest

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


if __name__ == "__main__":
    harness.main()
