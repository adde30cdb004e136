"""Progress on stderr: a line that is rewritten on a terminal, plain lines elsewhere; and colours on a terminal only where they are wanted."""
import fcntl, os, pty, re, struct, subprocess, termios

import harness

CLEAR = "\r\x1b[K"
COLOUR = re.compile(r"\x1b\[[0-9;]*m")


class Progress(harness.Diag):
    def on_terminal(self, *words, columns=80, **env):
        """What diag writes to a terminal that is both its stdout and its stderr."""
        master, slave = pty.openpty()
        self.addCleanup(os.close, master)
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        terminal = {k: v for k, v in self.env.items() if k not in ("NO_COLOR", "TERM")} | {"TERM": "xterm"} | env
        run = subprocess.Popen(self.argv(*words), env=terminal, stdin=slave, stdout=slave, stderr=slave)
        os.close(slave)
        text = b""
        while True:
            try:
                piece = os.read(master, 65536)
            except OSError:  # EIO: the last of its writers is gone
                break
            if not piece:
                break
            text += piece
        self.assertEqual(run.wait(30), 0, text)
        return text.decode().replace("\r\n", "\n")

    def two_checkpoints(self):
        return self.write("two.runbook", "runbook: two\ncheckpoints:\n  - {id: first, checks: [answers.sleep: {time: 1200ms}, answers.pass: {}]}\n"
                          "  - {id: second, checks: [answers.pass: {}]}\n")

    def drawn(self, text):
        """The states of the progress line, as they replaced each other."""
        return [piece.split("\n")[0] for piece in text.split(CLEAR)[1:] if piece.startswith("   ")]

    def test_a_terminal_has_one_line_that_is_rewritten_and_cleared_at_the_end(self):
        text = self.on_terminal("run", self.two_checkpoints())
        drawn = self.drawn(text)
        self.assertIn("   first: answers.sleep (0 s, 2 left)", drawn)
        self.assertIn("   first: answers.sleep (1 s, 2 left)", drawn, "it says for how long")
        self.assertIn("   first: answers.pass (0 s, 1 left)", drawn)
        self.assertIn("   second: answers.pass (0 s, 0 left)", drawn)
        for line in drawn:
            self.assertNotIn("\n" + line, text, "each takes the place of the one before")
            self.assertIn(line + CLEAR, text, "and is taken off before anything else is written")
        self.assertNotIn("answers.", text.split(CLEAR)[-1], "nothing of it stays")

    def test_colours_on_a_terminal_and_none_where_they_are_refused(self):
        path = self.two_checkpoints()
        self.assertRegex(self.on_terminal("run", path), r"\x1b\[32m")
        for refused in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
            self.assertNotRegex(self.on_terminal("run", path, **refused), COLOUR)
        self.assertRegex(self.on_terminal("run", path, NO_COLOR=""), COLOUR, "an empty NO_COLOR refuses nothing (no-color.org)")

    def test_a_terminal_that_cannot_rewrite_gets_no_sequences(self):
        self.assertNotIn("\x1b", self.on_terminal("run", self.two_checkpoints(), TERM="dumb"))

    def test_a_narrow_terminal_does_not_wrap_the_line_and_shows_what_is_left(self):
        path = self.write("long.runbook", "runbook: long\ncheckpoints:\n  - id: a-checkpoint-with-a-long-name-indeed\n    checks: [answers.sleep: {time: 100ms}]\n")
        drawn = self.drawn(self.on_terminal("run", path, columns=40))
        self.assertTrue(drawn)
        for line in drawn:
            self.assertLess(len(line), 40, "the last column stays free: some terminals wrap when it is written")
            self.assertRegex(line, r"\.\.\. \(\d+ s, 0 left\)$")
        wide = self.drawn(self.on_terminal("run", path, columns=80))
        self.assertIn("   a-checkpoint-with-a-long-name-indeed: answers.sleep (0 s, 0 left)", wide, "where there is room, nothing is cut")

    def test_plain_lines_elsewhere_say_what_is_left(self):
        path = self.two_checkpoints()
        done = self.diag("run", path, "--verbose")
        self.assertNotIn("\x1b", done.stderr)
        self.assertNotIn("\r", done.stderr)
        self.assertEqual(done.stderr.splitlines(), ["first: answers.sleep (0 s, checkpoint 1 of 2, 2 checks left)",
                                                    "first: answers.pass (0 s, checkpoint 1 of 2, 1 check left)",
                                                    "second: answers.pass (0 s, checkpoint 2 of 2, 0 checks left)"])
        self.assertEqual(self.diag("run", path, "--verbose", "--only", "second").stderr,
                         "second: answers.pass (0 s, checkpoint 1 of 1, 0 checks left)\n", "what was not asked for is not left")

    def test_what_a_check_says_of_itself_comes_with_what_is_left(self):
        said = f"answers.meet: {{folder: {self.folder}, count: 1}}"
        self.assertRegex(self.diag("run", self.runbook(said, "answers.pass: {}")).stderr,
                         r"one: answers.meet \(\d+ s, checkpoint 1 of 1, 1 check left\) waits for the others")
        words = ("check", "answers.meet", f"folder={self.folder}", "count=1")
        self.assertRegex(self.diag(*words).stderr, r"check: answers.meet \(\d+ s\) waits for the others", "a single check leaves nothing")


if __name__ == "__main__":
    harness.main()
