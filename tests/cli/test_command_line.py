"""Usage: every mistake is told with what was expected and the nearest right word, and exits with 64."""
import os, re, signal, subprocess

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
        commands = re.findall(r"(?m)^   ([a-z]+)  +[A-Z]", self.diag("--help").stdout)
        self.assertGreaterEqual(set(commands), {"look", "run", "check", "lab"}, "the list is no longer read as it is printed")
        for command in commands:
            with self.subTest(command=command):
                done = self.diag(command, "--help")
                self.assertEqual(done.returncode, 0)
                self.assertIn("usage: diag " + command, done.stdout)

    def test_lint_tells_everything_at_once_and_run_refuses_it_all_the_same(self):
        path = self.write("bad.runbook", "runbook: bad\ncheckpoints:\n  - id: one\n    chekcs: [answers.pass: {}]\n"
                          "  - {id: two, checks: [answers.pas: {}]}\n  - {id: three, each: linkk, checks: [answers.pass: {}]}\n")
        done = self.diag("lint", path)
        self.assertEqual(done.returncode, 64)
        self.assertEqual([line.split(":", 1)[1].split(" ")[0] for line in done.stdout.splitlines()], ["4:5:", "5:24:", "6:23:"], done.stdout)
        for near in ("'checks'", "'answers.pass'", "'link'"):
            self.assertIn(f"did you mean {near}?", done.stdout)
        self.assertEqual(self.diag("run", path).returncode, 64)
        self.assertFalse(os.path.exists(self.state), "nothing was run")
        broken = self.write("site.yaml", "machines: [a]\n")
        lines = self.diag("lint", path, "--site", broken).stdout.splitlines()
        self.assertEqual((len(lines), lines[0].startswith(broken)), (4, True), lines)

    def test_help_offers_the_common_options_that_do_something_there_and_no_other_is_taken(self):
        value = {"--site": "x", "--machine": "x", "--state": "x", "--plugins": "/", "--root": "/", "--format": "json", "--fail-on": "warn",
                 "--color": "auto", "--verbose": None}
        judging = "--format --fail-on --color --verbose"
        here = "--site --machine --state --plugins --root"
        takes = {"look": "--plugins --root --format", "init": "--plugins --root", "run": f"{here} {judging}", "resume": f"{here} {judging}",
                 "check": f"{here} {judging}", "show": f"--state {judging}", "list": "--state --format", "verify": "--state --format",
                 "prune": "--state --format", "lint": "--site --plugins --format", "plugins": "--plugins --format", "explain": "--plugins --format",
                 "peers": "--site --machine --plugins --format --fail-on --color", "topology": f"{here} --format"}
        for command, options in takes.items():
            done = self.diag(command, "--help")
            offered = {word for word in re.findall(r"--[a-z-]+", done.stdout) if word in value}
            with self.subTest(command=command):
                self.assertEqual(offered, set(options.split()))
                for option in set(value) - offered:
                    done = self.diag(command, option, *filter(None, [value[option]]))
                    self.assertEqual((done.returncode, "has no option" in done.stderr), (64, True), f"{option}: {done.stderr}")
        self.assertIn("$XDG_STATE_HOME", self.diag("list", "--help").stdout)

    def test_a_captured_tree_in_the_environment_is_nothing_to_a_command_that_reads_none(self):
        self.env["DIAG_ROOT"] = "/nowhere"
        self.assertEqual(self.diag("list").returncode, 0)
        self.assertEqual(self.diag("look").returncode, 64)

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

    def test_explain_without_a_word_lists_every_check_and_every_code_one_line_each(self):
        lines = self.diag("explain").stdout.splitlines()
        self.assertTrue(any(line.startswith("answers.fail ") for line in lines), lines)
        self.assertLess(lines.index("answers.fail                 It fails"), lines.index("   answers.small                Smaller than planned."))
        everything, _ = self.json("explain")
        codes = [cause["code"] for check in everything["checks"] for cause in check["causes"]] + [cause["code"] for cause in everything["host"]]
        self.assertEqual({code.split(".")[0] for code in codes}, {"answers", "worker", "peer", "plugin", "machine"})
        for code in codes:
            self.assertEqual(sum(line.startswith(f"   {code} ") for line in lines), codes.count(code), code)
            self.assertEqual(self.diag("explain", code).returncode, 0, "what is listed can be explained")
        self.assertEqual(len(lines), len(codes) + len(everything["checks"]) + 1)

    def test_explain_lists_one_family(self):
        lines = self.diag("explain", "machine").stdout.splitlines()
        self.assertEqual([line.split()[0] for line in lines], ["diag", "machine.busy", "machine.no-lock"])
        mine = [line.split()[0] for line in self.diag("explain", "answers").stdout.splitlines()]
        self.assertIn("answers.small", mine)
        self.assertEqual({word.split(".")[0] for word in mine}, {"answers"})
        peers, _ = self.json("explain", "peer")
        self.assertEqual((peers["checks"], {cause["code"].split(".")[0] for cause in peers["host"]}), ([], {"peer"}))

    def test_explain_suggests_the_nearest_of_the_kind_that_was_written(self):
        for word, meant in (("worker.dedline", "worker.deadline"), ("answers.flai", "answers.fail"), ("wroker", "worker"), ("anwsers", "answers")):
            done = self.diag("explain", word)
            self.assertEqual((done.returncode, f"did you mean '{meant}'?" in done.stderr), (64, True), done.stderr)
        self.assertNotIn("did you mean", self.diag("explain", "zzzzzzzz").stderr)

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
