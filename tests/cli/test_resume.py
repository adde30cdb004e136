"""diag resume from outside: what a run that was stopped, by anything, goes on with, and what it never invents."""
import hashlib, json, os, random, shutil, signal, subprocess, time, unittest

import harness


def without(document, keys):
    """A document without what may differ between a run and its resume."""
    if isinstance(document, dict):
        return {k: without(v, keys) for k, v in document.items() if k not in keys}
    return [without(v, keys) for v in document] if isinstance(document, list) else document


# The identity of the record, clocks, and how often it was tried; everything else must be equal.
INCIDENTAL = {"record", "attempt", "seconds", "reused", "resumed", "changed", "evidence"}


class Planned(harness.Diag):
    def setUp(self):
        super().setUp()
        self.ran, self.fact, self.file = (f"{self.folder}/{name}" for name in ("ran", "fact", "file"))
        for path, text in ((self.ran, ""), (self.fact, "eth0"), (self.file, "good")):
            with open(path, "w") as out:
                out.write(text)

    def put(self, path, text):
        with open(path, "w") as out:
            out.write(text)

    def times_run(self):
        with open(self.ran) as f:
            return len(f.read())

    def plan(self, last="answers.content: {file: %s}", more=""):
        costly = f"answers.costly: {{ran: {self.ran}, fact: {self.fact}}}"
        last = last % self.file if "%s" in last else last
        return self.write("plan.runbook", f"runbook: plan\n{more}checkpoints:\n  - id: first\n    checks:\n      - answers.kept: {{size: 2KB}}\n"
                          f"      - answers.pass: {{}}\n  - id: bulk\n    checks:\n      - {costly}\n  - id: last\n    checks:\n      - {last}\n      - answers.kept: {{}}\n")

    def evidence_is_whole(self):
        self.assertEqual(self.diag("verify").returncode, 0)
        for event in self.events():
            if event["event"] == "verdict":
                self.assertTrue(event["evidence"] or event["check"] == "answers.pass", event)
                for kept in event["evidence"]:
                    self.assertIn(f"/{event['reused']['attempt'] if 'reused' in event else event['attempt']}/", kept["path"])

    def wait_for(self, holds):
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            try:
                if holds():
                    return
            except (OSError, ValueError):
                pass
            time.sleep(0.01)
        self.fail("it never came")


