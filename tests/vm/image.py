"""The disk that every virtual machine of the tests starts from: a stock Debian root and kernel with systemd, made once
into a cache folder (DIAG_VM_CACHE, else /var/cache/diag-vm) and used read-only from then on.

It holds no product: that is installed into the running machines (lab.py).  Its suite is this machine's own, because the
programs built here run in it.  The keys in it are made for it alone and open nothing but these machines."""
import dataclasses, fcntl, hashlib, os, platform, shutil, subprocess, sys

CACHE = os.environ.get("DIAG_VM_CACHE", "/var/cache/diag-vm")
ARCH = {"x86_64": "amd64", "aarch64": "arm64"}.get(platform.machine())
# What the tests start on the machines, beside a kernel, systemd and sshd.
PACKAGES = """systemd systemd-sysv udev dbus kmod procps openssh-server openssh-client iproute2 iputils-ping ethtool nftables iperf3
    nfs-kernel-server nfs-common rdma-core ibverbs-providers ibverbs-utils perftest""".split()
# Slow to start under emulation, and no test needs them at boot.
QUIET = """apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer e2scrub_all.timer e2scrub_reap.service fstrim.timer
    nfs-server.service nfs-client.target nfs-blkmap.service rpcbind.service rpcbind.socket rpc-statd-notify.service getty@tty1.service""".split()
DISK = "3G"


@dataclasses.dataclass
class Image:
    folder: str
    disk = property(lambda self: self.folder + "/disk.img")
    kernel = property(lambda self: self.folder + "/vmlinuz")
    initrd = property(lambda self: self.folder + "/initrd.img")
    key = property(lambda self: self.folder + "/key")                   # logs in as root
    known_hosts = property(lambda self: self.folder + "/known_hosts")   # every machine has the same host key


def suite():
    """The code name of this machine's Debian, or None where it is no Debian."""
    with open("/etc/os-release") as f:
        words = dict(line.strip().split("=", 1) for line in f if "=" in line)
    return words.get("VERSION_CODENAME") if words.get("ID") == "debian" else None


