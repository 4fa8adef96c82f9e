# SPDX-License-Identifier: MIT
"""The modules of a lane: the driver under test, and the board's provider.

Whatever is built is built with W=1 and under sparse, whose words are kept for
the static checks. The stock kernel gets its driver through DKMS, as a user does.
"""
import pathlib
import re
import shutil

import cache
import chroot
import debian
import kernel
import kernel_debug

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parents[2]
DRIVER = "drivers/accel/scoria"
GUEST = "tools/testing/vm/guest"
PATTERNS = [f"{DRIVER}/*.[ch]", f"{DRIVER}/tests/*.[ch]", f"{DRIVER}/Makefile", f"{DRIVER}/Kconfig",
            "include/uapi/drm/*.h", "registers/*.h",
            f"{GUEST}/scoria_board.c", f"{GUEST}/Kbuild", "tools/testing/model/qemu/board_regs.h"]
# what `make modules` reads beside them
PACKAGE = ["dkms.conf", "Makefile", "registers/module.mk", "drivers/**/module.mk",
           "tools/**/module.mk"]
CROSS = ["ARCH=arm64", f"CROSS_COMPILE={kernel.CROSS}"]
OPTIONS = [*CROSS, "CONFIG_DRM_ACCEL_SCORIA=m", "CONFIG_DRM_ACCEL_SCORIA_KUNIT_TEST=y"]
# sparse does not understand that guard() unlocks at the end of its scope, and
# reports every one as an imbalance; kernel developers turn that check off.
CHECKS = ["W=1", "C=2", "CF=-Wno-context"]
NAMES = ["scoria_board.ko", "scoria.ko"]
LOG = "log"
PLACE = "root/modules"          # in the chroot


def found(patterns):
    return [path for pattern in patterns for path in sorted(TOP.glob(pattern))]


def sources():
    return found(PATTERNS)


def stage(directory, patterns=()):
    """Copy the sources, so that no build leaves files in the checkout."""
    for path in found([*PATTERNS, *patterns]):
        target = directory / path.relative_to(TOP)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
    # an out-of-tree directory finds no headers beside it by itself
    shutil.copyfile(TOP / "tools/testing/model/qemu/board_regs.h",
                    directory / GUEST / "board_regs.h")


def keep(directory, paths, output):
    for path in paths:
        shutil.move(path, directory / path.name)
    (directory / LOG).write_text(output)


def build_debug(kernel_directory, directory):
    staged = directory / "source"
    stage(staged)
    output = [debian.run([*kernel.MAKE, "-C", kernel_directory / "build", f"M={staged / sub}",
                          *OPTIONS, *CHECKS, "modules"])
              for sub in (GUEST, DRIVER)]
    keep(directory, [staged / GUEST / NAMES[0], staged / DRIVER / NAMES[1]], "".join(output))
    shutil.rmtree(staged)


def dkms_version():
    return re.search(r'^PACKAGE_VERSION="(.*)"', (TOP / "dkms.conf").read_text(), re.M)[1]


def dkms_build(root, release, checks):
    """Package the staged sources and build them; returns the module, and what make said."""
    package, version = pathlib.Path(NAMES[1]).stem, dkms_version()
    library = root / "var/lib/dkms" / package
    for left in (library, root / f"usr/src/{package}-{version}"):
        shutil.rmtree(left, ignore_errors=True)
    chroot.enter(root, "dkms", "add", f"/{PLACE}")
    try:
        # dkms leaves its environment to make
        chroot.enter(root, "env", *CROSS, "KBUILD_ARGS=" + " ".join(checks), "dkms", "build",
                     f"{package}/{version}", "-k", release, "-a", "aarch64")
    except SystemExit as error:
        log = library / version / "build/make.log"
        said = log.read_text().splitlines() if log.exists() else []
        raise SystemExit("\n".join([str(error), *said[-40:]])) from None
    built = library / version / release / "aarch64"
    return built / "module" / NAMES[1], (built / "log/make.log").read_text()


def build_stock(root, headers, directory):
    checks = [*CHECKS, f"CHECK={chroot.SPARSE}"]
    staged = root / PLACE
    shutil.rmtree(staged, ignore_errors=True)
    stage(staged, PACKAGE)
    output = chroot.enter(root, "make", kernel.JOBS, "-C", headers, f"M=/{PLACE}/{GUEST}", *CROSS,
                          *checks, "modules")
    module, of_driver = dkms_build(root, chroot.release(headers), checks)
    keep(directory, [staged / GUEST / NAMES[0], module], output + of_driver)
    shutil.rmtree(staged)


def inputs(kernel_directory, patterns=()):
    files = [item for path in found([*PATTERNS, *patterns])
             for item in (str(path.relative_to(TOP)), path)]
    return [kernel_directory.name, *files, HERE / "modules.py"]


def result(lane_kernel, kernel_directory):
    """The directory that holds the modules for what `lane_kernel` made, and LOG."""
    if lane_kernel is kernel_debug:
        return cache.result("modules-debug", inputs(kernel_directory),
                            lambda directory: build_debug(kernel_directory, directory))
    root, headers = chroot.result()
    return cache.result("modules-stock", inputs(kernel_directory, PACKAGE),
                        lambda directory: build_stock(root, headers, directory))


def said(lane_kernel, kernel_directory):
    """What the builds of those modules said."""
    return (result(lane_kernel, kernel_directory) / LOG).read_text()


def foreign(kernel_directory):
    """What W=1 says about the driver on this machine's own processor, where COMPILE_TEST has it."""
    root, headers = chroot.result()

    def build(directory):
        staged = root / f"{PLACE}-foreign"
        shutil.rmtree(staged, ignore_errors=True)
        stage(staged, PACKAGE)
        output = chroot.enter(root, "make", kernel.JOBS, "-C", f"/{PLACE}-foreign", "modules",
                              f"KDIR={chroot.foreign(headers)}", "KBUILD_ARGS=W=1")
        keep(directory, [], output)
        shutil.rmtree(staged)

    return (cache.result("modules-foreign", inputs(kernel_directory, PACKAGE), build) /
            LOG).read_text()