class Resume(Planned):
    def test_a_failed_run_goes_on_after_the_fault_is_mended_and_stays_failed_before(self):
        self.put(self.file, "bad")
        first = self.diag("run", self.plan())
        self.assertEqual(first.returncode, 2)
        self.assertIn("diag resume", first.stdout)
        again, status = self.json("resume")
        self.assertEqual((status, again["state"]), (2, "failed"))
        self.assertEqual(self.times_run(), 1, "the costly pass was reused")
        self.put(self.file, "good")
        mended, status = self.json("resume")
        self.assertEqual((status, mended["state"], mended["resumed"]), (0, "passed", 2))
        self.assertEqual([c["attempt"] for c in mended["checkpoints"]], [3, 3, 3])
        self.assertEqual([c["reused"] for c in mended["checkpoints"]], [False, True, False])
        self.assertEqual(self.times_run(), 1)
        self.evidence_is_whole()
        old = [e for e in self.events() if e["event"] == "verdict" and e["outcome"] == "fail"]
        self.assertEqual(len(old), 2, "the failures stay in the record")

    def test_a_fact_that_changed_makes_the_check_run_again_and_is_named(self):
        self.put(self.file, "bad")
        self.diag("run", self.plan())
        self.put(self.fact, "eth1")
        done = self.diag("resume")
        self.assertEqual(self.times_run(), 2)
        self.assertIn("ran again: answers.costly: port was eth0, is eth1", done.stdout)
        os.unlink(self.fact)
        document, status = self.json("resume")
        self.assertEqual(status, 3, "without its fact the check cannot tell")
        bulk = document["checkpoints"][1]["rows"][0]["checks"][0]
        self.assertEqual(bulk["changed"], ["its facts cannot be told now"])

    def test_a_fact_that_was_not_told_is_noted_at_once_and_nothing_is_reused(self):
        self.put(self.file, "bad")
        self.put(self.fact, "\n")
        document, _ = self.json("run", self.plan())
        self.assertIn("it did not tell 'port'", " ".join(document["checkpoints"][1]["rows"][0]["checks"][0]["notes"]))
        document, _ = self.json("resume")
        self.assertEqual(document["checkpoints"][1]["rows"][0]["checks"][0]["changed"], ["it did not tell 'port'"])
        self.assertEqual(self.times_run(), 2)

    def test_an_unchanged_fact_is_reused_with_its_age_and_its_evidence(self):
        self.put(self.file, "bad")
        self.diag("run", self.plan())
        text = self.diag("resume").stdout
        self.assertRegex(text, r"reused: answers.costly, measured (.* ago|just now)")
        reused = [e for e in self.events() if e.get("reused")]
        self.assertEqual([e["reused"]["attempt"] for e in reused], [1])
        self.assertTrue(reused[0]["evidence"][0]["path"].startswith("evidence/bulk/1/"))

    def test_a_changed_runbook_is_said_and_used(self):
        self.put(self.file, "bad")
        path = self.plan()
        self.diag("run", path)
        self.plan(last="answers.pass: {where: elsewhere}")
        document, status = self.json("resume")
        self.assertEqual(status, 0)
        self.assertIn(f"the runbook {path} has changed", document["changed"])
        self.assertEqual(document["checkpoints"][2]["rows"][0]["checks"][0]["check"], "answers.pass")
        self.assertTrue(document["checkpoints"][1]["reused"])

    def test_a_failed_checkpoint_that_is_not_in_the_runbook_any_more_stays_failed(self):
        self.put(self.file, "bad")
        path = self.plan()
        self.diag("run", path)
        with open(path) as f:
            whole = f.read()
        self.write("plan.runbook", whole[:whole.index("  - id: last")])
        done = self.diag("resume")
        self.assertEqual(done.returncode, 64, done.stdout)
        self.assertIn("checkpoint 'last' failed in this record", done.stderr)
        self.assertEqual(self.json("show")[0]["state"], "failed")
        # Twin: one that had passed may go.
        self.put(self.file, "good")
        self.write("plan.runbook", whole[:whole.index("  - id: first")] + whole[whole.index("  - id: bulk"):])
        self.assertEqual(self.diag("resume").returncode, 0)

    def test_a_failed_row_that_the_site_file_has_no_more_stays_failed(self):
        site = "machines:\n  node-a: {name: a}\nplaces: [%s]\n"
        path = self.write("rows.runbook", 'runbook: rows\ncheckpoints:\n  - id: one\n    each: places\n    checks:\n      - answers.content: {file: "${item}"}\n')
        self.put(self.file, "bad")
        files = self.write("site.yaml", site % f"{self.file}, {self.folder}/other")
        self.put(f"{self.folder}/other", "good")
        self.assertEqual(self.diag("run", path, "--site", files, "--machine", "node-a").returncode, 2)
        self.write("site.yaml", site % f"{self.folder}/other")
        done = self.diag("resume")
        self.assertEqual(done.returncode, 64, done.stdout)
        self.assertIn(f"row '{self.file}' of checkpoint 'one' failed in this record", done.stderr)
        self.put(self.file, "good")
        self.write("site.yaml", site % self.file)  # the twin: the row that had passed is gone
        self.assertEqual(self.diag("resume").returncode, 0)

    def test_another_build_of_the_plugin_is_no_reuse(self):
        plugins = f"{self.folder}/plugins"
        shutil.copytree(harness.PLUGINS, plugins)
        self.put(self.file, "bad")
        self.diag("run", self.plan(), "--plugins", plugins)
        with open(f"{plugins}/answers.so", "ab") as out:
            out.write(b"another")
        document, _ = self.json("resume", "--plugins", plugins)
        self.assertRegex(document["checkpoints"][1]["rows"][0]["checks"][0]["changed"][0], "^plugin was [0-9a-f]{12}, is [0-9a-f]{12}$")
        self.assertEqual(self.times_run(), 2)

    def test_changed_parameters_are_no_reuse(self):
        self.put(self.file, "bad")
        self.diag("run", self.plan())
        other = f"{self.folder}/ran2"
        self.plan()
        with open(f"{self.folder}/plan.runbook") as f:
            text = f.read().replace(self.ran, other)
        self.write("plan.runbook", text)
        document, _ = self.json("resume")
        self.assertEqual(document["checkpoints"][1]["rows"][0]["checks"][0]["changed"], [f"ran was {self.ran}, is {other}"])
        self.assertTrue(os.path.exists(other))

    def test_a_runbook_that_is_gone_is_read_from_the_record(self):
        self.put(self.file, "bad")
        path = self.plan()
        self.diag("run", path)
        os.unlink(path)
        self.put(self.file, "good")
        done = self.diag("resume")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("is not there any more; the record's copy of it is used", done.stdout.replace("\n            ", " "))

    def test_a_changed_site_file_is_said_and_used(self):
        site = self.write("site.yaml", "machines:\n  node-a: {place: bad}\n")
        path = self.write("s.runbook", 'runbook: s\ncheckpoints:\n  - id: one\n    each: machine\n    checks: [answers.content: {file: "${machine.place}"}]\n')
        self.put(self.file, "good")
        self.assertEqual(self.diag("run", path, "--site", site, "--machine", "node-a").returncode, 2)
        self.write("site.yaml", f"machines:\n  node-a: {{place: {self.file}}}\n")
        document, status = self.json("resume", "--machine", "node-a")
        self.assertEqual(status, 0)
        self.assertIn(f"the site file {site} has changed", document["changed"])

    def test_another_machine_is_refused(self):
        site = self.write("site.yaml", "machines:\n  node-a: {}\n  node-b: {}\n")
        self.diag("run", self.runbook("answers.fail: {}"), "--site", site, "--machine", "node-a")
        done = self.diag("resume", "--machine", "node-b")
        self.assertEqual(done.returncode, 64)
        self.assertIn("node-a", done.stderr)

    def test_a_passed_run_has_nothing_to_resume_and_keeps_its_exit_status(self):
        self.diag("run", self.runbook("answers.warn: {}"))
        lines = len(self.events())
        done = self.diag("resume")
        self.assertEqual(done.returncode, 1)
        self.assertIn("nothing is left to resume", done.stderr)
        self.assertEqual(len(self.events()), lines)

    def test_a_single_check_and_a_damaged_record_are_refused(self):
        self.diag("check", "answers.fail", "--keep")
        self.assertEqual(self.diag("resume").returncode, 64)
        self.diag("run", self.plan(last="answers.fail: {}"))
        kept = next(e for e in self.events() if e["event"] == "verdict" and e["evidence"])["evidence"][0]["path"]
        self.put(f"{self.last_record()}/{kept}", "something else")
        done = self.diag("resume")
        self.assertEqual(done.returncode, 3)
        self.assertIn("cannot be resumed", done.stderr)
        journal = f"{self.last_record()}/journal.jsonl"
        with open(journal) as f:
            text = f.read()
        self.put(journal, text.replace('"attempt":1', '"attempt":7', 1))
        self.assertEqual(self.diag("resume").returncode, 3)

    def test_a_captured_tree_is_said_and_never_mixed_with_the_machine(self):
        tree, other = f"{self.folder}/tree", f"{self.folder}/other"
        os.mkdir(tree), os.mkdir(other)
        path = self.plan(last="answers.fail: {}")
        self.assertIn(f"CAPTURED TREE {tree}", self.diag("run", path, "--root", tree).stdout)
        document, _ = self.json("resume")
        self.assertEqual(document["root"], tree, "what is not given again is as it was")
        self.assertEqual(self.diag("resume", "--root", other).returncode, 64)
        os.rmdir(tree)
        self.assertEqual(self.diag("resume").returncode, 64)
        self.diag("run", path)
        self.assertEqual(self.diag("resume", "--root", other).returncode, 64)
        self.assertIn("no such folder", self.diag("run", path, "--root", tree).stderr)

    def test_the_folders_of_plugins_are_remembered(self):
        self.diag("run", self.plan(last="answers.fail: {}"))
        done = subprocess.run([harness.DIAG, "resume"], env=self.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 2, done.stderr)

    def test_only_is_remembered(self):
        self.diag("run", self.plan(last="answers.fail: {}"), "--only", "last")
        document, _ = self.json("resume")
        self.assertEqual([c["reached"] for c in document["checkpoints"]], [False, False, True])

    def test_the_end_of_an_interrupted_run_says_where_it_stood(self):
        run = self.start("run", self.runbook("answers.sleep: {time: 77s}"))
        self.wait_for(lambda: any(e["event"] == "check" for e in self.events()))
        run.send_signal(signal.SIGINT)
        out, _ = run.communicate(timeout=30)
        self.assertIn("interrupted in one, c0", out)
        self.assertIn("diag resume", out)


