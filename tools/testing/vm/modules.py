# SPDX-License-Identifier: MIT
"""The modules of a lane: the driver under test, and the board's provider."""
import pathlib
import shutil

import cache
import chroot
import debian
import kernel
import kernel_debug

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parents[2]
PATTERNS = ["drivers/accel/scoria/*.[ch]", "drivers/accel/scoria/tests/*.[ch]",
            "drivers/accel/scoria/Makefile", "drivers/accel/scoria/Kconfig",
            "include/uapi/drm/*.h", "registers/*.h",
            "tools/testing/vm/guest/scoria_board.c", "tools/testing/vm/guest/Kbuild",
            "tools/testing/model/qemu/board_regs.h"]
DIRECTORIES = ["tools/testing/vm/guest", "drivers/accel/scoria"]
OPTIONS = ["ARCH=arm64", f"CROSS_COMPILE={kernel.CROSS}", "CONFIG_DRM_ACCEL_SCORIA=m"]
NAMES = ["scoria_board.ko", "scoria.ko"]


def sources():
    return [path for pattern in PATTERNS for path in sorted(TOP.glob(pattern))]


def stage(directory):
    """Copy the sources, so that no build leaves files in the checkout."""
    for path in sources():
        target = directory / path.relative_to(TOP)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
    # an out-of-tree directory finds no headers beside it by itself
    shutil.copyfile(TOP / "tools/testing/model/qemu/board_regs.h",
                    directory / "tools/testing/vm/guest/board_regs.h")


def collect(staged, directory):
    for name in NAMES:
        found, = staged.rglob(name)
        shutil.move(found, directory / name)


def build_debug(kernel_directory, directory):
    staged = directory / "source"
    stage(staged)
    for sub in DIRECTORIES:
        debian.run([*kernel.MAKE, "-C", kernel_directory / "build", f"M={staged / sub}",
                    *OPTIONS, "CONFIG_DRM_ACCEL_SCORIA_KUNIT_TEST=y", "modules"])
    collect(staged, directory)
    shutil.rmtree(staged)


def build_stock(root, headers, directory):
    staged = root / "root/scoria"
    with cache.locked("chroot-use"):
        shutil.rmtree(staged, ignore_errors=True)
        stage(staged)
        for sub in DIRECTORIES:
            chroot.enter(root, "make", kernel.JOBS, "-C", headers,
                         f"M=/root/scoria/{sub}", *OPTIONS, "modules")
        collect(staged, directory)
        shutil.rmtree(staged)


def result(lane_kernel, kernel_directory):
    """The directory that holds the modules for what `lane_kernel` made."""
    inputs = [kernel_directory.name, *map(str, OPTIONS), HERE / "modules.py"]
    inputs += [item for path in sources() for item in (str(path.relative_to(TOP)), path)]
    if lane_kernel is kernel_debug:
        return cache.result("modules-debug", inputs,
                            lambda directory: build_debug(kernel_directory, directory))
    root, headers = chroot.result()
    return cache.result("modules-stock", inputs,
                        lambda directory: build_stock(root, headers, directory))
