"""Every fault of the lab, as a person would rehearse it: the shipped runbook stops at the right checkpoint with the
right cause and exit status; every twin looks alike and does not."""
import json, os, subprocess, unittest

import harness


@unittest.skipUnless(harness.ROOT, "the lab needs root")
class Faults(harness.Diag):
    def lab(self, *words):
        done = subprocess.run([harness.DIAG, "lab", *words], env=self.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, f"diag lab {' '.join(words)}: {done.stdout}{done.stderr}")
        return done.stdout

    def bringup(self):
        done = subprocess.run([harness.DIAG, "lab", "exec", "a", "--", harness.DIAG, "run", "bringup", "--format", "json"], env=self.env,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=300)
        self.assertTrue(done.stdout, done.stderr)
        return json.loads(done.stdout), done.returncode

    @staticmethod
    def causes(document):
        return [(checkpoint["id"], check["cause"], check["reason"]) for checkpoint in document["checkpoints"] for row in checkpoint["rows"] for check in row["checks"]
                if check["outcome"] in ("fail", "not_run", "warn")]

    def healthy(self, when):
        document, status = self.bringup()
        self.assertEqual(status, 0, f"{when}: {self.causes(document)}")
        self.assertTrue(document["lab"])

    def test_every_fault_and_every_twin(self):
        faults = json.loads(self.lab("faults", "--format", "json"))
        self.lab("up")
        self.addCleanup(self.lab, "down")
        self.healthy("before anything was broken")
        for fault in faults:
            with self.subTest(fault=fault["name"]):
                self.lab("break", fault["name"])
                document, status = self.bringup()
                found = self.causes(document)
                if fault.get("twin"):
                    self.assertIn(status, (0, 1), found)
                    self.assertNotIn(fault.get("not_cause"), [cause for _, cause, _ in found])
                else:
                    first = next((c["id"] for c in document["checkpoints"] if c["outcome"] in ("fail", "not_run")), None)
                    self.assertEqual((first, status), (fault["checkpoint"], 2), found)
                    self.assertIn(fault["cause"], [cause for _, cause, _ in found])
                self.lab("mend")
        self.healthy("after everything was mended")


@unittest.skipUnless(harness.ROOT, "the lab needs root")
class Leftovers(harness.Diag):
    def test_down_leaves_nothing(self):
        for words in (["up"], ["down"]):
            subprocess.run([harness.DIAG, "lab", *words], env=self.env, check=True, stdout=subprocess.DEVNULL)
        namespaces = subprocess.run(["ip", "netns", "list"], stdout=subprocess.PIPE, text=True).stdout
        self.assertNotIn("diag-lab", namespaces)
        self.assertFalse(os.path.exists("/run/diag-lab"))
        self.assertEqual([n for n in (os.listdir("/etc/netns") if os.path.isdir("/etc/netns") else []) if n.startswith("diag-lab")], [])


if __name__ == "__main__":
    harness.main()
