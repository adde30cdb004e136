"""One virtual machine under QEMU: starts, answers over ssh, reboots, loses its power, loses a cable, gains a PCI device.

Everything runs inside the network and process namespace of lab.py, so that nothing outlives the driver."""
import dataclasses, os, platform, shlex, socket, subprocess, time

from qmp import Qmp

# What differs between the architectures: the machine's model and its first serial line.
MODEL = {"x86_64": ("q35", "ttyS0"), "aarch64": ("virt", "ttyAMA0")}[platform.machine()]
# KVM only where its owner says that it works: there are hosts whose /dev/kvm opens and whose guests then hang.
ACCELERATOR = {"kvm": "kvm", "": "tcg,thread=multi"}[os.environ.get("DIAG_VM_ACCEL", "")]
# mitigations=off halves the time of a boot under emulation.  With MSI-X, QEMU's e1000e does not tell its driver of a lost carrier.
QUIRKS = "mitigations=off e1000e.IntMode=1,1,1,1,1"
BOOT_PATIENCE = 300  # seconds; some 45 are usual for one machine under emulation on a quiet host, 90 for three at once


@dataclasses.dataclass(frozen=True)
class Nic:
    """A network adapter at a place on the PCI bus: `slot` is the root port's device number, and the kernel numbers buses in that order."""
    id: str
    mac: str
    backend: str            # a -netdev without its id: tap,... or dgram,...
    slot: int
    function: int = 0       # a slot may hold several functions, 0 among them
    model: str = "e1000e"   # emulates an adapter of 1 Gbit/s with a permanent MAC; virtio has neither speed nor MAC of its own

    def arguments(self, several):
        place = f"bus=port{self.slot},addr=0.{self.function}" + (",multifunction=on" if several else "")
        return ["-netdev", f"{self.backend},id={self.id}", "-device", f"{self.model},id=nic-{self.id},netdev={self.id},mac={self.mac},{place}"]


