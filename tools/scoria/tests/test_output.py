#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What `scoria` prints arrives, or its status says that it did not. In TAP."""
import os
import pathlib
import subprocess
import sys
import tempfile

from cli import SCORIA, TOP, expect, main

VECTOR = TOP / "tools" / "testing" / "vectors" / "mtx512-matmul-int8-8x64x64.vec"
MATMUL = ("matmul", "--m", 3, "--k", 4, "--n", 5)
PRINTING = [
    ("--help",), ("--version",), ("bench", "--help"),
    MATMUL, (*MATMUL, "--check", "--json"), ("conv1d", "--help"),
    ("pool", "--c", 1, "--h", 3, "--w", 4, "--kernel", 2), ("eltwise", "--op", "add", "--n", 3),
    ("info", "--device", "model"), ("info", "--device", "model", "--json"),
    ("doctor",), ("doctor", "--device", "model"), ("doctor", "--json"),
    ("top", "--once", "--interval", 0.01), ("top", "--once", "--interval", 0.01, "--json"),
    ("bench", "--device", "model", "--repeat", 1, "--only", "matmul 256"),
    ("silicon", "--list"), ("silicon", "--device", "model", "--only", 2),
    ("silicon", "--device", "model", "--only", 2, "--json", "-"),
    ("decode", VECTOR), ("decode", VECTOR, "--json"), ("decode", "--reason", 1),
]


def run_with(redirection, *arguments):
    return subprocess.run(["sh", "-c", f'exec "$0" "$@" {redirection}', os.path.abspath(SCORIA),
                           *map(str, arguments)], capture_output=True, text=True, timeout=60,
                          check=False)


def test_what_is_lost_is_said():
    for redirection in (">/dev/full", ">&-"):
        for arguments in PRINTING:
            out = run_with(redirection, *arguments)
            expect(out.returncode == 2 and out.stderr.count("\n") == 1,
                   f"{arguments} {redirection}: {out}")


def test_what_is_wrong_besides_is_said_once():
    out = run_with(">/dev/full", "matmul", "--m", 0)
    expect(out.returncode == 2 and out.stderr.count("\n") == 1 and "--m" in out.stderr, out)


def test_nothing_printed_is_nothing_lost():
    out = run_with(">&-", "decode", "/none")
    expect(out.returncode == 2 and "/none" in out.stderr and "written" not in out.stderr, out)


def report(redirection, option):
    """Of an experiment, in a file; without how long it took."""
    with tempfile.TemporaryDirectory() as name:
        path = pathlib.Path(name) / "report"
        out = run_with(redirection, "silicon", "--device", "model", "--only", 2, option, path)
        lines = path.read_text(encoding="utf-8").splitlines()
    return out, [line for line in lines if '"seconds"' not in line]


def test_no_file_takes_the_place_of_a_closed_one():
    for option in ("--text", "--json"):
        good, whole = report(">&2", option)
        expect(good.returncode == 0 and whole, good)
        for redirection in (">&-", "<&- >&-", "<&- >&- 2>&-"):
            out, lines = report(redirection, option)
            expect(out.returncode == 2 and lines == whole, f"{option} {redirection}: {out} {lines}")


if __name__ == "__main__":
    sys.exit(main(globals()))
