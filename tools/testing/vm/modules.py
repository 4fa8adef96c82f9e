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


def make_debug(kernel_directory, directory, options):
    """Build in a copy of the sources; returns the copy and what make said."""
    staged = directory / "source"
    stage(staged)
    said = [debian.run([*kernel.MAKE, "-C", kernel_directory / "build", f"M={staged / sub}",
                        *OPTIONS, *options, "CONFIG_DRM_ACCEL_SCORIA_KUNIT_TEST=y", "modules"])
            for sub in DIRECTORIES]
    return staged, "".join(said)


def make_stock(root, headers, name, options):
    staged = root / "root" / name
    shutil.rmtree(staged, ignore_errors=True)
    stage(staged)
    said = [chroot.enter(root, "make", kernel.JOBS, "-C", headers, f"M=/root/{name}/{sub}",
                         *OPTIONS, *options, "modules")
            for sub in DIRECTORIES]
    return staged, "".join(said)


def built(kind, lane_kernel, kernel_directory, options, collect):
    """The result `kind` for a build with more options for make.

    collect(staged, said, directory) takes from the build what shall stay.
    """
    inputs = [kernel_directory.name, *OPTIONS, *options, HERE / "modules.py"]
    inputs += [item for path in sources() for item in (str(path.relative_to(TOP)), path)]

    def build_debug(directory):
        staged, said = make_debug(kernel_directory, directory, options)
        collect(staged, said, directory)
        shutil.rmtree(staged)

    def build_stock(directory):
        # the lock of the kind keeps others from the same place
        staged, said = make_stock(root, headers, kind, options)
        collect(staged, said, directory)
        shutil.rmtree(staged)

    if lane_kernel is kernel_debug:
        return cache.result(f"{kind}-debug", inputs, build_debug)
    root, headers = chroot.result()
    return cache.result(f"{kind}-stock", inputs, build_stock)


def keep_modules(staged, _, directory):
    for name in NAMES:
        found, = staged.rglob(name)
        shutil.move(found, directory / name)


def result(lane_kernel, kernel_directory):
    """The directory that holds the modules for what `lane_kernel` made."""
    return built("modules", lane_kernel, kernel_directory, [], keep_modules)


def warnings(lane_kernel, kernel_directory):
    """What W=1 and sparse say about the sources.

    sparse does not understand that guard() unlocks at the end of its scope, and
    reports every one as an imbalance; kernel developers turn that check off.
    """
    def keep_log(_, said, directory):
        (directory / "log").write_text(said)

    options = ["W=1", "C=2", "CF=-Wno-context"]
    if lane_kernel is not kernel_debug:
        options.append(f"CHECK={chroot.SPARSE}")
    return (built("warnings", lane_kernel, kernel_directory, options, keep_log) / "log").read_text()