class Machine:
    def __init__(self, name, address, nics, image, folder, memory="640M"):
        """`address` is where ssh reaches it; `nics` may be changed between two starts; `folder` gets its disk, logs and sockets."""
        self.name, self.address, self.image, self.memory = name, address, image, memory
        self.nics = {nic.id: nic for nic in nics}
        self.path = f"{folder}/{name}"
        self.process = self.qmp = self.master = None
        subprocess.run(["qemu-img", "create", "-q", "-f", "qcow2", "-F", "raw", "-b", image.disk, self.path + ".qcow2"], check=True)

    # -- power -----------------------------------------------------------------------------------------------------
    def power_on(self, *devices):
        """Starts QEMU and does not wait; `devices` are further -device arguments."""
        assert self.process is None, f"{self.name} is on already"
        slots = sorted({nic.slot for nic in self.nics.values()} | {20, 21})  # 20 and 21 stay free, for what is plugged in while it runs
        ports = [word for slot in slots for word in ("-device", f"pcie-root-port,id=port{slot},chassis={slot},slot={slot},bus=pcie.0,addr={slot:#x}")]
        shared = [nic.slot for nic in self.nics.values()]
        adapters = [word for nic in self.nics.values() for word in nic.arguments(shared.count(nic.slot) > 1)]
        more = [word for device in devices for word in ("-device", device)]
        with open(self.path + ".qemu.log", "ab") as log:
            self.process = subprocess.Popen(
                [f"qemu-system-{platform.machine()}", "-name", self.name, "-M", MODEL[0], "-accel", ACCELERATOR, "-cpu", "max",
                 "-m", self.memory, "-nodefaults", "-display", "none", "-serial", f"file:{self.path}.console", "-qmp", f"unix:{self.path}.qmp,server=on,wait=off",
                 "-kernel", self.image.kernel, "-initrd", self.image.initrd, "-append",
                 f"root=/dev/vda rw console={MODEL[1]} {QUIRKS} quiet loglevel=4 systemd.show_status=0 systemd.hostname={self.name}", "-device", "virtio-rng-pci",
                 "-drive", f"file={self.path}.qcow2,if=none,id=root,cache=writeback", "-device", "virtio-blk-pci,drive=root", *ports, *adapters, *more],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.qmp = Qmp(self.path + ".qmp")

    def start(self, *devices):
        self.power_on(*devices)
        self.wait()

    def cut(self):
        """The power goes, at once: what had not reached the disk is lost."""
        self.process.kill()
        self._gone()

    def reboot(self):
        """An orderly reboot, as its owner asks for one; returns when the new boot answers."""
        old = self.boot_id()
        self.run("systemctl", "reboot", check=False)
        self.wait(but_not=old)

    def wait(self, but_not=None):
        """Until ssh answers, in another boot than `but_not`."""
        end = time.monotonic() + BOOT_PATIENCE
        while time.monotonic() < end:
            if self.process.poll() is not None:
                raise RuntimeError(f"QEMU of {self.name} ended with {self.process.returncode}; see {self.path}.qemu.log")
            self._hang_up()
            if self._banner() and self._log_in() and self.boot_id() != but_not:
                return
            time.sleep(1)
        raise TimeoutError(f"{self.name} does not answer after {BOOT_PATIENCE} s; see {self.path}.console")

    def _gone(self):
        self.process.wait()
        self._hang_up()
        self.qmp.close()
        self.process = self.qmp = None

    # -- ssh -------------------------------------------------------------------------------------------------------
    def ssh(self, *options):
        """The command line that reaches this machine; append words for a remote shell."""
        return ["ssh", "-F", "none", "-i", self.image.key, "-o", f"UserKnownHostsFile={self.image.known_hosts}", "-o", "StrictHostKeyChecking=yes",
                "-o", "ConnectTimeout=10", "-o", "ServerAliveInterval=15", "-S", self.path + ".ssh", *options, f"root@{self.address}"]

    def run(self, *argv, check=True, timeout=300, **kw):
        """Runs a command on the machine, its words as they are; stdout and stderr come back as text."""
        done = subprocess.run([*self.ssh("-T", "-o", "BatchMode=yes"), "--", shlex.join(argv)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=timeout,
                              text=True, **({} if {"input", "stdin"} & kw.keys() else {"stdin": subprocess.DEVNULL}), **kw)
        if check and done.returncode != 0:
            raise RuntimeError(f"{self.name}: {shlex.join(argv)} ended with {done.returncode}\n{done.stdout}{done.stderr}")
        return done

    def begin(self, *argv):
        """Starts a command on the machine and returns its Popen; it ends with the connection where it listens for that."""
        return subprocess.Popen([*self.ssh("-T", "-o", "BatchMode=yes"), "--", shlex.join(argv)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)

    def read(self, path):
        return self.run("cat", path).stdout

    def write(self, path, text):
        self.run("sh", "-c", 'mkdir -p "$(dirname "$1")" && cat >"$1"', "sh", path, input=text)

    def put(self, folder, path, *options):
        """Copies the contents of a folder here into the folder `path` there, all owned by root; `options` go to tar here."""
        pack = subprocess.Popen(["tar", "-C", folder, "--owner=root", "--group=root", *options, "-c", "."], stdout=subprocess.PIPE)
        self.run("tar", "-C", path, "--no-same-permissions", "-x", stdin=pack.stdout)
        if pack.wait() != 0:
            raise RuntimeError(f"tar could not read {folder}")

    def boot_id(self):
        return self.run("cat", "/proc/sys/kernel/random/boot_id", check=False).stdout.strip()

    def _banner(self):
        try:
            with socket.create_connection((self.address, 22), timeout=2) as s:
                return s.recv(3) == b"SSH"
        except OSError:
            return False

    def _log_in(self):
        """One connection that every later command shares: a login takes a second under emulation."""
        self.master = subprocess.Popen(self.ssh("-M", "-N", "-o", "BatchMode=yes"), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        end = time.monotonic() + 30
        while not os.path.exists(self.path + ".ssh") and self.master.poll() is None and time.monotonic() < end:
            time.sleep(0.1)
        return os.path.exists(self.path + ".ssh")

    def _hang_up(self):
        if self.master:
            self.master.kill()
            self.master.wait()
            self.master = None
        if os.path.exists(self.path + ".ssh"):
            os.unlink(self.path + ".ssh")

    # -- hardware --------------------------------------------------------------------------------------------------
    def link(self, nic, up):
        """Pulls or plugs this end's cable: the carrier is seen by the machine."""
        self.qmp("set_link", name=nic, up=up)

    def plug(self, device, slot=20, **properties):
        """Adds a PCI device while the machine runs, at one of its two free ports."""
        self.qmp("device_add", driver=device, id=f"plugged{slot}", bus=f"port{slot}", **properties)

    def unplug(self, slot=20):
        self.qmp("device_del", id=f"plugged{slot}")

    def interfaces(self):
        """What the kernel calls each adapter now, found by its permanent MAC; those that it does not have are left out."""
        listed = self.run("sh", "-c", 'cd /sys/class/net && for i in *; do ethtool -P "$i" && echo "$i"; done').stdout.lower().split()
        return {nic.id: listed[listed.index(nic.mac) + 1] for nic in self.nics.values() if nic.mac in listed}
