# SPDX-License-Identifier: MIT
"""The test programs of the guest, static, for arm64: kselftests, and the operation library."""
import pathlib

import cache
import debian
import kernel

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parents[2]
SELFTESTS = TOP / "tools/testing/selftests/drivers/accel/scoria"
# the library's tests that go to the guest: of what is compiled otherwise for arm64, or needs
# the driver
LIBRARY = ["sequence", "tensor_pack", "convert"]
# of the selftests, and no test: init starts it before it turns the guest off
LAST = "hold_job"


def make(out, *targets):
    harness = kernel.source(debian.bookworm(), "linux-source-6.12") / "tools/testing/selftests"
    return debian.run(["make", "-s", "-j2", "-C", SELFTESTS, f"OUTPUT={out}",
                       f"CROSS_COMPILE={kernel.CROSS}", "LDFLAGS=-static",
                       f"KSELFTEST={harness}", *targets])


def make_library(out):
    """The `scoria` command, whose --check is the operation library's test, and some of the tests."""
    names = {"scoria": out / "scoria"}
    names |= {f"test_{name}": out / f"tools/lib/scoria/tests/test_{name}" for name in LIBRARY}
    debian.run(["make", "-s", "-j2", "-C", TOP, f"O={out}",
                f"CC=tools/testing/ccache.sh {kernel.CROSS}gcc", f"AR={kernel.CROSS}ar",
                f"WERROR=-Werror -ffile-prefix-map={TOP}=.", "LDFLAGS=-static", *names.values()])
    return list(names.items())


def build(out, faults):
    """Name and path of every test, in the order in which they run; and its helpers'.

    `faults` says whether the kernel has fault injection, which some tests need.
    """
    selftests = out / "selftests"
    selftests.mkdir(parents=True, exist_ok=True)
    cache.say("building the guest's tests")
    make(selftests, "all", f"{selftests}/{LAST}")
    names = make(selftests, "list", f"FAULTS={'1' if faults else ''}").split()
    tests = [(name, selftests / name) for name in names]
    tests += [(name, HERE / "guest" / name) for name in ("ops", "commands")]
    tests += [(name, HERE / "guest/library") for name in LIBRARY]
    return tests, [*make_library(out / "arm64"), (LAST, selftests / LAST)]
