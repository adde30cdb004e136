"""Every fault of the lab, as a person would rehearse it: the shipped runbook stops at the right checkpoint with the
right cause and exit status; every twin looks alike and does not."""
import json, os, subprocess, sys, unittest

import harness

# Throughput: short runs, and a floor that a loaded machine still reaches when nothing is broken; hardly any where it is not the subject.
SHORT = ("--set", "seconds=1s", "--set", "floor=40%", "--set", "count=2")
SHORTEST = ("--set", "seconds=1s", "--set", "floor=10%", "--set", "count=2")


@unittest.skipUnless(harness.ROOT, "the lab needs root")
class InLab(harness.Diag):
    def lab(self, *words):
        done = subprocess.run([harness.DIAG, "lab", *words], env=self.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, f"diag lab {' '.join(words)}: {done.stdout}{done.stderr}")
        return done.stdout

    def at_a(self, *words):
        return subprocess.run([harness.DIAG, "lab", "exec", "a", "--", harness.DIAG, *words, "--format", "json"], env=self.env,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=300)

    def bringup(self, words=SHORT):
        done = self.at_a("run", "bringup", *words)
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

    @staticmethod
    def only(cause):
        """The checkpoints that could take a twin for its fault; whole runs of all of them would take a quarter of an hour."""
        at = {"ssh": ["ssh"], "mtu": ["reachability", "ends", "mtu"], "link.bulk": ["bulk"], "peer": ["ends", "mtu"]}
        area = next((a for a in at if cause.startswith(a)), None)
        return [word for checkpoint in at.get(area, ["reachability", "ends"]) for word in ("--only", checkpoint)]

    def shows(self, fault):
        """Breaks it, and sees that the runbook tells it as the table says."""
        self.lab("break", fault["name"])
        about = fault["cause"] or fault["not_cause"]
        words = SHORT if about.startswith("link.bulk") else SHORTEST
        if about == "link.bulk-broken":  # newer iperf3 report no error: what shows is the silence of a whole second
            words = (*words, "--set", "seconds=2s")
        if fault.get("settings"):
            words = (*words, "--set", fault["settings"])
        # Logins touch nothing of what comes before and after them.
        whole = fault["cause"] and not about.startswith("ssh.")
        document, status = self.bringup(words if whole else (*words, *self.only(about)))
        found = self.causes(document)
        if fault.get("warns"):
            self.assertEqual(status, 1, found)
            self.assertIn((fault["checkpoint"], fault["cause"]), [(checkpoint, cause) for checkpoint, cause, _ in found])
        elif fault.get("twin"):
            self.assertIn(status, (0, 1), found)
            self.assertNotIn(fault.get("not_cause"), [cause for _, cause, _ in found])
        else:
            first = next((c["id"] for c in document["checkpoints"] if c["outcome"] in ("fail", "not_run")), None)
            # What cannot be asked because of the peer is not known, and no failed check.
            self.assertEqual((first, status), (fault["checkpoint"], 3 if about.startswith("peer.") else 2), found)
            self.assertIn(fault["cause"], [cause for _, cause, _ in found])

    def every(self, of_this_area):
        """Every fault and every twin whose cause, or whose look-alike's, is of this area."""
        faults = [f for f in json.loads(self.lab("faults", "--format", "json")) if of_this_area(f["cause"] or f["not_cause"])]
        self.assertTrue(faults)
        self.lab("up")
        self.addCleanup(self.lab, "down")
        self.healthy("before anything was broken")
        again = []
        for fault in faults:
            with self.subTest(fault=fault["name"]):
                try:
                    self.shows(fault)
                except AssertionError as first:
                    # Only throughput is another one where others load the machine; twice is a failure.
                    if not (fault["cause"] or fault["not_cause"]).startswith("link.bulk"):
                        raise
                    again.append(fault["name"])
                    print(f"{fault['name']}: asked again, because of: {first}", file=sys.stderr, flush=True)
                    self.lab("mend")
                    self.shows(fault)
            self.lab("mend")
        print(f"second tries: {len(again)} of {len(faults)} {again}", file=sys.stderr, flush=True)
        self.healthy("after everything was mended")
        self.assertLessEqual(len(again), 2, "more than a machine that others load explains")


# Three areas, each in a lab of its own, because most of their time is spent waiting.
class OfThroughput(InLab):
    def test_every_fault_and_every_twin(self):
        self.every(lambda cause: cause.startswith("link.bulk"))


class OfLogins(InLab):
    def test_every_fault_and_every_twin(self):
        self.every(lambda cause: cause.startswith("ssh."))


class OfLinks(InLab):
    def test_every_fault_and_every_twin(self):
        self.every(lambda cause: not cause.startswith(("link.bulk", "ssh.")))


