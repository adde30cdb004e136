"""The sheet, the topology and the notebook from outside: rows and cells, what a hostile name may do, what is appended to what."""
import csv, hashlib, io, json, os, re, unittest

import harness

SITE = """machines:
  node-a: {name: node-a.home.arpa, roles: [storage]}
  node-b: {name: node-b.home.arpa}
links:
  - id: direct
    mtu: 9000
    ends:
      node-a: {interface: "=cmd|x", name: a-direct.home.arpa, address: 10.10.0.11}
      node-b: {interface: eth1, name: b-direct.home.arpa, address: 10.10.0.12}
  - id: house
    management: true
    ends:
      node-a: {interface: eth0, name: node-a.home.arpa}
      node-b: {interface: eth0, name: node-b.home.arpa}
"""
RUNBOOK = """runbook: trial
on_failure: continue
checkpoints:
  - id: one
    each: link
    checks:
      - answers.skip: {}
      - answers.fail: {where: "-1+2"}
"""


class Sheet(harness.Diag):
    def setUp(self):
        super().setUp()
        self.site = self.write("site.yaml", SITE)
        self.book = self.write("trial.runbook", RUNBOOK)

    def run_it(self, form):
        done = self.diag("run", self.book, "--site", self.site, "--machine", "node-a", "--format", form)
        self.assertEqual(done.returncode, 2, done.stderr)
        return done.stdout

    def rows(self, text):
        return list(csv.DictReader(io.StringIO(text, newline=""), strict=True))

    def test_csv_has_a_row_for_each_directed_link_with_networks_apart(self):
        direct, house = self.rows(self.run_it("csv"))
        self.assertEqual((direct["network"], direct["link"], direct["from"], direct["to"]), ("data", "direct", "node-a", "node-b"))
        self.assertEqual((house["network"], house["address"]), ("management", "node-b.home.arpa"))
        self.assertEqual((direct["Size (bytes)"], direct["Gap"], direct["outcome"], direct["cause"]), ("1500", "skipped", "fail", "answers.small"))
        self.assertEqual((direct["address"], direct["interface_there"], direct["real"]), ("10.10.0.12", "eth1", "yes"))

    def test_no_field_is_a_formula_and_no_cell_breaks_its_table(self):
        for row in self.rows(self.run_it("csv")):
            for key, value in row.items():
                self.assertFalse(value.startswith(("=", "+", "-", "@")), f"{key}: {value}")
        table = [line for line in self.diag("show", "--format", "sheet").stdout.splitlines() if line.startswith("|")]
        self.assertEqual(len({len(re.findall(r"(?<!\\)\|", line)) for line in table}), 1, table)
        self.assertIn(r"=cmd\|x", "\n".join(table))

    def test_a_record_is_enough_and_one_without_columns_says_so(self):
        shown = self.run_it("sheet")
        self.assertIn("| 1500 bytes ! |", shown)
        self.assertIn("2 directed links of the site file", shown)
        os.remove(self.site), os.remove(self.book)
        self.assertEqual(self.diag("show", "--format", "sheet").stdout, shown)
        self.forget_columns()
        self.assertIn("intact", self.diag("verify").stdout)
        self.env["DIAG_PLUGINS"] = harness.PLUGINS
        old = self.diag("show", "--format", "sheet")
        self.assertEqual(old.stdout, shown)
        self.assertIn("does not say what its checks measure", old.stderr)

    def forget_columns(self):
        """As a journal was written before there was a sheet."""
        path, prev, lines = self.last_record() + "/journal.jsonl", "", []
        with open(path) as journal:
            for line in journal.read().splitlines():
                line = re.sub(r'"columns":\[.*?\],', "", line)
                line = re.sub(r'"prev":"[0-9a-f]*"', f'"prev":"{prev}"', line, count=1)
                bare = re.sub(r'"sum":"[0-9a-f]{64}",', "", line)
                prev = hashlib.sha256(bare.encode()).hexdigest()
                lines.append(re.sub(r'"sum":"[0-9a-f]{64}"', f'"sum":"{prev}"', line))
        with open(path, "w") as journal:
            journal.write("\n".join(lines) + "\n")

    def topology(self, *words):
        return self.diag("topology", "--site", self.site, "--machine", "node-a", "--plugins", harness.PLUGINS, *words)

    def test_topology_appends_one_whole_line_to_whatever_the_notebook_holds(self):
        book = self.write("labbook.md", "# My notebook\nno end")
        for note in ("first", 'a "quoted": word'):
            done = self.topology("--labbook", book, "--note", note)
            self.assertEqual(done.returncode, 0, done.stderr)
        with open(book) as f:
            lines = f.read().splitlines()
        self.assertEqual(lines[:2], ["# My notebook", "no end"])
        self.assertEqual(sum('"record": "topology"' in line for line in lines), 2)
        record = json.loads(lines[3])
        self.assertEqual((record["machine"], record["roles"], record["peers"]), ("node-a", ["storage"], ["node-b.home.arpa"]))
        self.assertEqual((record["intended_mtu"], record["note"], record["real"]), (9000, 'a "quoted": word', True))
        self.assertIsNone(record["links"]["b-direct.home.arpa"]["forward_bits_per_second"])
        self.assertEqual(record["site_links"]["direct"]["ends"]["node-b"]["state"], "unknown")
        self.assertEqual(json.loads(self.topology("--format", "json").stdout)["record"], "topology")

    def test_topology_says_what_is_not_seen_and_what_is_not_known(self):
        text = self.topology().stdout
        self.assertIn("NOT SEEN", text)
        self.assertIn("unknown: it belongs to node-b", text)
        self.assertEqual(self.topology("--labbook", "/nowhere/book").returncode, 64)


if __name__ == "__main__":
    harness.main()
