#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""No warning of gcc with W=1, and none of sparse, on both kernels; none of gcc on x86."""
import re
import sys

import trees                    # pylint: disable=unused-import
import kernel_debug
import kernel_stock
import modules
import tap

WARNING = re.compile(r"(?:\S*/(?=drivers/|tools/|registers/|include/))?(\S+\.[ch]:\d+:.*)")
CHECKED = re.compile(r"^ *CHECK\b.*\.c$", re.M)
COMPILED = re.compile(r"^ *CC\b.* \[M\] .*\.o$", re.M)


def compiled(kernel):
    """Sources that a module has: only the debug kernel has KUnit."""
    return [path for path in modules.sources() if path.suffix == ".c" and
            (kernel is kernel_debug or path.parent.name != "tests")]


def findings(said, sources, seen, tool):
    """What was said, and whether the tool saw all sources: `seen` are its words about one."""
    found = [match[1] for line in said.splitlines() if (match := WARNING.match(line))]
    count = len(seen.findall(said))
    if count < len(sources):
        found.append(f"{tool} saw {count} files of {len(sources)}")
    return found


def claims():
    for kernel in (kernel_debug, kernel_stock):
        said = modules.said(kernel, kernel.result())
        yield (f"gcc_and_sparse_find_nothing_with_{kernel.__name__}",
               findings(said, compiled(kernel), CHECKED, "sparse"))
    sources = [path for path in compiled(kernel_stock) if modules.DRIVER in str(path)]
    yield ("gcc_finds_nothing_on_x86",
           findings(modules.foreign(kernel_stock.result()), sources, COMPILED, "gcc"))


if __name__ == "__main__":
    sys.exit(tap.report(claims()))
