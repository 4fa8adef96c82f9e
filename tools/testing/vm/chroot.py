# SPDX-License-Identifier: MIT
"""A Debian 13 chroot with the headers of the stock kernel, its compiler and checkers.

bookworm's dt-schema is too old for the bindings of today's kernels, and every
released sparse for their __typeof_unqual__: that comes from Debian's testing.
"""
import shutil

import debian
import cache
import kernel_stock

PACKAGES = ["gcc-14-aarch64-linux-gnu", "make", "kmod", "libc6-dev", "dt-schema"]
SPARSE = "/opt/sparse/usr/bin/sparse"


def enter(root, *args):
    """Run a command in the chroot."""
    environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C",
                   "DEBIAN_FRONTEND": "noninteractive"}
    return debian.run(["chroot", root, *args], env=environment)


def add_sparse(version, name, root):
    """sparse, and the script that asks whether it will do, which Debian's headers leave out."""
    debian.forky().unpack("sparse:amd64", version, root / "opt/sparse")
    scripts = root / f"usr/src/linux-headers-{name.rpartition('-')[0]}-common/scripts"
    shutil.copy(kernel_stock.source() / "scripts/checker-valid.sh", scripts)


def build(name, version, sparse, root):
    """Fill ROOT; about a minute, nearly all of it downloads."""
    mirror = debian.mirrors()["Debian"]
    debian.run(["debootstrap", "--variant=minbase", f"--keyring={debian.KEYRING}", "trixie",
                root, mirror])
    (root / "etc/apt/sources.list").write_text(
        f"deb {mirror} trixie main\ndeb {mirror} {kernel_stock.SUITE} main\n")
    enter(root, "dpkg", "--add-architecture", "arm64")
    enter(root, "apt-get", "update")
    enter(root, "apt-get", "install", "-y", "--no-install-recommends", *PACKAGES,
          f"linux-headers-{name}:arm64={version}")
    enter(root, "apt-get", "clean")
    add_sparse(sparse, name, root)


def result():
    """The chroot's root, and the kernel tree in it that modules build against."""
    name, version = kernel_stock.release(debian.trixie())
    sparse = debian.forky().version("sparse:amd64")
    root = cache.result("chroot-trixie", [name, version, sparse, *PACKAGES],
                        lambda directory: build(name, version, sparse, directory), keep=1)
    return root, f"/usr/src/linux-headers-{name}"
