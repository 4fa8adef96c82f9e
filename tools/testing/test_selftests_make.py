#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What `make run_tests` of the selftests ends with, in TAP."""
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SELFTESTS = HERE / "selftests/drivers/accel/scoria"
sys.path.insert(0, str(HERE / "vm"))
import tap      # pylint: disable=wrong-import-position


def run_tests(directory, statuses):
    """The exit status and what was said, for programs that end with these."""
    for name, status in statuses.items():
        program = directory / name
        program.write_text(f"#!/bin/sh\necho it is {name}\nexit {status}\n")
        program.chmod(0o755)
    environment = {name: value for name, value in os.environ.items() if name != "MAKEFLAGS"}
    return subprocess.run(["make", "-s", "-C", SELFTESTS, "run_tests", f"OUTPUT={directory}",
                           "TEST_GEN_PROGS=" + " ".join(statuses)], env=environment,
                          capture_output=True, text=True, check=False)


def wrong(directory, statuses, failed):
    """What speaks against: all run, and the end names those that failed."""
    done = run_tests(directory, statuses)
    missing = [name for name in statuses if f"it is {name}\n" not in done.stdout]
    said = [line for line in done.stderr.splitlines() if line.startswith("failed:")]
    wanted = ["failed: " + " ".join(failed)] if failed else []
    if missing or said != wanted or bool(done.returncode) != bool(failed):
        return [f"exit {done.returncode}, not run: {missing}, {done.stdout}{done.stderr}"]
    return []


def claims(directory):
    yield ("passed_and_skipped_are_no_failure",
           wrong(directory, {"pass1": 0, "skip": 4, "pass2": 0}, []))
    yield ("failure_of_any_program_is_the_end_s",
           wrong(directory, {"fail1": 1, "pass1": 0, "crash": "139", "skip": 4},
                 ["fail1", "crash"]))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        sys.exit(tap.report(claims(pathlib.Path(name))))
