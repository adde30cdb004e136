"""A run stopped by a reboot and by power cuts, on a machine with a real disk and a real boot id, and resumed by hand."""
import json, os, random, time

from cluster import LONG, SHORT, VmTest, wait_for

STATE = "/var/lib/diag"
CUTS = 20 if LONG else 3
# What is asked here is what a record keeps, not how fast an emulated adapter is beside whatever else the host does.
SETTINGS = (*SHORT, "--set", "floor=1%")


class Interrupted(VmTest):
    whole = None  # an uninterrupted run's document and how long it took, the same for all tests

    def setUp(self):
        super().setUp()
        if not self.whole:
            began = time.monotonic()
            type(self).whole = self.healthy(self.a, *SETTINGS[len(SHORT):]), time.monotonic() - began

    def newest(self):
        """The folder of the newest record, or None."""
        names = self.a.run("sh", "-c", f"ls -1t {STATE}/records 2>/dev/null").stdout.split()
        return f"{STATE}/records/{names[0]}" if names else None

    def events(self, record):
        """The journal's whole lines."""
        text = self.a.run("cat", f"{record}/journal.jsonl", check=False).stdout
        return [json.loads(line) for line in text.splitlines(keepends=True) if line.endswith("\n")]

    def nothing_is_without_evidence(self, record):
        verified = self.a.run("diag", "verify", record, check=False)
        self.assertEqual(verified.returncode, 0, verified.stdout)
        kept = {path for event in self.events(record) if event["event"] == "verdict" for path in (e["path"] for e in event["evidence"])}
        there = self.a.run("sh", "-c", 'cd "$1" && find evidence -type f', "sh", record).stdout.split()
        self.assertEqual(kept - set(there), set())

    def same_end(self, document, whole):
        outcomes = [[(i, c["check"], c["outcome"], c["cause"]) for i, c in self.checks(d)] for d in (document, whole)]
        self.assertEqual(*outcomes)

    def resumed(self, record, boots):
        document, status = self.diag(self.a, "resume", record)
        self.assertEqual((status, document["state"]), (0, "passed"), self.told(document))
        self.nothing_is_without_evidence(record)
        self.assertEqual(len({event["boot"] for event in self.events(record)}), boots)
        return document

    def test_a_reboot_in_the_middle(self):
        whole, _ = self.whole
        run = self.a.begin("diag", "run", "bringup", *SETTINGS)
        wait_for(lambda: "bulk" in [e.get("checkpoint") for e in self.events(self.newest())] and self.newest() != whole["record"])
        self.a.reboot()
        run.communicate()
        record = self.newest()
        self.assertEqual(self.events(record)[-1]["event"], "interrupted", "the run was told to stop, and wrote so")
        self.same_end(self.resumed(record, boots=2), whole)

    def test_power_cuts_at_random_instants(self):
        whole, lasts = self.whole
        seed = int.from_bytes(os.urandom(4), "big")
        instants, done = random.Random(seed), 0
        for cut in range(3 * CUTS):
            if done == CUTS:
                break
            with self.subTest(cut=cut, seed=seed):
                before = self.newest()
                run = self.a.begin("diag", "run", "bringup", *SETTINGS)
                time.sleep(instants.uniform(0, lasts))
                self.a.cut()
                run.communicate()
                self.a.start()
                record = self.newest()
                events = self.events(record) if record and record != before else []
                if not events or events[-1]["event"] == "run-end":
                    continue  # the power went before the first line, or after the last
                self.same_end(self.resumed(record, boots=2), whole)
                done += 1
        self.assertEqual(done, CUTS, "too few of the cuts came between a record's first line and its last")
