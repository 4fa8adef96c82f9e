# SPDX-License-Identifier: MIT
"""What the static checks look at, and the tools of the board that they use."""
import pathlib
import sys

TOP = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(TOP / "tools/testing/vm"))

DRIVER = "drivers/accel/scoria"
UAPI = "include/uapi/drm"
SELFTESTS = "tools/testing/selftests/drivers/accel/scoria"
BOARD = "tools/testing/vm/guest"


def files(*patterns):
    """Paths, relative to the top, of what matches the patterns."""
    return sorted(str(path.relative_to(TOP)) for pattern in patterns for path in TOP.glob(pattern))
