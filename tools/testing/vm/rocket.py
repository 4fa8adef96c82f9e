# SPDX-License-Identifier: MIT
"""The in-tree rocket driver of the stock kernel, which Debian builds without it.

Debian ships the kernel's source as a package; only the driver's directory is taken out of
it, and built as a module against Debian's headers. It runs on the board in place of ours,
to be measured beside it and to show that userspace works on either.
"""
import shutil

import cache
import chroot
import debian
import kernel
import kernel_stock

DIRECTORY = "drivers/accel/rocket"
HEADER = "include/uapi/drm/rocket_accel.h"
NAME = "rocket.ko"


def build(apt, package, version, directory):
    """rocket.ko; a minute, most of it spent unpacking."""
    apt.unpack(package, version, directory / "raw")
    name = package.split(":")[0]
    debian.run(["tar", "-C", directory, "--strip-components=1", "-xf",
                directory / "raw/usr/src" / f"{name}.tar.xz",
                f"{name}/{DIRECTORY}", f"{name}/{HEADER}"])
    root, headers = chroot.result()
    staged = root / "root/rocket"
    with cache.locked("chroot-use"):
        shutil.rmtree(staged, ignore_errors=True)
        shutil.copytree(directory / DIRECTORY, staged)
        chroot.enter(root, "make", kernel.JOBS, "-C", headers, "M=/root/rocket", "ARCH=arm64",
                     f"CROSS_COMPILE={kernel.CROSS}", "CONFIG_DRM_ACCEL_ROCKET=m", "modules")
        shutil.move(staged / NAME, directory / NAME)
        shutil.rmtree(staged)
    for part in ("raw", "drivers", "include"):
        shutil.rmtree(directory / part)


def result():
    """The path of rocket.ko for the stock kernel."""
    apt = debian.trixie()
    name, _ = kernel_stock.release(apt)
    package = "linux-source-" + ".".join(name.split(".")[:2])
    version = apt.version(package, kernel_stock.SUITE)
    directory = cache.result("module-rocket", [name, version],
                             lambda part: build(apt, package, version, part), keep=1)
    return directory / NAME
