"""What the black-box tests share: the installed diag, runbooks in a folder that root may trust, and its answers."""
import json, os, shutil, signal, subprocess, sys, tempfile, unittest

PREFIX = os.environ.get("DIAG_PREFIX", "")
DIAG = PREFIX + "/bin/diag"
PLUGINS = PREFIX + "/tests/plugins/answers"
ROOT = os.geteuid() == 0
# Whether a test can have mounts of its own: not without root, and not in a chroot whose / is a plain folder.
OWN_MOUNTS = ROOT and subprocess.run(["unshare", "-m", "true"], stderr=subprocess.DEVNULL).returncode == 0


def main():
    if not PREFIX:
        print("skipped: DIAG_PREFIX names no installed diag; ./run-tests sets it")
        sys.exit(0)
    unittest.main(verbosity=2)


class Diag(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(dir=PREFIX)
        self.state = self.folder + "/state"
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.env = {k: v for k, v in os.environ.items() if not k.startswith("DIAG_")} | {"LC_ALL": "C.UTF-8", "DIAG_STATE": self.state}

    def write(self, name, text):
        path = f"{self.folder}/{name}"
        with open(path, "w") as out:
            out.write(text)
        os.chmod(path, 0o644)
        return path

    def runbook(self, *checks, name="trial", more=""):
        """One checkpoint `one` with these checks, each a YAML line such as `answers.pass: {}`."""
        lines = "".join(f"      - {check}\n        id: c{i}\n" for i, check in enumerate(checks))
        return self.write(f"{name}.runbook", f"runbook: {name}\n{more}checkpoints:\n  - id: one\n    checks:\n{lines}")

    def argv(self, *words):
        takes_plugins = words[0] in ("run", "resume", "look", "init", "check", "lint", "plugins", "explain") and "--plugins" not in words
        return [DIAG, *words, *(("--plugins", PLUGINS) if takes_plugins else ())]

    def diag(self, *words, **kw):
        return subprocess.run(self.argv(*words), env=self.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=120, **kw)

    def start(self, *words, **kw):
        return subprocess.Popen(self.argv(*words), env=self.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **kw)

    def json(self, *words):
        done = self.diag(*words, "--format", "json")
        try:
            return json.loads(done.stdout), done.returncode
        except ValueError:
            self.fail(f"no JSON from {words}: exit {done.returncode}\n{done.stdout}{done.stderr}")

    def last_record(self):
        with open(f"{self.state}/last") as f:
            return f"{self.state}/records/{f.read().strip()}"

    def events(self):
        with open(self.last_record() + "/journal.jsonl") as f:
            return [json.loads(line) for line in f]


def processes_with(text):
    """Pids of living processes whose command line contains `text`."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as f:
                if text.encode() in f.read() and int(pid) != os.getpid():
                    found.append(int(pid))
        except OSError:
            pass
    return found


def descendants(pid):
    """Pids of the processes below this one, as of now."""
    found, todo = [], [pid]
    while todo:
        at = todo.pop()
        try:
            with open(f"/proc/{at}/task/{at}/children") as f:
                children = [int(p) for p in f.read().split()]
        except OSError:
            children = []  # gone meanwhile
        found += children
        todo += children
    return found