class Around(InLab):
    def test_a_run_in_a_lab_says_so_whatever_its_site_file_and_environment_say(self):
        self.lab("up")
        self.addCleanup(self.lab, "down")
        path = self.runbook("answers.pass: {}")
        inside = subprocess.run(["nsenter", "--net=/run/netns/diag-lab-a", *self.argv("run", path, "--format", "json")], env=self.env, stdout=subprocess.PIPE, text=True)
        self.assertTrue(json.loads(inside.stdout)["lab"])
        self.assertFalse(self.json("run", path)[0]["lab"], "a real run beside a lab is no lab")

    @unittest.skipUnless(harness.OWN_MOUNTS, "a mount of its own needs root, and a / that is a mount point")
    def test_a_machine_without_a_hosts_file_can_be_a_node(self):
        self.lab("up")
        self.addCleanup(self.lab, "down")
        etc = self.folder + "/etc"
        bare = 'cp -a /etc "$1" && rm "$1/hosts" && mount --bind "$1" /etc && shift && exec "$@"'
        done = subprocess.run(["unshare", "-m", "sh", "-c", bare, "sh", etc, harness.DIAG, "lab", "exec", "a", "--", "getent", "ahostsv4", "node-b.home.arpa"],
                              env=self.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertIn("10.10.1.12", done.stdout, done.stderr)
        self.assertFalse(os.path.exists(etc + "/hosts"), "the machine's own /etc was touched")

    def test_the_frame_size_alone_names_the_end_that_is_smaller_and_neither_where_the_path_is(self):
        self.lab("up")
        self.addCleanup(self.lab, "down")
        there, back = "direct: node-a -> node-b", "direct: node-b -> node-a"
        near, far, path = ("mtu.interface", "mtu.interface-differs"), ("mtu.path", "mtu.far-interface-smaller"), ("mtu.path", "mtu.path-smaller")
        for fault, expected in (("near-1500", {there: near, back: far}), ("far-1500", {there: far, back: near}), ("bridge-1500", {there: path, back: path})):
            with self.subTest(fault=fault):
                self.lab("break", fault)
                document, status = self.bringup(("--only", "mtu"))
                rows = {row["row"]: check for checkpoint in document["checkpoints"] for row in checkpoint["rows"] for check in row["checks"] if check["cause"]}
                self.assertEqual(({row: (check["check"], check["cause"]) for row, check in rows.items()}, status), (expected, 2))
                asked = self.at_a("check", "mtu.path", "name=node-b-direct.home.arpa", "interface=direct", "mtu=9000")
                cause = json.loads(asked.stdout)["checkpoints"][0]["rows"][0]["checks"][0]["cause"]
                self.assertEqual(cause, "mtu.interface-smaller" if fault == "near-1500" else expected[there][1], "without mtu.interface before it")
            self.lab("mend")

    def test_without_privilege_a_check_says_which_command_grants_it(self):
        self.lab("up")
        self.addCleanup(self.lab, "down")
        closed = 'echo 1 0 > /proc/sys/net/ipv4/ping_group_range'
        subprocess.run(["nsenter", "--net=/run/netns/diag-lab-a", "sh", "-c", closed], check=True)
        nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--bounding-set=-all", "--inh-caps=-all"]
        ask = ["name=node-b-direct.home.arpa", "interface=direct", "--format", "json"]
        for check, cause in (("mtu.path", "worker.privilege"), ("names.reach", None)):
            done = subprocess.run([harness.DIAG, "lab", "exec", "a", "--", *nobody, harness.DIAG, "check", check, *ask], env=self.env | {"HOME": "/nonexistent"},
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=120)
            answer = json.loads(done.stdout)["checkpoints"][0]["rows"][0]["checks"][0]
            self.assertEqual(answer["cause"], cause, answer["reason"])
            if cause:
                self.assertIn("ping_group_range", answer["next"])
            else:  # a fallback that was used is said
                self.assertIn("UDP", json.dumps(answer["evidence"]))

    def test_down_leaves_nothing(self):
        for words in (["up"], ["down"]):
            subprocess.run([harness.DIAG, "lab", *words], env=self.env, check=True, stdout=subprocess.DEVNULL)
        namespaces = subprocess.run(["ip", "netns", "list"], stdout=subprocess.PIPE, text=True).stdout
        self.assertNotIn("diag-lab", namespaces)
        self.assertFalse(os.path.exists("/run/diag-lab"))
        self.assertEqual([n for n in (os.listdir("/etc/netns") if os.path.isdir("/etc/netns") else []) if n.startswith("diag-lab")], [])


if __name__ == "__main__":
    harness.main()
