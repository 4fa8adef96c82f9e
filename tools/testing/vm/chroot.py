# SPDX-License-Identifier: MIT
"""A Debian 13 chroot with the headers of the stock kernel, its compiler and checkers.

bookworm's dt-schema is too old for the bindings of today's kernels, and every
released sparse for their __typeof_unqual__: that comes from Debian's testing.
"""
import shutil

import debian
import cache
import kernel_stock

PACKAGES = ["gcc-14-aarch64-linux-gnu", "make", "kmod", "libc6-dev", "dt-schema", "dkms"]
UNREAD = ["/usr/share/doc/*", "/usr/share/man/*", "/usr/share/locale/*"]
FOREIGN = "amd64"               # with its compiler in the headers' dependencies
HEADERS = "/usr/src/linux-headers-"
SPARSE = "/opt/sparse/usr/bin/sparse"


def release(headers):
    """The name of the kernel whose headers these are."""
    return headers.removeprefix(HEADERS)


def foreign(headers):
    """The same for the other architecture: a path of headers, or a kernel's name."""
    return headers.removesuffix("arm64") + FOREIGN


def architectures():
    """The host's first, which is that of the chroot's own programs."""
    return sorted(["amd64", "arm64"], key=lambda name: name != debian.architecture())


def enter(root, *args):
    """Run a command in the chroot, which has /proc for as long: objtool reads there."""
    environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C"}
    return debian.run(["unshare", "--mount", "sh", "-c",
                       'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"', root, *args],
                      env=environment)


def add_sparse(version, name, root):
    """sparse, and the script that asks whether it will do, which Debian's headers leave out."""
    debian.forky().unpack(f"sparse:{debian.architecture()}", version, root / "opt/sparse")
    scripts = root / f"usr/src/linux-headers-{name.rpartition('-')[0]}-common/scripts"
    shutil.copy(kernel_stock.source() / "scripts/checker-valid.sh", scripts)


def build(name, version, sparse, root):
    """Fill ROOT; about a minute, most of it downloads."""
    mirror = debian.mirrors()["Debian"]
    include = [*PACKAGES, f"linux-headers-{name}:arm64={version}",
               f"linux-headers-{foreign(name)}:{FOREIGN}={version}"]
    debian.run(["mmdebstrap", "--mode=root", "--variant=essential",
                "--architectures=" + ",".join(architectures()),
                f"--keyring={debian.KEYRING}", "--include=" + ",".join(include),
                *(f"--dpkgopt=path-exclude={path}" for path in UNREAD), "trixie", root,
                *(f"deb {mirror} {suite} main" for suite in ("trixie", kernel_stock.SUITE))])
    add_sparse(sparse, name, root)


def result():
    """The chroot's root, and the kernel tree in it that modules build against."""
    name, version = kernel_stock.release(debian.trixie())
    sparse = debian.forky().version(f"sparse:{debian.architecture()}")
    root = cache.result("chroot-trixie", [name, version, sparse, FOREIGN, *PACKAGES],
                        lambda directory: build(name, version, sparse, directory), keep=1)
    return root, HEADERS + name
