# SPDX-License-Identifier: MIT
"""The test programs of the guest: the kselftests, static, for arm64."""
import pathlib

import cache
import debian
import kernel

TOP = pathlib.Path(__file__).resolve().parents[3]
SELFTESTS = TOP / "tools/testing/selftests/drivers/accel/scoria"


def make(out, *targets):
    harness = kernel.source(debian.bookworm(), "linux-source-6.12") / "tools/testing/selftests"
    return debian.run(["make", "-s", "-j2", "-C", SELFTESTS, f"OUTPUT={out}",
                       f"CROSS_COMPILE={kernel.CROSS}", "LDFLAGS=-static",
                       f"KSELFTEST={harness}", *targets])


def build(out):
    """Name and path of every program, in the order in which they run."""
    out.mkdir(parents=True, exist_ok=True)
    cache.say("building the guest's tests")
    make(out)
    return [(name, out / name) for name in make(out, "list").split()]
