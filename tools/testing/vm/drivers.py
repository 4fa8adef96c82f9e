#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The in-tree rocket driver beside ours, on the same board, with the same programs.

usage: drivers.py [--out DIRECTORY]

Boots the stock kernel once with each driver. guest/jobs prints what jobs of several sizes
cost, which becomes the table on standard output; the selftest compat makes the same calls
of each, and the operation library's checks show whether it runs on either. Failures go to
standard error.
"""
import argparse
import pathlib
import sys

import board
import cache
import debian
import initramfs
import kernel
import kernel_stock
import machine
import programs
import qemu
import rocket
import run

HERE = pathlib.Path(__file__).resolve().parent
DRIVERS = ("rocket", "scoria")
COLUMNS = ("tasks", "interrupts", "kicks", "MMIO reads", "MMIO writes", "instructions", "µs")
# what mainline's power domains do, and rocket relies on
PARAMETERS = {"scoria_board.ko": "device_clocks=1"}
SECONDS = 600


def kernel_modules(driver, directory):
    """The modules that the guest loads for `driver`, in order."""
    order = board.kernel_modules(kernel_stock, directory)
    if driver == "rocket":
        order = [path for path in order if path.name != "scoria.ko"] + [rocket.result()]
    return order


def make_jobs(out):
    """guest/jobs, from the selftests' header and a stream of theirs; and the selftest compat."""
    programs.make(out, f"{out}/job_data.h", f"{out}/compat")
    harness = kernel.source(debian.bookworm(), "linux-source-6.12") / "tools/testing/selftests"
    debian.run([f"{kernel.CROSS}gcc", "-O2", "-Wall", "-Wextra", "-Werror", "-D_GNU_SOURCE",
                "-static", "-I", out, "-I", programs.SELFTESTS,
                "-I", board.TOP / "include/uapi/drm", "-I", HERE.parent / "model/qemu",
                "-isystem", harness, "-idirafter", board.TOP / "tools/include",
                "-o", out / "jobs", HERE / "guest/jobs.c"])
    return [(name, out / name) for name in ("jobs", "compat")]


def boot(driver, tests, helpers, out):
    """Run the tests on one driver; the Console, and the rows that jobs printed."""
    directory = kernel_stock.result()
    archive = out / f"driver-{driver}.cpio.gz"
    initramfs.write(archive, kernel_modules(driver, directory), tests, helpers,
                    parameters=PARAMETERS)
    arguments = machine.command(qemu.program(), directory / "Image", archive, board.APPEND)
    cache.say(f"running {driver}")
    log = out / f"driver-{driver}.console"
    console = run.watch(arguments, log, out / f"driver-{driver}.board", SECONDS).console
    if not console.done:
        raise SystemExit(f"{driver}: the guest did not end; see {log}")
    rows = [line.split()[1:] for line in log.read_text(encoding="utf-8").splitlines()
            if line.startswith("@jobs ")]
    return console, rows


def table(rows):
    """Lines of reStructuredText."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    rule = "  ".join("=" * width for width in widths)
    lines = ["  ".join(cell.rjust(width) for cell, width in zip(row, widths)) for row in rows]
    return [rule, lines[0], rule, *lines[1:], rule]


def readable(driver, row):
    """A row of the table: counts a job, time in microseconds."""
    tasks, *counts, ns = row
    return [driver, tasks, *(f"{float(count):.0f}" for count in counts), f"{float(ns) / 1000:.0f}"]


def claims(driver, console):
    """How many claims passed; those that did not go to standard error."""
    passed = failed = 0
    for program in console.programs.values():
        for good, name, _, notes in program.claims:
            passed += good
            failed += not good
            if not good:
                print(f"{driver}: not ok: {name}", *notes, sep="\n", file=sys.stderr)
    return f"{driver}: {passed} claims passed, {failed} failed"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--out", type=pathlib.Path, default=board.default_out())
    out = parser.parse_args().out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    board.forget_make()
    tests = [*make_jobs(out), ("ops", HERE / "guest/ops")]
    helpers = programs.make_library(out / "arm64")
    found = {driver: boot(driver, tests, helpers, out) for driver in DRIVERS}
    rows = [readable(driver, row) for size in zip(*(found[driver][1] for driver in DRIVERS))
            for driver, row in zip(DRIVERS, size)]
    print("\n".join(table([["driver", *COLUMNS], *rows])))
    for driver in DRIVERS:
        print(claims(driver, found[driver][0]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
