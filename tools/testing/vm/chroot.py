# SPDX-License-Identifier: MIT
"""A Debian 13 chroot with the headers of the stock kernel and its compiler."""
import debian
import cache
import kernel_stock

PACKAGES = ["gcc-14-aarch64-linux-gnu", "make", "kmod", "libc6-dev"]


def enter(root, *args):
    """Run a command in the chroot."""
    environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C",
                   "DEBIAN_FRONTEND": "noninteractive"}
    return debian.run(["chroot", root, *args], env=environment)


def build(name, version, root):
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


def result():
    """The chroot's root, and the kernel tree in it that modules build against."""
    name, version = kernel_stock.release(debian.trixie())
    root = cache.result("chroot-trixie", [name, version, *PACKAGES],
                        lambda directory: build(name, version, directory), keep=1)
    return root, f"/usr/src/linux-headers-{name}"
