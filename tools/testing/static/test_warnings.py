#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""No warning of gcc with W=1, and none of sparse, on both kernels."""
import re
import sys

import trees                    # pylint: disable=unused-import
import kernel_debug
import kernel_stock
import modules
import tap

WARNING = re.compile(r"(?:\S*?/source/|/root/warnings/)?(\S+\.[ch]:\d+:.*)")
CHECKED = re.compile(r"^ *CHECK\b.*\.c$", re.M)


def compiled(kernel):
    """Sources that a module has: only the debug kernel has KUnit."""
    return [path for path in modules.sources() if path.suffix == ".c" and
            (kernel is kernel_debug or path.parent.name != "tests")]


def findings(said, sources):
    found = [match[1] for line in said.splitlines() if (match := WARNING.match(line))]
    checked = len(CHECKED.findall(said))
    if checked < len(sources):
        found.append(f"sparse saw {checked} files of {len(sources)}")
    return found


def claims():
    for kernel in (kernel_debug, kernel_stock):
        said = modules.warnings(kernel, kernel.result())
        yield (f"gcc_and_sparse_find_nothing_with_{kernel.__name__}",
               findings(said, compiled(kernel)))


if __name__ == "__main__":
    sys.exit(tap.report(claims()))
