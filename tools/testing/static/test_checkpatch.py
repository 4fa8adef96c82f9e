#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""checkpatch.pl --strict, of the newest kernel we build for, over all kernel code.

It takes a second a file, so the cache remembers which contents it passed.
"""
import re
import subprocess
import sys

import trees
import cache
import kernel
import kernel_stock
import tap

COMPAT = f"{trees.DRIVER}/scoria_compat.h"
# claim, files, what a rule of the kernel's cannot mean out of its tree
GROUPS = [
    ("driver", [name for name in trees.files(f"{trees.DRIVER}/**/*.[ch]", f"{trees.DRIVER}/Kconfig",
                                             f"{trees.DRIVER}/Makefile", f"{trees.UAPI}/*.h")
                if name != COMPAT], []),
    # several kernels from one source is what it is for; IS_ENABLED() has no version
    ("compat_header", [COMPAT], ["LINUX_VERSION_CODE", "CONSTANT_COMPARISON"]),
    # userspace that maps registers; SKIP() is a macro that returns, and so is what calls it
    ("selftests", trees.files(f"{trees.SELFTESTS}/*.[ch]", f"{trees.BOARD}/jobs.c"),
     ["VOLATILE", "MACRO_WITH_FLOW_CONTROL", "MACRO_ARG_REUSE"]),
    # a binding for a board that exists in QEMU only would be none of the kernel's
    ("board", trees.files(f"{trees.BOARD}/scoria_board.c"), ["UNDOCUMENTED_DT_STRING"]),
]


def complaints(tree, names, options):
    """file:line: what, for each complaint about the files."""
    done = subprocess.run(["perl", tree / "scripts/checkpatch.pl", *options, "--file", *names],
                          cwd=trees.TOP, text=True, capture_output=True, check=False)
    found = [line for line in done.stdout.splitlines() if re.match(r"\S+:\d+: ", line)]
    if done.returncode and not found:
        found = [f"checkpatch: exit status {done.returncode}",
                 *(done.stdout + done.stderr).splitlines()[-10:]]
    return found


def findings(tree, names, ignored):
    """Complaints about those of the files that have not passed before as they are."""
    passed = cache.Passed("checkpatch")
    options = ["--strict", "--terse", "--show-types", "--no-summary"]
    if ignored:
        options.append("--ignore=" + ",".join(ignored))
    inputs = {name: [kernel.tree_version(tree), *options, name, trees.TOP / name]
              for name in names}
    new = [name for name in names if not passed.has(inputs[name])]
    found = complaints(tree, new, [f"--root={tree}", *options]) if new else []
    if not found:
        for name in new:
            passed.add(inputs[name])
    return found


def main():
    tree = kernel_stock.source()
    return tap.report((f"checkpatch_finds_nothing_in_{group}", findings(tree, names, ignored))
                      for group, names, ignored in GROUPS)


if __name__ == "__main__":
    sys.exit(main())
