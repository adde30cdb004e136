"""diag run --plan: the rounds of many machines on a screen or two, and all of them as JSON."""
import unittest

import harness

SITE = """machines:
  n[01-{0:02}]: {{name: "{{machine}}.lan"}}
links:
  - id: data
    {1}members: n[01-{0:02}]
    end: {{name: "{{machine}}-data"}}
"""


class Plan(harness.Diag):
    def words(self, machines, pairs="", *words):
        site = self.write("site.yaml", SITE.format(machines, pairs))
        book = self.write("r.runbook", "runbook: r\ncheckpoints:\n  - id: all\n    each: direction\n    checks:\n      - answers.pass: {where: \"${link.there.name}\"}\n")
        return "run", book, "--site", site, "--machine", "n01", "--plan", *words

    def plan(self, *words):
        return self.diag(*self.words(*words))

    def test_a_few_rows_are_shown_whole_below_their_rounds(self):
        out = self.plan(2).stdout
        self.assertIn("2 rows in 2 rounds", out)
        self.assertIn("   round 1\n   data: n01 -> n02\n      answers.pass where=n02-data\n   round 2\n   data: n02 -> n01\n      answers.pass (on n02) where=n01-data\n", out)

    def test_many_rows_are_folded_and_counted(self):
        done = self.plan(64, "pairs: mesh\n    ")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertLess(done.stdout.count("\n"), 40)
        for part in ("4032 rows in 126 rounds", "and 4029 more rows (--verbose prints them, --format json has them)", "   round 16, 32 rows: data: n",
                     "   rounds 17 to 126: 3520 rows more", "4032 checks"):
            self.assertIn(part, done.stdout)

    def test_verbose_prints_every_row(self):
        out = self.plan(64, "pairs: mesh\n    ", "--verbose").stdout
        self.assertEqual(out.count("answers.pass"), 4032)
        self.assertIn("\n   round 126\n", out)

    def test_a_ring_that_nobody_asked_for_is_said(self):
        self.assertIn("link 'data' has 64 ends: each is measured with its two neighbours only", self.plan(64).stderr)
        self.assertEqual(self.plan(64, "pairs: ring\n    ").stderr, "")

    def test_json_has_every_row_with_its_round_and_no_machine_twice_in_one(self):
        document, _ = self.json(*self.words(64, "pairs: sample 5\n    "))
        rows = document["checkpoints"][0]["rows"]
        self.assertEqual(len(rows), 64 * 5)
        self.assertEqual([row["round"] for row in rows], sorted(row["round"] for row in rows))
        busy = [(row["round"], machine) for row in rows for check in row["checks"] for machine in (check["machine"], check["there"])]
        self.assertEqual(len(busy), len(set(busy)))


if __name__ == "__main__":
    harness.main()
