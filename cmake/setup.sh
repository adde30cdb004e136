# Shared by quickstart, run-tests and .ci/run: packages, a build, and an installed tree that root may trust.
# Source it; it expects `set -eu` and $here, the folder of the checkout.

build_packages="g++ cmake ninja-build pkg-config git libboost-dev libboost-program-options-dev nlohmann-json3-dev libyaml-cpp-dev libfmt-dev
    libnl-3-dev libnl-route-3-dev nettle-dev"
lab_packages="iproute2 nftables ethtool iperf3 openssh-client openssh-server"
vm_packages="mmdebstrap openssh-client e2fsprogs qemu-utils systemd"
case $(uname -m) in
    x86_64) vm_packages="$vm_packages qemu-system-x86" ;;
    *) vm_packages="$vm_packages qemu-system-arm" ;;
esac

say() { printf '\n== %s\n' "$*" >&2; }
die() { printf '%s: %s\n' "${0##*/}" "$*" >&2; exit 64; }

# The lab starts sshd itself, in its namespaces.  A machine that had no ssh server must not begin to listen because of it: this
# file is Debian's and Ubuntu's own way to say so, heeded by ssh.service, ssh.socket and the init script.
no_ssh_service=/etc/ssh/sshd_not_to_be_run

# Installs what is missing of the named packages, or says how to.
need_packages() {
    missing=""
    for package in "$@"; do
        dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing="$missing $package"
    done
    [ -n "$missing" ] || return 0
    hint=""
    case "$missing " in
        *" openssh-server "*) hint="
so that no ssh server starts with it:  sudo install -D /dev/null $no_ssh_service" ;;
    esac
    [ "$(id -u)" = 0 ] || die "these packages are missing:$missing$hint
install them with:  sudo apt-get install$missing"
    say "installing from the distribution:$missing"
    if [ -n "$hint" ] && [ ! -e "$no_ssh_service" ]; then
        install -D -m 0644 /dev/null "$no_ssh_service"
        say "openssh-server is for the lab: it does not start as a service. If you want it to: rm $no_ssh_service"
    fi
    export DEBIAN_FRONTEND=noninteractive
    # shellcheck disable=SC2086  # a list of words
    apt-get install -y --no-install-recommends $missing >&2 || { apt-get update >&2 && apt-get install -y --no-install-recommends $missing >&2; }
}

# Runs a command as the owner of the checkout, so that sudo leaves no file of root in a user's clone.
as_owner() {
    owner=$(stat -c %U "$here")
    if [ "$(id -u)" = 0 ] && [ "$owner" != root ] && [ "$owner" != UNKNOWN ]; then
        runuser -u "$owner" -- "$@"
    else
        "$@"
    fi
}

# build FOLDER TYPE [cmake options...]: several files to a compiler run, which halves the time of a first build; the presets of
# CMakePresets.json compile each by itself, for whoever works on the code.
build() {
    folder=$1 type=$2
    shift 2
    launcher=""
    command -v ccache >/dev/null 2>&1 && launcher="-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"
    export CCACHE_BASEDIR="$here" CCACHE_NOHASHDIR=1  # another clone of this finds what was compiled here
    # shellcheck disable=SC2086  # empty or one word
    as_owner cmake -S "$here" -B "$folder" -G Ninja -DCMAKE_BUILD_TYPE="$type" -DCMAKE_UNITY_BUILD=ON $launcher "$@" >&2
    as_owner cmake --build "$folder" >&2
}

# Installs a build into a new folder and prints its name.  For root that is a folder which only root can write, with
# only such folders above it: what root loads must not be anybody else's.
install_trusted() {
    if [ "$(id -u)" = 0 ]; then
        prefix=$(mktemp -d /var/lib/diag-try.XXXXXX)
    else
        prefix=$(mktemp -d)
    fi
    chmod 0755 "$prefix"
    cmake --install "$1" --prefix "$prefix" >/dev/null
    cmake --install "$1" --prefix "$prefix" --component tests >/dev/null
    echo "$prefix"
}
