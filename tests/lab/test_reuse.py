"""diag resume and a costly check of two machines: what was measured stays while the facts of both ends are as they were."""
import json, os, shutil, subprocess

import harness
from test_faults import InLab

BOOK = """runbook: measured
checkpoints:
  - id: bulk
    each: direction
    checks:
      - link.bulk:
          name: "${link.there.name}"
          address: "${link.there.address}"
          interface: "${link.here.interface}"
          seconds: 1s
          floor: 1%
          speed: "${link.speed}"
  - id: last
    checks:
      - answers.content: {file: FILE}
"""
WAYS = ("node-a -> node-b", "node-b -> node-a")


class Reuse(InLab):
    PLUGINS = [word for folder in ("lib/diag/plugins", "tests/plugins/answers") for word in ("--plugins", f"{harness.PREFIX}/{folder}")]

    def setUp(self):
        super().setUp()
        self.lab("up")
        self.addCleanup(self.lab, "down")

    def ask(self, *words):
        """{row of bulk: its verdict}, and the exit status."""
        done = self.at_a(*words)
        self.assertTrue(done.stdout, done.stderr)
        bulk = json.loads(done.stdout)["checkpoints"][0]
        self.assertEqual(bulk["outcome"], "pass", bulk)
        return {row["row"]: row["checks"][0] for row in bulk["rows"]}, done.returncode

    def set_mtu(self, node, interface, mtu):
        subprocess.run(["nsenter", f"--net=/run/netns/diag-lab-{node}", "ip", "link", "set", interface, "mtu", mtu], check=True)

    def reused(self, link, measured, now):
        """With the numbers of the run that measured them, and not as if it had run again."""
        for way in WAYS:
            row = f"{link}: {way}"
            self.assertGreater(now[row]["reused"]["age"], 0, row)
            self.assertEqual(now[row]["measurements"], measured[row]["measurements"])
            self.assertIsNone(now[row].get("changed"), row)

    def measured_again(self, link, now, was, is_now):
        """The end that changed is here for one way, and there for the other."""
        for way, end in zip(WAYS, ("there.mtu", "mtu")):
            row = f"{link}: {way}"
            self.assertIsNone(now[row].get("reused"), row)
            self.assertEqual(now[row]["changed"], [f"{end} was {was}, is {is_now}"], row)

    def test_a_link_whose_far_end_has_changed_is_measured_again_and_the_other_one_is_not(self):
        file = self.write("file", "bad\n")
        first, status = self.ask("run", self.write("measured.runbook", BOOK.replace("FILE", file)), *self.PLUGINS)
        self.assertEqual((status, set(first)), (2, {f"{link}: {way}" for link in ("direct", "house") for way in WAYS}))

        self.set_mtu("b", "house", "1400")
        second, status = self.ask("resume")
        self.assertEqual(status, 2)
        self.reused("direct", first, second)
        self.measured_again("house", second, 1500, 1400)

        self.set_mtu("b", "direct", "8000")
        self.write("file", "good\n")
        third, status = self.ask("resume")
        self.assertEqual(status, 0)
        self.reused("house", second, third)
        self.measured_again("direct", third, 9000, 8000)

        text = subprocess.run([harness.DIAG, "show", "--state", self.state], env=self.env, stdout=subprocess.PIPE, text=True, check=True).stdout
        self.assertRegex(text, r"reused: link\.bulk, house: node-a -> node-b, measured ")
        self.assertIn("there.mtu was 9000, is 8000", text)

    def test_another_plugin_at_the_far_end_is_no_reuse_and_a_full_notebook_takes_no_report_away(self):
        file = self.write("file", "bad\n")
        full = ("--labbook", "/dev/full")
        first, status = self.ask("run", self.write("measured.runbook", BOOK.replace("FILE", file)), *self.PLUGINS, *full)
        self.assertEqual(status, 2, "what failed is worse than a notebook that was not written")
        other = f"{self.folder}/other"
        for part in os.listdir(harness.PREFIX):
            if part in ("bin", "lib", "libexec", "share"):
                shutil.copytree(f"{harness.PREFIX}/{part}", f"{other}/{part}")
        with open(f"{other}/lib/diag/plugins/link.so", "ab") as out:
            out.write(b"another")
        with open("/run/diag-lab/nodes/node-b/.bashrc", "w") as out:
            out.write(f"PATH={other}/bin:$PATH\n")
        self.write("file", "good\n")
        done = self.at_a("resume", *full)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("the notebook was not written: /dev/full", done.stderr)
        for row in json.loads(done.stdout)["checkpoints"][0]["rows"]:
            end = "there.plugin" if row["row"].endswith(WAYS[0]) else "plugin"
            self.assertRegex(row["checks"][0]["changed"][0], f"^{end} was [0-9a-f]{{12}}, is [0-9a-f]{{12}}$")


if __name__ == "__main__":
    harness.main()
