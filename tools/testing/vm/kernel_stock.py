# SPDX-License-Identifier: MIT
"""The kernel of the stock lane: Debian's newest for arm64, untouched.

It comes from trixie-backports. bookworm's compiler is too old to build modules
for it, so that happens in a Debian 13 chroot with Debian's headers package.
"""
import lzma
import pathlib
import re

import cache
import debian
import kernel

HERE = pathlib.Path(__file__).resolve().parent
SUITE = "trixie-backports"
# what scoria.ko and the board's device tree stand on and Debian builds as modules
MODULES = ["drm", "drm_shmem_helper", "gpu-sched", "fixed"]


def release(apt):
    """Name and version of the kernel that the suite has: 7.3.4+deb13-arm64."""
    version = apt.version("linux-image-arm64:arm64", SUITE)
    shown = apt.query("show", f"linux-image-arm64:arm64={version}")
    return re.search(r"linux-image-(\d\S+)", shown).group(1), version


def source():
    """The unpacked source of the stock kernel, for its scripts, bindings and tests."""
    apt = debian.trixie()
    version = ".".join(release(apt)[0].split(".")[:2])
    return kernel.source(apt, f"linux-source-{version}")


def dependencies(tree):
    """Paths of MODULES and what they need, each after what it needs."""
    needs = {}
    for line in (tree / "modules.dep").read_text().splitlines():
        path, _, rest = line.partition(":")
        needs[path] = rest.split()
    order = []
    for path in needs:
        name = pathlib.Path(path).name.split(".ko")[0]
        if name in MODULES:
            order += [p for p in [*reversed(needs[path]), path] if p not in order]
    return order


def build(apt, name, version, directory):
    """Image, and modules/ with the list `order` of what to load."""
    raw = directory / "raw"
    for package in (f"linux-binary-{name}", f"linux-modules-{name}"):
        apt.unpack(f"{package}:arm64", version, raw)
    tree = raw / "usr/lib/modules" / name
    (tree / "vmlinuz").rename(directory / "Image")
    debian.run(["/usr/sbin/depmod", "-b", raw / "usr", name])
    (directory / "modules").mkdir()
    order = dependencies(tree)
    for path in order:
        data = (tree / path).read_bytes()
        target = directory / "modules" / pathlib.Path(path).name.removesuffix(".xz")
        target.write_bytes(lzma.decompress(data) if path.endswith(".xz") else data)
    names = [pathlib.Path(path).name.removesuffix(".xz") for path in order]
    (directory / "modules/order").write_text("\n".join(names) + "\n")
    debian.run(["rm", "-rf", raw])


def result():
    """The directory of the stock kernel: Image and modules/."""
    apt = debian.trixie()
    name, version = release(apt)
    return cache.result("kernel-stock", [name, version, *MODULES, HERE / "kernel_stock.py"],
                        lambda directory: build(apt, name, version, directory), keep=2)
