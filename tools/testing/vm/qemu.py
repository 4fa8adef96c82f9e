# SPDX-License-Identifier: MIT
"""QEMU from Debian's source package, with the test board added to it.

Two steps, because the model and the board change often and QEMU never does: a
tree of QEMU, unpacked and compiled once per version, in which the board's
files are exchanged and the program is linked again; and the results, one per
state of the board.
"""
import os
import pathlib
import re
import shutil

import cache
import debian

TOP = pathlib.Path(__file__).resolve().parents[3]
MODEL = TOP / "tools/testing/model"
DEVICE = MODEL / "qemu"
PROGRAM = "qemu-system-aarch64"
CONFIGURE = ["--meson=/usr/bin/meson", "--target-list=aarch64-softmmu",
             "--without-default-features", "--enable-fdt=system", "--enable-tcg",
             "--disable-docs", "--disable-werror", "--disable-install-blobs",
             "--disable-debug-info", "--enable-trace-backends=nop",
             "--without-default-devices", "--with-devices-aarch64=scoria"]
# The virt machine, and of all that QEMU has by default what it needs: its interrupt controller, and
# the one of M profiles, which the translator calls.
DEVICES = "CONFIG_ARM_VIRT=y\nCONFIG_ARM_GICV3_TCG=y\nCONFIG_ARM_V7M=y\n"


def unpack_tree(apt, version, tree):
    """QEMU's source with the board's directory in its build lists."""
    apt.unpack_source("qemu", version, tree / "src")
    bios = tree / "src/pc-bios"
    # bytes of an empty bzip2 file: Debian's tarball leaves these images out
    for name in set(re.findall(r"edk2-[a-z0-9_-]+\.fd",
                               (bios / "meson.build").read_text())):
        (bios / f"{name}.bz2").write_bytes(b"BZh9\x17\x72\x45\x38\x50\x90\0\0\0\0")
    (tree / "src/configs/devices/aarch64-softmmu/scoria.mak").write_text(DEVICES)
    with open(tree / "src/hw/misc/meson.build", "a", encoding="utf-8") as lists:
        lists.write("\nsubdir('scoria')\n")


def copy_changed(source, target):
    """Copy a file unless it is the same, so that only changes are compiled."""
    if not target.exists() or target.read_bytes() != source.read_bytes():
        shutil.copyfile(source, target)


def board_files():
    """The board's own sources, and those of the model."""
    return (sorted(DEVICE.glob("*.[ch]")) + [DEVICE / "meson.build"],
            sorted(MODEL.glob("*.[ch]")) + sorted(MODEL.glob("*.def")) +
            sorted((TOP / "tools/testing/model").glob("*.def")) +
            sorted((TOP / "tools/include").glob("*.h")) +
            sorted((TOP / "registers").glob("*.[ch]")))


def model_headers():
    """The headers of the model that the board includes, and what they include."""
    names = ["npu_model.h", "iommu.h"]
    for name in names:
        included = re.findall(r'#include "([^"]+)"', (MODEL / name).read_text())
        names += [other for other in included if other not in names and (MODEL / other).exists()]
    return [MODEL / name for name in names]


def make_model(tree):
    """libscoria-model.a, as the host's tests have it, beside QEMU's tree."""
    out = tree / "model"
    # what another checkout built there is newer than our sources, and not of them
    shutil.rmtree(out, ignore_errors=True)
    debian.run(["make", "-C", TOP, "-j2", f"O={out}", "CC=gcc",
                f"{out}/libscoria-model.a"])


def compile_board(tree):
    own, _ = board_files()
    place = tree / "src/hw/misc/scoria"
    place.mkdir(exist_ok=True)
    for old in place.iterdir():
        if old.name not in {path.name for path in own}:  # gone from the checkout
            old.unlink()
    for path in own:
        copy_changed(path, place / path.name)
    for name in ("npu_model.h", "switches.h", "switches.def", "iommu.h"):
        copy_changed(TOP / "tools/testing/model" / name, place / name)
    make_model(tree)
    build = tree / "build"
    # configure wants the python that Debian's meson runs with
    environment = {**os.environ, "PATH": "/usr/bin:/bin:/usr/sbin:/sbin",
                   "SCORIA_MODEL": str(tree / "model")}
    if not (build / "build.ninja").exists():
        shutil.rmtree(build, ignore_errors=True)
        build.mkdir()
        debian.run(["../src/configure", *CONFIGURE], cwd=build, env=environment)
    debian.run(["ninja", "-j2", PROGRAM], cwd=build, env=environment)
    return build / PROGRAM


def program():
    """The path of the QEMU that has the board."""
    apt = debian.bookworm()
    version = apt.source_version("qemu")
    own, model = board_files()

    def build(directory):
        tree = cache.root() / f"qemu-tree-{cache.digest([version, *CONFIGURE, DEVICES])}"
        if not tree.is_dir():
            cache.say(f"unpacking qemu {version}")
            part = cache.root() / "qemu-tree.part"
            shutil.rmtree(part, ignore_errors=True)
            part.mkdir()
            unpack_tree(apt, version, part)
            part.rename(tree)
        # one name for the tree, as the dependencies that make wrote have it
        shutil.copy2(compile_board(tree.resolve()), directory / PROGRAM)

    inputs = [version, *CONFIGURE, DEVICES, *own, *model, TOP / "tools/testing/model/module.mk"]
    return cache.result("qemu-board", inputs, build) / PROGRAM
