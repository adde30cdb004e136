"""Usage: every mistake is told with what was expected and the nearest right word, and exits with 64."""
import harness


class CommandLine(harness.Diag):
    def test_mistakes_exit_with_64_and_suggest(self):
        path = self.runbook("answers.pass: {}")
        for words, part in ((["rnu"], "run"), (["run"], "usage"), (["run", path, "--sett", "a=b"], "--set"), (["run", "brignup"], "bringup"),
                            (["run", path, "--format", "jsn"], "json"), (["run", path, "--only", "onee"], "one"), (["explain", "answers.smal"], "answers.small"),
                            (["run", "./absent.runbook"], "absent.runbook"), (["run", path, "--site", "/nowhere.yaml"], "/nowhere.yaml")):
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

    def test_explain_tells_halves_reuse_and_what_the_time_hangs_on(self):
        out = self.diag("explain", "answers.sleep").stdout
        self.assertIn("about 2 s with its defaults\n             1 s + time\n", out)
        self.assertNotIn("halves", out)
        self.assertNotIn("reusable", out)
        self.assertRegex(self.diag("explain", "answers.costly").stdout, r"reusable +on resume, while its parameters and these facts are equal: port")
        pair = f"{harness.PREFIX}/tests/plugins/pair"
        self.assertRegex(self.diag("explain", "pair.sum", "--plugins", pair).stdout, r"halves +two: the other one runs at the other end of the row\n")
        self.assertIn("this one runs alone", self.diag("explain", "pair.can-do-alone", "--plugins", pair).stdout)
        self.assertEqual(self.json("explain", "answers.sleep")[0]["takes"], {"seconds": 1, "per": {"time": 1}})

    def test_a_cause_of_a_look_is_explained_and_suggested(self):
        shipped = f"{harness.PREFIX}/lib/diag/plugins"
        out = self.diag("explain", "names.no-servers", "--plugins", shipped).stdout
        self.assertRegex(out, r"means +\S")
        self.assertRegex(out, r"check +names.look")
        done = self.diag("explain", "names.no-serverz", "--plugins", shipped)
        self.assertEqual(done.returncode, 64)
        self.assertIn("'names.no-servers'", done.stderr)

    def test_colour_only_where_asked_for(self):
        path = self.runbook("answers.pass: {}")
        self.assertNotIn("\x1b", self.diag("run", path).stdout)
        self.assertIn("\x1b[32m", self.diag("run", path, "--color", "always").stdout)

    def test_plain_ascii_where_the_terminal_is_not_utf8(self):
        self.env["LC_ALL"] = "C"
        out = self.diag("run", self.runbook("answers.pass: {}", "answers.skip: {}")).stdout
        self.assertTrue(out.isascii(), out)


if __name__ == "__main__":
    harness.main()
