# SPDX-License-Identifier: MIT
"""Kernel source trees, and how make is called in them."""
import re
import shutil

import cache
import debian

CROSS = "aarch64-linux-gnu-"
JOBS = "-j2"
MAKE = ["make", JOBS, "ARCH=arm64", f"CROSS_COMPILE={CROSS}"]


def tree_version(tree):
    """The version that a kernel tree's Makefile gives, None without one."""
    try:
        head = (tree / "Makefile").read_text()[:400]
    except FileNotFoundError:
        return None
    return ".".join(re.search(rf"^{part} = *(\d+)", head, re.M).group(1)
                    for part in ("VERSION", "PATCHLEVEL", "SUBLEVEL"))


def source(apt, package):
    """The unpacked tree of a linux-source package, shared and never changed."""
    version = apt.version(package)
    tree = cache.root() / "src" / package
    with cache.locked("src"):
        if tree_version(tree) != version.split("-")[0]:
            cache.say(f"unpacking {package} {version}")
            work = tree.with_name(package + ".part")
            shutil.rmtree(work, ignore_errors=True)
            apt.unpack(package, version, work)
            debian.run(["tar", "-C", work, "-xf", work / "usr/src" / f"{package}.tar.xz"])
            shutil.rmtree(tree, ignore_errors=True)
            (work / package).rename(tree)
            shutil.rmtree(work)
    return tree
