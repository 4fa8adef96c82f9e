#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""kernel-doc over the driver: every comment sound, every function and struct described.

What is not static is declared in a header (sparse sees to that), so the headers
hold all functions that need a description; it stands there or with the body.
"""
import re
import subprocess
import sys

import trees
import kernel_stock
import tap

SOURCES = trees.files(f"{trees.DRIVER}/*.[ch]", f"{trees.UAPI}/*.h")
HEADERS = [name for name in SOURCES if name.endswith(".h")]
# tracepoints are macros, and the compatibility layer has the kernel's own names
EXEMPT = {f"{trees.DRIVER}/scoria_trace.h", f"{trees.DRIVER}/scoria_compat.h"}
COMMENT = re.compile(r"/\*.*?\*/", re.S)
FUNCTION = re.compile(r"^(?!#|typedef)(?:[a-z_]\w*[\s*]+)+\**(\w+)\([^;{]*\)\s*[;{]", re.M)
STRUCT = re.compile(r"^(?:struct|union) (\w+) {", re.M)
DESCRIBED = re.compile(r"^\.\. c:(?:function|struct|union|macro):: (?:.*?\b)?(\w+)(?: \(.*)?$", re.M)


def kernel_doc(tree, *args):
    done = subprocess.run([sys.executable, tree / "scripts/kernel-doc", *args, *SOURCES],
                          cwd=trees.TOP, text=True, capture_output=True, check=False)
    return done.stdout, done.stderr.splitlines()


def without_comments(text):
    """The same lines with their comments empty."""
    return COMMENT.sub(lambda match: "\n" * match[0].count("\n"), text)


def declared(name):
    """Line and name of each function and struct of a header."""
    text = without_comments((trees.TOP / name).read_text())
    for pattern in (FUNCTION, STRUCT):
        for match in pattern.finditer(text):
            yield text.count("\n", 0, match.start()) + 1, match[1]


def missing(described):
    return [f"{name}:{line}: {what} is not described"
            for name in HEADERS if name not in EXEMPT
            for line, what in declared(name) if what not in described]


def main():
    tree = kernel_stock.source()
    _, complaints = kernel_doc(tree, "-none", "-Wall")
    described = set(DESCRIBED.findall(kernel_doc(tree, "-rst")[0]))
    return tap.report([
        ("kernel_doc_has_no_complaint", complaints),
        ("kernel_doc_reads_the_sources", [] if described else ["it describes nothing"]),
        ("every_function_and_struct_is_described", missing(described)),
    ])


if __name__ == "__main__":
    sys.exit(main())
