"""show, list, verify, prune from outside; a full disk; a read-only record."""
import ctypes, json, os, resource, subprocess, time, unittest, xml.etree.ElementTree

import harness

CLONE_NEWNS = 0x00020000


def in_private_mounts(mount_argv):
    """A preexec function: a mount namespace of its own, with one more mount; gone with the process."""
    def enter():
        if ctypes.CDLL(None, use_errno=True).unshare(CLONE_NEWNS) != 0:
            os._exit(99)
        subprocess.run(["mount", "--make-rprivate", "/"], check=True)
        subprocess.run(mount_argv, check=True)
    return enter


class Records(harness.Diag):
    def test_show_tells_what_run_told(self):
        done = self.diag("run", self.runbook("answers.fail: {}"))
        shown = self.diag("show")
        self.assertEqual(shown.returncode, 0)
        for line in done.stdout.splitlines():
            if "answers.small" in line or "not reached" in line:
                self.assertIn(line, shown.stdout)

    def test_junit_is_xml_with_every_outcome_in_its_place(self):
        path = self.write("ci.runbook", """runbook: ci
on_failure: continue
checkpoints:
  - {id: good, checks: [answers.pass: {}, answers.warn: {}, answers.skip: {}]}
  - {id: bad, title: What breaks, checks: [answers.escapes: {}]}
  - {id: broken, checks: [answers.fail: {}]}
  - {id: late, checks: [{answers.late: {}, timeout: 200ms}]}
""")
        ran, shown = self.diag("run", path, "--format", "junit"), self.diag("show", "--format", "junit")
        self.assertEqual((ran.returncode, shown.returncode), (2, 0), ran.stderr)
        self.assertEqual(ran.stdout, shown.stdout)
        self.assertNotIn("\x1b", ran.stdout)
        root = xml.etree.ElementTree.fromstring(ran.stdout)
        for suite in root:
            cases = suite.findall("testcase")
            self.assertEqual([int(suite.get(k)) for k in ("tests", "failures", "errors", "skipped")],
                             [len(cases)] + [sum(c.find(tag) is not None for c in cases) for tag in ("failure", "error", "skipped")])
        kinds = {c.get("name"): c[0].tag for c in root.iter("testcase")}
        self.assertEqual([kinds["answers." + name] for name in ("pass", "warn", "skip", "fail", "late")], ["system-out", "system-out", "skipped", "failure", "error"])
        self.assertEqual([s.get("name") for s in root], ["good", "bad", "broken", "late"])
        self.assertRegex(root[0].get("timestamp"), r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$")
        self.assertEqual(root.find("testsuite[@name='broken']/testcase/failure").get("type"), "answers.small")

    def test_junit_shows_what_was_not_reached_as_skipped(self):
        path = self.write("two.runbook", "runbook: two\ncheckpoints:\n  - id: a\n    checks: [answers.fail: {}]\n  - id: b\n    checks: [answers.pass: {}]\n")
        root = xml.etree.ElementTree.fromstring(self.diag("run", path, "--format", "junit").stdout)
        self.assertEqual(root.find("testsuite[@name='b']/testcase/skipped").get("message"), "not reached")
        self.assertEqual(self.diag("list", "--format", "junit").returncode, 64)

    def test_list_and_prune(self):
        self.assertIn("no records", self.diag("list").stdout)
        path = self.runbook("answers.pass: {}")
        for _ in range(3):
            self.diag("run", path)
        self.assertEqual(len(self.json("list")[0]), 3)
        self.assertEqual(self.diag("prune").returncode, 64)
        self.diag("prune", "--keep", "1", "--dry-run")
        self.assertEqual(len(self.json("list")[0]), 3)
        self.diag("prune", "--keep", "1")
        self.assertEqual(len(self.json("list")[0]), 1)

    def test_prune_in_json_and_down_to_none(self):
        path = self.runbook("answers.pass: {}")
        for _ in range(2):
            self.diag("run", path)
        ids = {record["record"] for record in self.json("list")[0]}
        would, status = self.json("prune", "--keep", "0", "--dry-run")
        self.assertEqual((set(would["records"]), would["dry_run"], status), (ids, True, 0))
        self.assertGreater(would["bytes"], 0)
        self.assertEqual(self.json("prune", "--keep", "5")[0]["records"], [])
        self.assertEqual(self.diag("prune", "--keep", "-1").returncode, 64)
        self.assertEqual(len(self.json("list")[0]), 2, "nothing has gone so far")
        self.assertEqual(set(self.json("prune", "--keep", "0")[0]["records"]), ids)
        self.assertEqual(self.json("list")[0], [])

    def test_list_says_what_passed_with_warnings_and_what_was_never_judged(self):
        for checks, said, worst in ((["answers.pass: {}"], "passed", "pass"), (["answers.warn: {}", "answers.pass: {}"], "passed, 1 warning", "warn"),
                                    (["answers.warn: {}", "answers.warn: {}"], "passed, 2 warnings", "warn"),
                                    (["answers.skip: {}"], "passed, all skipped", "skip"), (["answers.skip: {}", "answers.pass: {}"], "passed", "pass"),
                                    (["answers.fail: {}"], "failed", "fail")):
            with self.subTest(checks=checks):
                self.diag("run", self.runbook(*checks))
                self.assertRegex(self.diag("list").stdout.splitlines()[0], rf"^trial-\S+ +{said} +\d{{4}}-")
                self.assertEqual(self.json("list")[0][0]["worst"], worst)

    def test_a_run_that_goes_on_is_shown_with_its_process_and_one_that_was_killed_is_to_be_resumed(self):
        run = self.start("run", self.runbook("answers.sleep: {time: 77s}"))
        self.addCleanup(run.communicate)
        self.addCleanup(run.kill)
        self.wait_for_the_first_check()
        text = self.diag("show").stdout
        self.assertIn(f"running in one, c0, by process {run.pid}\n", text)
        self.assertNotIn("diag resume", text)
        running = self.json("list")[0][0]
        self.assertEqual((running["state"], running["worst"]), ("running", None))
        run.kill()
        run.wait()
        text = self.diag("show").stdout
        self.assertIn("interrupted in one, c0\n", text)
        self.assertIn("Then: diag resume", text)

    def wait_for_the_first_check(self):
        until = time.monotonic() + 10
        while time.monotonic() < until:
            try:
                if any(event["event"] == "check" for event in self.events()):
                    return
            except (OSError, ValueError):
                pass  # not there yet, or in the middle of a line
            time.sleep(0.02)
        self.fail("no check began")

    def test_altered_evidence_is_found(self):
        self.diag("run", self.runbook("answers.fail: {}"))
        self.assertEqual(self.diag("verify").returncode, 0)
        evidence = self.last_record() + "/" + [e for e in self.events() if e["event"] == "verdict"][0]["evidence"][0]["path"]
        with open(evidence, "a") as f:
            f.write("x")
        done = self.diag("verify")
        self.assertEqual(done.returncode, 2)
        self.assertIn("probes", done.stdout)

    def test_an_altered_journal_is_found_and_named(self):
        self.diag("run", self.runbook("answers.fail: {}"))
        path = self.last_record() + "/journal.jsonl"
        with open(path) as f:
            text = f.read()
        with open(path, "w") as f:
            f.write(text.replace('"fail"', '"pass"', 1))
        done = self.diag("verify")
        self.assertEqual(done.returncode, 2)
        self.assertIn("line", done.stdout)

    def damage(self, number):
        """Alters a line of the newest record's journal, from 1."""
        path = self.last_record() + "/journal.jsonl"
        with open(path) as f:
            lines = f.readlines()
        lines[number - 1] = lines[number - 1].replace('"time":"2', '"time":"3', 1)
        with open(path, "w") as f:
            f.writelines(lines)
        return len(lines)

    def test_a_damaged_record_is_shown_as_damaged_and_not_as_one_to_resume(self):
        self.diag("run", self.runbook("answers.pass: {}"))
        self.damage(3)
        shown = self.diag("show")
        self.assertEqual(shown.returncode, 0)
        self.assertIn("damaged: line 3 of the journal does not match its sum", shown.stdout)
        self.assertIn("Then: diag verify " + self.last_record(), shown.stdout)
        self.assertNotIn("resume", shown.stdout)
        document, _ = self.json("show")
        self.assertEqual((document["state"], document["exit"]), ("damaged", 3))
        self.assertIn("line 3", document["problem"])
        self.assertEqual(self.json("list")[0][0]["state"], "damaged")
        open(self.last_record() + "/journal.jsonl", "w").close()
        self.assertIn("no whole line", self.diag("show").stdout)

    def test_a_torn_record_is_one_to_resume(self):
        self.diag("run", self.runbook("answers.fail: {}"))
        with open(self.last_record() + "/journal.jsonl") as f:
            lines = f.readlines()
        with open(self.last_record() + "/journal.jsonl", "w") as f:
            f.writelines(lines[:1] + ["{"])
        document, _ = self.json("show")
        self.assertEqual(document["state"], "interrupted")
        self.assertNotIn("problem", document)
        self.assertIn("Then: diag resume", self.diag("show").stdout)
        self.assertEqual(self.diag("resume").returncode, 2)

    def test_a_run_that_the_disk_stops_names_its_record(self):
        """`last` may lead to another one by then."""
        def bounded():
            resource.setrlimit(resource.RLIMIT_FSIZE, (16384, 16384))
        done = self.diag("run", self.runbook("answers.kept: {size: 40KB}"), preexec_fn=bounded)
        self.assertEqual(done.returncode, 3, done.stdout)
        self.assertIn("File too large", done.stderr)
        self.assertIn("diag resume " + self.last_record(), done.stderr)
        self.assertIn("ulimit -f", done.stderr)
        self.assertEqual(self.diag("resume", self.last_record()).returncode, 0)

    @unittest.skipUnless(harness.OWN_MOUNTS, "a mount of its own needs root, and a / that is a mount point")
    def test_a_run_that_could_not_be_recorded_at_all_promises_no_resume(self):
        os.mkdir(self.state)
        mount = ["mount", "-t", "tmpfs", "-o", "size=8k,mode=0755", "tmpfs", self.state]
        done = self.diag("run", self.runbook("answers.pass: {}"), preexec_fn=in_private_mounts(mount))
        self.assertEqual(done.returncode, 3, done.stdout)
        self.assertIn("No space left", done.stderr)
        self.assertNotIn("resume", done.stderr)

    def test_nothing_stays_of_a_last_that_cannot_be_written(self):
        path = self.runbook("answers.pass: {}")
        os.makedirs(self.state + "/last")
        done = self.diag("run", path)
        self.assertEqual(done.returncode, 3)
        self.assertIn("last: could not be replaced", done.stderr)
        self.assertEqual(sorted(os.listdir(self.state)), ["last", "records"])
        self.assertEqual(os.listdir(self.state + "/records"), [])
        os.rmdir(self.state + "/last")
        self.assertEqual(self.diag("run", path).returncode, 0)

    def test_an_unknown_record_is_a_clear_error(self):
        self.diag("run", self.runbook("answers.pass: {}"))
        done = self.diag("show", "trial-nope")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("trial", done.stderr)

    @unittest.skipUnless(harness.OWN_MOUNTS, "a mount of its own needs root, and a / that is a mount point")
    def test_a_full_disk_stops_the_run_with_a_clear_error_and_a_good_record_that_resumes_once_there_is_space(self):
        os.mkdir(self.state)
        path = self.runbook("answers.kept: {size: 40KB}", "answers.kept: {size: 900KB}", "answers.pass: {}")
        mount = ["mount", "-t", "tmpfs", "-o", "size=256k,mode=0755", "tmpfs", self.state]
        steps = [self.argv("run", path), self.argv("verify"), self.argv("resume"), self.argv("verify"), ["mount", "-o", "remount,size=4m", self.state],
                 self.argv("resume", "--format", "json"), self.argv("verify")]
        inside = ("import json, subprocess\nsteps = [subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) "
                  f"for words in {steps!r}]\nprint(json.dumps([[s.returncode, s.stdout, s.stderr] for s in steps]))")
        done = subprocess.run(["python3", "-c", inside], env=self.env, stdout=subprocess.PIPE, text=True, preexec_fn=in_private_mounts(mount), check=True)
        ran = json.loads(done.stdout)
        self.assertEqual([status for status, _, _ in ran], [3, 0, 3, 0, 0, 0, 0], ran)
        self.assertIn("No space left", ran[0][2])
        self.assertIn("No space left", ran[2][2], "still full")
        document = json.loads(ran[5][1])
        self.assertEqual((document["state"], document["checkpoints"][0]["outcome"]), ("passed", "pass"))
        self.assertEqual(len(document["checkpoints"][0]["rows"][0]["checks"]), 3)

    def test_a_record_in_use_is_not_resumed_by_a_second_process_which_is_told_by_whom(self):
        run = self.start("run", self.runbook("answers.sleep: {time: 77s}"))
        self.addCleanup(run.communicate)
        self.addCleanup(run.kill)
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline and not (os.path.exists(f"{self.state}/last") and len(self.events()) > 2):
            time.sleep(0.02)
        done = self.diag("resume")
        self.assertEqual(done.returncode, 3, done.stdout)
        self.assertIn(f"in use by process {run.pid};", done.stderr)
        self.assertIsNone(run.poll(), "the first one goes on")
        self.assertEqual([e["event"] for e in self.events() if e["event"] == "resume"], [])
        run.kill()
        run.wait()
        self.runbook("answers.pass: {}")
        self.assertEqual(self.diag("resume").returncode, 0, "the lock is gone with its holder")

    @unittest.skipUnless(harness.OWN_MOUNTS, "a mount of its own needs root, and a / that is a mount point")
    def test_a_read_only_record_can_be_shown_and_not_written(self):
        path = self.runbook("answers.pass: {}")
        self.diag("run", path)
        bind = ["sh", "-c", 'mount --bind "$1" "$1" && mount -o remount,bind,ro "$1"', "sh", self.state]
        for words, status in ((("show",), 0), (("verify",), 0), (("run", path), 3)):
            done = subprocess.run(self.argv(*words), env=self.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=in_private_mounts(bind))
            self.assertEqual(done.returncode, status, done.stderr)
        self.assertIn("Read-only", done.stderr)


if __name__ == "__main__":
    harness.main()
