"""Virtual machines on wires, inside namespaces of their own: when the driver ends, in whatever way, the kernel ends every
process and every interface of the lab with it.

    a, b, c ──house──   management: 10.66.0.11, .12, .13; the driver is .254 and reaches them by ssh
    a, b, c ──direct──  the link under test, through a switch: 10.10.0.11 ...
    a ══lane0══ b, a ══lane1══ b   two direct cables between two functions of one adapter, with no address until a test gives one
"""
import atexit, fcntl, os, shutil, signal, subprocess, sys, tempfile

import image
from machine import Machine, Nic

PREFIX = os.environ.get("DIAG_PREFIX", "")
SLOTS = {"house": 4, "direct": 6, "lane0": 8, "lane1": 8}  # with places left between them
NEEDS = {"unshare": "util-linux", "ip": "iproute2", "ssh": "openssh-client", "mmdebstrap": "mmdebstrap", "mke2fs": "e2fsprogs",
         "qemu-img": "qemu-utils", "systemctl": "systemd", f"qemu-system-{os.uname().machine}": "qemu-system-x86 or qemu-system-arm"}


def why_not():
    """Why no virtual machine can be had here, or None."""
    if not PREFIX:
        return "DIAG_PREFIX names no installed diag; ./run-tests --vm sets it"
    if os.geteuid() != 0:
        return "the virtual machines' disk and wires need root"
    if not image.ARCH or not image.suite():
        return "the machines run what was built here, so this must be Debian on x86-64 or arm64"
    missing = [package for program, package in NEEDS.items() if not shutil.which(program)]
    if missing:
        return "these packages are missing: " + " ".join(missing)
    return None if os.path.exists("/dev/net/tun") else "the kernel has no /dev/net/tun"


def enter():
    """Starts this program anew as the first process of its own process and network namespaces, unless it is that already.

    The kernel kills all others when that process ends; --kill-child ends it when the one outside is killed."""
    if os.environ.get("DIAG_VM_INSIDE"):
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # the first process of a namespace has no default for it
        return
    image.ensure(PREFIX)  # now: inside there is no way to the distribution's packages
    words = ["unshare", "--net", "--pid", "--fork", "--kill-child", sys.executable, *sys.orig_argv[1:]]
    os.execvpe(words[0], words, os.environ | {"DIAG_VM_INSIDE": "1"})


def ip(*words):
    subprocess.run(["ip", *words], check=True)


class Lab:
    def __init__(self, count=2, memory="640M"):
        """`count` machines (2 or 3), made and not yet started."""
        assert os.environ.get("DIAG_VM_INSIDE"), "enter() first"
        self.image = image.ensure(PREFIX)
        self.folder = self._folder()
        atexit.register(shutil.rmtree, self.folder, ignore_errors=True)  # a killed driver leaves it to the next one
        ip("link", "set", "lo", "up")
        for wire in ("house", "direct"):
            ip("link", "add", wire, "mtu", "9000", "type", "bridge")
            ip("link", "set", wire, "up")
        ip("address", "add", "10.66.0.254/24", "dev", "house")
        self.machines = [self._machine(number, memory) for number in range(1, count + 1)]

    def _folder(self):
        """A folder for this lab alone; those of labs that were killed go now: nobody holds their lock."""
        with open(image.CACHE + "/lock", "w") as one_at_a_time:  # else a folder that is not locked yet looks like one of the dead
            fcntl.flock(one_at_a_time, fcntl.LOCK_EX)
            for name in os.listdir(image.CACHE):
                if name.startswith("run-"):
                    with open(f"{image.CACHE}/{name}/lock", "a") as lock:
                        try:
                            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                            shutil.rmtree(f"{image.CACHE}/{name}")
                        except BlockingIOError:
                            pass
            folder = tempfile.mkdtemp(prefix="run-", dir=image.CACHE)
            self.lock = open(folder + "/lock", "a")
            fcntl.flock(self.lock, fcntl.LOCK_EX)
        return folder

    def _machine(self, number, memory):
        letter = "abc"[number - 1]
        nics = []
        for wire in ("house", "direct"):
            tap = f"{wire}-{letter}"
            ip("tuntap", "add", tap, "mode", "tap")
            # A machine that is emulated empties its queue slowly: a short one would lose what TCP sends ahead.
            ip("link", "set", tap, "master", wire, "mtu", "9000", "txqueuelen", "10000", "up")
            # Without offloads: every frame has the size that the wire sees.
            nics.append(self.nic(wire, number, f"tap,ifname={tap},script=no,downscript=no,vnet_hdr=off"))
        for lane in ("lane0", "lane1") if number < 3 else ():
            here, there = (f"{self.folder}/{lane}-{end}" for end in (("a", "b") if letter == "a" else ("b", "a")))
            nics.append(self.nic(lane, number, f"dgram,local.type=unix,local.path={here},remote.type=unix,remote.path={there}"))
        return Machine(f"node-{letter}", f"10.66.0.{10 + number}", nics, self.image, self.folder, memory)

    def nic(self, wire, number, backend):
        return Nic(wire, f"52:54:00:d1:{list(SLOTS).index(wire):02x}:{number:02x}", backend, SLOTS[wire], function=1 if wire == "lane1" else 0,
                   model="virtio-net-pci" if wire == "house" else "e1000e")

    def start(self):
        """Starts all machines at once, and installs the product into each, as its user would from a build."""
        for machine in self.machines:
            machine.power_on()
        for machine in self.machines:
            machine.wait()
            machine.put(PREFIX, "/usr/local", "--exclude=./tests", "--exclude=./state")
        return self

    def close(self):
        """Switches everything off and takes the wires away, so that another lab can be made."""
        for machine in self.machines:
            if machine.process:
                machine.cut()
        for name in [f"{wire}-{machine.name[-1]}" for wire in ("house", "direct") for machine in self.machines] + ["house", "direct"]:
            ip("link", "delete", name)
        shutil.rmtree(self.folder)
        self.lock.close()

    def port_mtu(self, wire, letter, mtu):
        """What the switch's port towards a machine carries; larger frames vanish there without a word."""
        ip("link", "set", f"{wire}-{letter}", "mtu", str(mtu))

    def collect(self, folder):
        """Journals and consoles of all machines, for somebody who looks for what went wrong."""
        os.makedirs(folder, exist_ok=True)
        for machine in self.machines:
            for end in (".console", ".qemu.log"):
                if os.path.exists(machine.path + end):
                    shutil.copy(machine.path + end, folder)
            if machine.process and machine.process.poll() is None:
                with open(f"{folder}/{machine.name}.journal", "w") as out:
                    out.write(machine.run("journalctl", "--no-pager", "-o", "short-monotonic", check=False, timeout=120).stdout)