def runtime_packages(prefix):
    """The packages whose libraries the installed product is linked against."""
    libraries = set()
    for folder in ("bin", "lib/diag/plugins"):
        for name in os.listdir(f"{prefix}/{folder}"):
            done = subprocess.run(["ldd", f"{prefix}/{folder}/{name}"], stdout=subprocess.PIPE, text=True)
            libraries |= {os.path.realpath(words[2]) for words in map(str.split, done.stdout.splitlines()) if words[1:2] == ["=>"]}
    # dpkg knows some of them by the folder of before /usr was merged.
    either = [path for library in sorted(libraries) for path in (library, library.removeprefix("/usr"))]
    found = subprocess.run(["dpkg-query", "-S", *either], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    if len(found.splitlines()) < len(libraries):
        sys.exit(f"dpkg does not know where all of these come from: {' '.join(sorted(libraries))}")
    return sorted({line.split(":")[0] for line in found.splitlines()})


def ensure(prefix):
    """The image for the product installed at `prefix`; made now, some four minutes, where the cache has none like it."""
    packages = PACKAGES + [f"linux-image-{ARCH}"] + runtime_packages(prefix)
    with open(__file__, "rb") as f:
        stamp = hashlib.sha256(f.read() + " ".join([suite(), ARCH, *packages]).encode()).hexdigest()[:12]
    os.makedirs(CACHE, mode=0o700, exist_ok=True)
    with open(CACHE + "/lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        image = Image(f"{CACHE}/image-{stamp}")
        if not os.path.isdir(image.folder):
            for old in os.listdir(CACHE):
                if old.startswith("image-"):
                    shutil.rmtree(f"{CACHE}/{old}")
            print(f"making the virtual machines' disk in {CACHE}, some four minutes, once", file=sys.stderr, flush=True)
            _make(Image(image.folder + ".part"), packages)
            os.rename(image.folder + ".part", image.folder)
    return image


def _make(image, packages):
    root = image.folder + "/root"
    shutil.rmtree(image.folder, ignore_errors=True)
    os.makedirs(image.folder, mode=0o700)
    # Only what these machines' disk needs is in the initrd: unpacking all drivers takes longer than the rest of the boot.
    small = ('mkdir -p "$1/etc/initramfs-tools/conf.d" "$1/usr/share/initramfs-tools/modules.d" && echo MODULES=list >"$1/etc/initramfs-tools/conf.d/small" && '
             'printf "virtio_pci\\nvirtio_blk\\next4\\n" >"$1/usr/share/initramfs-tools/modules.d/disk"')
    done = subprocess.run(["mmdebstrap", "--mode=root", "--variant=minbase", "--include=" + ",".join(packages), "--essential-hook=" + small,
                           "--dpkgopt=path-exclude=/usr/share/man/*", "--dpkgopt=path-exclude=/usr/share/locale/*", suite(), root],
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        sys.exit(f"mmdebstrap could not make the disk:\n{done.stdout[-4000:]}")
    _configure(image, root)
    for name in ("vmlinuz", "initrd.img"):
        shutil.copy(os.path.join(root, os.readlink(f"{root}/{name}")), f"{image.folder}/{name}")
    subprocess.run(["mke2fs", "-q", "-t", "ext4", "-L", "root", "-d", root, image.disk, DISK], check=True)
    shutil.rmtree(root)


def _configure(image, root):
    def write(path, text, mode=0o644):
        os.makedirs(os.path.dirname(root + path), exist_ok=True)
        with open(root + path, "w") as f:
            f.write(text)
        os.chmod(root + path, mode)

    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "diag-vm", "-f", image.key], check=True)
    with open(image.key) as private, open(image.key + ".pub") as public, open(root + "/etc/ssh/ssh_host_ed25519_key.pub") as host:
        mine, opens, theirs = private.read(), public.read(), " ".join(host.read().split()[:2])
    for path in (image.known_hosts, root + "/etc/ssh/ssh_known_hosts"):
        with open(path, "w") as f:
            f.write(f"10.66.0.*,*.home.arpa,node-* {theirs}\n")
    os.makedirs(root + "/root/.ssh", mode=0o700, exist_ok=True)
    write("/root/.ssh/authorized_keys", opens, 0o600)
    write("/root/.ssh/id_ed25519", mine, 0o600)
    write("/etc/fstab", "/dev/vda / ext4 defaults 0 1\n")
    write("/etc/machine-id", "")
    write("/etc/resolv.conf", "")  # names come from /etc/hosts; mmdebstrap copied this machine's servers
    # Every machine's management address follows from the MAC that lab.py gives it; the rest is for the tests to set up.
    for number in range(1, 10):
        write(f"/etc/systemd/network/10-house-{number}.network",
              f"[Match]\nMACAddress=52:54:00:d1:00:{number:02x}\n[Network]\nAddress=10.66.0.{10 + number}/24\nLinkLocalAddressing=no\n")
    # QEMU's e1000e cuts what TSO hands it into IP fragments instead of TCP segments.
    write("/etc/systemd/network/10-e1000e.link", "[Match]\nDriver=e1000e\n[Link]\nTCPSegmentationOffload=no\n"
          "NamePolicy=keep kernel database onboard slot path\nAlternativeNamesPolicy=database onboard slot path\nMACAddressPolicy=persistent\n")
    os.makedirs(root + "/var/log/journal", exist_ok=True)  # a journal that survives a reboot
    subprocess.run(["systemctl", f"--root={root}", "-q", "enable", "systemd-networkd", "ssh"], check=True)
    subprocess.run(["systemctl", f"--root={root}", "-q", "mask", *QUIET, "systemd-networkd-wait-online.service"], check=True)
