# SPDX-License-Identifier: MIT
"""The kernel of the debug lane: linux-source-6.12, every checker on."""
import pathlib
import shutil

import cache
import debian
import kernel

HERE = pathlib.Path(__file__).resolve().parent
CONFIG = HERE / "kernel-debug.config"


def compiler_version():
    return debian.run([kernel.CROSS + "gcc", "--version"]).splitlines()[0]


def missing_options(wanted, config):
    """Lines of a fragment that the final configuration does not honour."""
    have = set(config.read_text().splitlines())
    missing = []
    for line in wanted.read_text().splitlines():
        if line.startswith("CONFIG_"):
            off = line.endswith("=n")
            name = line.split("=")[0]
            if off and any(other.startswith(name + "=") for other in have):
                missing.append(line)
            if not off and line not in have:
                missing.append(line)
    return missing


def build_debug(tree, directory):
    """Configure and build the debug kernel, with what modules need, in place.

    The objects go: a module needs the headers, scripts and Module.symvers.
    """
    out = directory / "build"
    out.mkdir()
    make = [*kernel.MAKE, "-C", tree, f"O={out}"]
    debian.run([*make, "tinyconfig"])
    debian.run([tree / "scripts/kconfig/merge_config.sh", "-m", "-O", out, out / ".config",
                CONFIG])
    debian.run([*make, "olddefconfig"])
    missing = missing_options(CONFIG, out / ".config")
    if missing:
        raise SystemExit(f"{CONFIG.name}: the kernel has no such options: " +
                         ", ".join(missing))
    debian.run([*make, "Image", "modules"])
    shutil.copy(out / "arch/arm64/boot/Image", directory / "Image")
    for path in out.rglob("*"):
        if path.suffix in (".o", ".a", ".cmd") and "scripts" not in path.parts:
            path.unlink()


def result():
    """The directory of the debug kernel: Image and build/ for modules."""
    apt = debian.bookworm()
    tree = kernel.source(apt, "linux-source-6.12")
    return cache.result("kernel-debug",
                        [kernel.tree_version(tree), CONFIG, compiler_version(),
                         HERE / "kernel_debug.py"],
                        lambda directory: build_debug(tree, directory), keep=2)
