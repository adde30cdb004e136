"""Checks on another machine, and in two halves, through a real sshd: what becomes of them when the other side is killed, frozen or
cut off in the middle.  Each time the cause says so, and on neither side a process, a port or a lock is left."""
import contextlib, json, os, signal, subprocess, time, unittest

import harness


def pids(node):
    return {int(p) for p in subprocess.run(["ip", "netns", "pids", f"diag-lab-{node}"], stdout=subprocess.PIPE, text=True).stdout.split()}


def named(node, name):
    """The node's processes of this name, oldest first."""
    found = []
    for pid in sorted(pids(node)):
        try:
            with open(f"/proc/{pid}/comm") as f:
                if f.read().strip() == name:
                    found.append(pid)
        except OSError:
            pass  # gone meanwhile
    return found


def inside(node):
    """Not `ip netns exec`: that mounts, which a chroot does not allow."""
    return ["nsenter", f"--net=/run/netns/diag-lab-{node}"]


def described(pids):
    return subprocess.run(["ps", "-o", "pid,ppid,sid,stat,wchan:20,etimes,args", "-p", ",".join(map(str, pids))], stdout=subprocess.PIPE, text=True).stdout


@unittest.skipUnless(harness.ROOT, "the lab needs root")
class Peers(harness.Diag):
    BULK = ("link.bulk", "name=node-b-direct.home.arpa", "interface=direct", "floor=1Mbit", "--there", "node-b")

    def setUp(self):
        super().setUp()
        self.lab("up")
        self.addCleanup(self.lab, "down")
        self.before = pids("a") | pids("b")

    def lab(self, *words):
        done = subprocess.run([harness.DIAG, "lab", *words], env=self.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, f"diag lab {' '.join(words)}: {done.stdout}{done.stderr}")

    def on_a(self, *words):
        return [harness.DIAG, "lab", "exec", "a", "--", harness.DIAG, *words]

    def asked(self, *words):
        done = subprocess.run(self.on_a("check", *words, "--format", "json"), env=self.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=120)
        self.assertTrue(done.stdout, done.stderr)
        return json.loads(done.stdout)["checkpoints"][0]["rows"][0]["checks"][0]

    def begun(self, *words):
        return subprocess.Popen(self.on_a("check", *words, "--format", "json"), env=self.env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

    def wait_for(self, holds, patience=40, otherwise=lambda: "it never came"):
        end = time.monotonic() + patience
        while not holds():
            if time.monotonic() > end:
                self.fail(otherwise())
            time.sleep(0.1)

    def nothing_is_left(self):
        left = lambda: (pids("a") | pids("b")) - self.before
        self.wait_for(lambda: not left(), otherwise=lambda: "still there: " + described(left()))
        for node in "ab":
            listening = subprocess.run([*inside(node), "ss", "-Htln"], stdout=subprocess.PIPE, text=True, check=True).stdout
            self.assertEqual([line for line in listening.splitlines() if ":22 " not in line], [])
        self.assertEqual(self.asked(*self.BULK, "seconds=1s")["outcome"], "pass", "the lock is free, and the next one works")

    def in_the_middle(self, harm):
        """The check's own words when this is done to it while both ends transfer."""
        check = self.begun(*self.BULK, "seconds=20s")
        self.wait_for(lambda: named("b", "iperf3") and named("a", "iperf3"))
        time.sleep(1)
        harm()
        out, _ = check.communicate(timeout=120)
        return json.loads(out)["checkpoints"][0]["rows"][0]["checks"][0]

    def workers(self):
        """On the peer: the guard, the worker, and its jobs."""
        return named("b", "diag-worker")

    def test_a_check_on_a_peer_and_one_in_two_halves(self):
        there = self.asked("mtu.interface", "interface=direct", "mtu=9000", "--on", "node-b")
        self.assertEqual((there["outcome"], there["notes"]), ("pass", []))
        both = self.asked(*self.BULK, "seconds=1s")
        self.assertEqual(both["outcome"], "pass")
        self.assertIn("there.iperf3-server", [e["name"] for e in both["evidence"]])
        self.nothing_is_left()

    def test_the_notebook_has_every_field_of_a_measured_link_and_null_only_for_what_nobody_knows(self):
        book = self.folder + "/labbook.md"
        done = subprocess.run(self.on_a("run", "bringup", "--only", "bulk", "--set", "seconds=1s", "--set", "floor=1Mbit", "--labbook", book),
                              env=self.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        with open(book) as f:
            lines = [json.loads(line) for line in f]
        self.assertEqual(len(lines), 4)
        for line in lines:
            self.assertEqual((line["record"], line["ping"]["packet_loss_percent"]), ("link", 0), line)
            flat = {**line, **line["ping"], **{f"{way} {k}": v for way in ("forward", "reverse") for k, v in line[way].items()}}
            self.assertEqual([key for key, value in flat.items() if value is None and key != "cause"], [], line)

    def test_a_mesh_of_logins_asks_from_the_other_machine_too(self):
        """A launcher starts its trees on any machine: a login that works from here only must not pass for all."""
        mesh = self.write("mesh.runbook", 'runbook: mesh\ncheckpoints:\n  - id: ssh\n    each: peer\n    mesh: true\n    checks:\n'
                          '      - ssh.login: {host: "${peer.login}", user: "${site.ssh.user}", config: "${site.ssh.config}"}\n')
        def outcomes():
            done = subprocess.run(self.on_a("run", mesh, "--format", "json"), env=self.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=120)
            rows = json.loads(done.stdout)["checkpoints"][0]["rows"]
            return done.returncode, {row["row"]: (row["checks"][0]["outcome"], row["checks"][0]["cause"]) for row in rows}
        self.assertEqual(outcomes(), (0, {"node-a -> node-b": ("pass", None), "node-b -> node-a": ("pass", None)}))
        with open("/run/diag-lab/nodes/node-b/known_hosts", "w"):
            pass
        self.assertEqual(outcomes(), (2, {"node-a -> node-b": ("pass", None), "node-b -> node-a": ("fail", "ssh.host-key-unknown")}))
        self.nothing_is_left()

    def test_a_peer_whose_worker_is_killed(self):
        for which in (slice(0, 1), slice(1, 2), slice(None)):  # the guard, the worker, every one of them
            def harm():
                for pid in self.workers()[which]:
                    with contextlib.suppress(ProcessLookupError):  # what is killed takes others with it
                        os.kill(pid, signal.SIGKILL)
            check = self.in_the_middle(harm)
            self.assertEqual((check["outcome"], check["cause"]), ("not_run", "peer.lost"), check)
            self.nothing_is_left()

    def test_a_peer_whose_worker_is_frozen(self):
        check = self.in_the_middle(lambda: os.kill(self.workers()[1], signal.SIGSTOP))
        self.assertEqual((check["outcome"], check["cause"]), ("not_run", "peer.lost"), check)
        self.nothing_is_left()

    def test_a_peer_whose_half_is_killed(self):
        def harm():
            jobs = self.workers()[2:]
            os.kill(jobs[0], signal.SIGKILL)
        check = self.in_the_middle(harm)
        self.assertEqual((check["outcome"], check["cause"]), ("not_run", "worker.signal"), check)
        self.assertIn("node-b", check["reason"])
        self.nothing_is_left()

    def test_a_server_that_dies_in_the_middle_is_told_as_broken(self):
        check = self.in_the_middle(lambda: os.kill(named("b", "iperf3")[0], signal.SIGKILL))
        self.assertEqual((check["outcome"], check["cause"]), ("fail", "link.bulk-broken"), check)
        self.nothing_is_left()

    def test_a_connection_that_is_cut(self):
        rules = "table inet cut { chain input { type filter hook input priority 0;\niifname house drop\n}\n}\n"
        def harm():
            subprocess.run([*inside("b"), "nft", "-f", "-"], input=rules, text=True, check=True)
        check = self.in_the_middle(harm)
        self.assertEqual((check["outcome"], check["cause"]), ("not_run", "peer.lost"), check)
        self.wait_for(lambda: not (named("b", "diag-worker") or named("b", "iperf3") or named("a", "iperf3")))
        self.lab("mend")
        self.before = pids("a") | pids("b")
        self.nothing_is_left()

    def test_a_host_that_is_killed(self):
        check = self.begun(*self.BULK, "seconds=20s")
        self.wait_for(lambda: named("b", "iperf3") and named("a", "iperf3"))
        for pid in named("a", "diag"):
            os.kill(pid, signal.SIGKILL)
        check.communicate()
        self.nothing_is_left()

    def test_an_interrupted_host(self):
        check = self.begun(*self.BULK, "seconds=20s")
        self.wait_for(lambda: named("b", "iperf3") and named("a", "iperf3"))
        os.kill(named("a", "diag")[0], signal.SIGINT)
        check.communicate(timeout=60)
        self.nothing_is_left()

    def test_peers_tells_who_has_which_build_and_who_has_none(self):
        def peers():
            done = subprocess.run(self.on_a("peers", "--format", "json"), env=self.env, stdout=subprocess.PIPE, text=True, timeout=60)
            return json.loads(done.stdout)["peers"][0], done.returncode

        peer, status = peers()
        self.assertEqual((peer["outcome"], status, peer["plugins"]["differing"]), ("pass", 0, []), peer)
        self.lab("break", "diag-missing")
        peer, status = peers()
        self.assertEqual((peer["cause"], status), ("peer.diag-missing", 3), peer)
        self.assertEqual(peer["next"], "diag peers install")
        plan = subprocess.run(self.on_a("peers", "install"), env=self.env, stdout=subprocess.PIPE, text=True, timeout=60)
        self.assertEqual(plan.returncode, 75, plan.stdout)
        self.assertIn("no diag yet", plan.stdout)
        alone = self.asked(*self.BULK, "seconds=1s")
        self.assertEqual((alone["outcome"], alone["cause"]), ("not_run", "peer.companion-lost"), "no server of anybody's: nothing was measured")
        self.assertTrue(any("peer.diag-missing" in note for note in alone["notes"]), alone["notes"])


if __name__ == "__main__":
    harness.main()