class Killed(Planned):
    """Killed at random instants, each resumed: the end equals that of an uninterrupted run."""
    KILLS = 200

    def test_killed_anywhere_and_resumed(self):
        path = self.plan()
        began = time.monotonic()
        whole, status = self.json("run", path)
        lasts = time.monotonic() - began
        self.assertEqual(status, 0)
        seed = int.from_bytes(os.urandom(4), "big")
        instants = random.Random(seed)
        cut_off = 0
        for kill in range(10 * self.KILLS):
            if cut_off == self.KILLS:
                break
            with self.subTest(kill=kill, seed=seed):
                before = set(os.listdir(f"{self.state}/records"))
                run = subprocess.Popen(self.argv("run", path), env=self.env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                time.sleep(instants.uniform(0, lasts))
                run.kill()
                # The first run may have been slow, or this one on a busy machine: the instants follow what is seen.
                lasts *= 0.97 if run.wait() == 0 else 1.01
                if not set(os.listdir(f"{self.state}/records")) - before:
                    continue  # not even begun: there is no record to resume
                cut_off += self.resumed_equals(whole)
        self.assertEqual(cut_off, self.KILLS, "too few of the kills came between a record's first line and its last")

    def resumed_equals(self, whole):
        """Whether the newest run was really cut off, between its first line and its last."""
        newest = max((os.path.join(f"{self.state}/records", r) for r in os.listdir(f"{self.state}/records")), key=os.path.getctime)
        journal = f"{newest}/journal.jsonl"
        if not self.begun(journal):
            done = self.diag("resume", newest)
            self.assertEqual(done.returncode, 3, done.stderr)  # no run was recorded; that is said, and nothing invented
            return False
        before, kept_before = self.verdicts(newest), self.evidence(newest)
        document, status = self.json("resume", newest)
        self.assertEqual(status, 0)
        self.assertEqual(without(document, INCIDENTAL), without(whole, INCIDENTAL))
        self.assertEqual(self.verdicts(newest)[:len(before)], before, "what was recorded stays")
        self.assertEqual(self.diag("verify", newest).returncode, 0)
        self.no_evidence_folder_is_written_twice(kept_before, self.evidence(newest))
        for event in self.verdicts(newest):
            for kept in event["evidence"]:
                self.assertTrue(os.path.isfile(f"{newest}/{kept['path']}"))
                at = event["reused"]["attempt"] if "reused" in event else event["attempt"]
                self.assertIn(f"/{at}/", kept["path"], "it stands in its own attempt's folder")
        return document["resumed"] == 1

    @staticmethod
    def evidence(record):
        """{(checkpoint, attempt, the rest of the path): what a write would change} of all that is kept, folders too."""
        found = {}
        for folder, folders, files in os.walk(f"{record}/evidence"):
            for name in folders + files:
                path = os.path.join(folder, name)
                parts = os.path.relpath(path, f"{record}/evidence").split("/", 2)
                if len(parts) < 2:
                    continue  # a checkpoint's folder gets one for each attempt
                state, digest = os.stat(path), None
                if name in files:
                    with open(path, "rb") as f:
                        digest = hashlib.sha256(f.read()).hexdigest()
                found[parts[0], int(parts[1]), "".join(parts[2:])] = (state.st_size, state.st_mtime_ns, digest)
        return found

    def no_evidence_folder_is_written_twice(self, before, after):
        self.assertEqual({place: after.get(place) for place in before}, before)
        for checkpoint, attempt, _ in set(after) - set(before):
            self.assertGreater(attempt, max((a for c, a, _ in before if c == checkpoint), default=0), checkpoint)

    @staticmethod
    def begun(journal):
        try:
            with open(journal, "rb") as f:
                return b"\n" in f.read()
        except FileNotFoundError:
            return False

    @staticmethod
    def verdicts(record):
        with open(f"{record}/journal.jsonl") as f:
            lines = [line for line in f if line.endswith("\n")]
        events = []
        for line in lines:
            try:
                events.append(json.loads(line))
            except ValueError:
                break
        return [e for e in events if e["event"] == "verdict"]


if __name__ == "__main__":
    harness.main()
