"""Usage: every mistake is told with what was expected and the nearest right word, and exits with 64."""
import os, signal, subprocess

import harness


class CommandLine(harness.Diag):
    def test_mistakes_exit_with_64_and_suggest(self):
        path = self.runbook("answers.pass: {}")
        for words, part in ((["rnu"], "run"), (["run"], "usage"), (["run", path, "--sett", "a=b"], "--set"), (["run", "brignup"], "bringup"),
                            (["run", path, "--format", "jsn"], "json"), (["run", path, "--only", "onee"], "one"), (["explain", "answers.smal"], "answers.small"),
                            (["run", "./absent.runbook"], "not there"), (["lint", "/"], "it is a folder"),
                            (["lint", "/dev/zero"], "neither a file"), (["run", path, "--site", "/nowhere.yaml"], "/nowhere.yaml")):
            with self.subTest(words=words):
                done = self.diag(*words)
                self.assertEqual(done.returncode, 64, done.stdout + done.stderr)
                self.assertIn(part, done.stderr)

    def test_help_is_everywhere_and_exits_with_0(self):
        out = self.diag("--help").stdout
        for command in ("run", "check", "show", "list", "verify", "prune", "lint", "plugins", "explain", "lab"):
            self.assertIn(command, out)
            done = self.diag(command, "--help")
            self.assertEqual(done.returncode, 0)
            self.assertIn("usage", done.stdout.lower())

    def test_lint_names_file_line_and_column(self):
        path = self.write("bad.runbook", "runbook: bad\ncheckpoints:\n  - id: one\n    chekcs: []\n")
        done = self.diag("lint", path)
        self.assertEqual(done.returncode, 64)
        self.assertIn("bad.runbook:4:5", done.stdout)
        self.assertIn("checks", done.stdout)
        self.assertEqual(self.diag("lint", self.runbook("answers.pass: {}")).returncode, 0)

    def test_plugins_and_explain_come_from_the_declaration(self):
        self.assertIn("answers.pass", self.diag("plugins").stdout)
        self.assertIn("how long", self.diag("explain", "answers.sleep").stdout)
        self.assertIn("raise {port}", self.diag("explain", "answers.small").stdout)
        self.assertIn("worker.deadline", self.diag("explain", "worker.deadline").stdout)

    def test_colour_only_where_asked_for(self):
        path = self.runbook("answers.pass: {}")
        self.assertNotIn("\x1b", self.diag("run", path).stdout)
        self.assertIn("\x1b[32m", self.diag("run", path, "--color", "always").stdout)

    def test_plain_ascii_where_the_terminal_is_not_utf8(self):
        self.env["LC_ALL"] = "C"
        out = self.diag("run", self.runbook("answers.pass: {}", "answers.skip: {}")).stdout
        self.assertTrue(out.isascii(), out)


class Output(harness.Diag):
    """What is printed arrives, or that is said, and nobody takes an empty file for an answer."""

    def into(self, file, *words):
        with open(file, "w") as out:
            return subprocess.run(self.argv(*words), env=self.env, stdout=out, stderr=subprocess.PIPE, text=True, timeout=60)

    def test_a_full_disk_behind_stdout_is_said_and_is_no_success(self):
        self.diag("run", self.runbook("answers.pass: {}"))
        for words in (("plugins",), ("plugins", "--format", "json"), ("show",), ("list",), ("verify",), ("explain", "answers.small"), ("--help",), ("--version",),
                      ("lab", "faults")):
            with self.subTest(words=words):
                done = self.into("/dev/full", *words)
                self.assertEqual(done.returncode, 3)
                self.assertRegex(done.stderr, "stdout|standard output|write")
                self.assertEqual(self.into("/dev/null", *words).returncode, 0)

    def test_the_verdict_stands_and_a_lost_document_is_no_success(self):
        good, bad = self.runbook("answers.pass: {}"), self.runbook("answers.fail: {}", name="bad")
        for path, form, status in ((good, "text", 0), (good, "json", 3), (bad, "text", 2), (bad, "json", 2)):
            with self.subTest(form=form, status=status):
                done = self.into("/dev/full", "run", path, "--format", form)
                self.assertEqual(done.returncode, status)
                self.assertIn("stdout could not be written", done.stderr)
                self.assertEqual(self.events()[-1]["event"], "run-end")

    def test_a_reader_that_has_had_enough_is_no_error(self):
        for words in (("plugins",), ("run", self.runbook("answers.pass: {}"))):
            ours, theirs = os.pipe()
            os.close(ours)
            done = subprocess.run(self.argv(*words), env=self.env, stdout=theirs, stderr=subprocess.PIPE, text=True, restore_signals=False,
                                  preexec_fn=lambda: signal.signal(signal.SIGPIPE, signal.SIG_IGN))
            os.close(theirs)
            self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_a_stdout_that_is_not_there_is_no_file_of_the_record(self):
        done = subprocess.run(self.argv("run", self.runbook("answers.pass: {}")), env=self.env, stderr=subprocess.PIPE, text=True,
                              preexec_fn=lambda: os.close(1))
        self.assertEqual(done.returncode, 0)
        self.assertIn("stdout could not be written", done.stderr)
        self.assertEqual(self.diag("verify").returncode, 0)


if __name__ == "__main__":
    harness.main()
