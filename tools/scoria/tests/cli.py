# SPDX-License-Identifier: MIT
"""What tests of the `scoria` command share: running it, and claims in TAP.

The command under test is $SCORIA, or scoria in the build directory $O.
"""
import os
import pathlib
import subprocess
import traceback

TOP = pathlib.Path(__file__).resolve().parents[3]
SCORIA = os.environ.get("SCORIA") or os.path.join(os.environ.get("O") or "build", "scoria")


class Failure(Exception):
    """A claim that does not hold."""


def expect(condition, what):
    if not condition:
        raise Failure(what)


def run(*arguments, command=SCORIA, **options):
    return subprocess.run([command, *map(str, arguments)], cwd=TOP, capture_output=True,
                          timeout=60, check=False, text=True, **options)


def ends(status, *arguments, **options):
    """What is printed by a run that must end with that status."""
    out = run(*arguments, **options)
    expect(out.returncode == status,
           f"{arguments}: exit {out.returncode}: {out.stdout}{out.stderr}")
    return out.stdout


def good(*arguments, **options):
    return ends(0, *arguments, **options)


def refused(words, *arguments):
    """Exit status 2, nothing on stdout, and one line that names what is wrong."""
    out = run(*arguments)
    expect(out.returncode == 2, f"{arguments}: exit {out.returncode}: {out.stdout}")
    expect(not out.stdout and out.stderr.count("\n") == 1, f"{arguments}: {out}")
    expect(words in out.stderr, f"{arguments}: no {words!r} in {out.stderr!r}")


def main(claims):
    """Run the functions named test_... of a module's globals()."""
    tests = [(name, test) for name, test in claims.items() if name.startswith("test_")]
    failed = 0
    print(f"TAP version 13\n1..{len(tests)}")
    for number, (name, test) in enumerate(tests, 1):
        try:
            test()
            print(f"ok {number} - {name[5:]}", flush=True)
        except Exception:
            failed += 1
            print("# " + traceback.format_exc().replace("\n", "\n# "))
            print(f"not ok {number} - {name[5:]}", flush=True)
    return failed > 0
