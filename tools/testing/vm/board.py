#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The test board: an RK3588's NPU in QEMU, driven by a real kernel.

usage: board.py build|shell|check [--lane debug|stock] [--out DIRECTORY]

build  makes QEMU, the kernels, the modules and the test programs
shell  boots to a shell on the console
check  runs the tests, in both lanes without --lane, and prints TAP
"""
import argparse
import os
import pathlib
import sys

import cache
import initramfs
import kernel_debug
import kernel_stock
import machine
import modules
import programs
import qemu
import run

TOP = pathlib.Path(__file__).resolve().parents[3]
LANES = {"debug": kernel_debug, "stock": kernel_stock}
SECONDS = {"debug": 1500, "stock": 600}
APPEND = {"debug": "console=ttyAMA0 loglevel=1 panic=-1 kasan.fault=report",
          "stock": "console=ttyAMA0 loglevel=1 panic=-1"}


def kernel_modules(lane, directory):
    """The modules that the guest loads, in order."""
    order = []
    if lane == "stock":
        base = directory / "modules"
        order = [base / name for name in (base / "order").read_text().split()]
    built = modules.result(lane, directory)
    return order + [built / name for name in modules.NAMES]


def prepare(lane, out, more=""):
    """QEMU's command line for a lane, and the names of its tests."""
    program = qemu.program()
    directory = LANES[lane].result()
    tests, helpers = programs.build(out)
    root = out / f"{lane}.cpio.gz"
    initramfs.write(root, kernel_modules(lane, directory), tests, helpers)
    arguments = machine.command(program, directory / "Image", root, APPEND[lane] + more)
    return arguments, [name for name, _ in tests]


def check(lanes, out):
    tap = run.Tap()
    for lane in lanes:
        arguments, names = prepare(lane, out)
        cache.say(f"running the {lane} lane")
        run.lane_tests(tap, lane, arguments, names, out, SECONDS[lane])
    tap.end()
    return 1 if tap.failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("action", choices=["build", "shell", "check"])
    parser.add_argument("--lane", choices=list(LANES))
    parser.add_argument("--out", type=pathlib.Path, default=TOP / "build/vm")
    options = parser.parse_args()
    lanes = [options.lane] if options.lane else list(LANES)
    options.out = options.out.resolve()
    # the variables of the make that called us mean nothing to the builds here
    for name in ("MAKEFLAGS", "MFLAGS", "MAKEOVERRIDES", "MAKELEVEL"):
        os.environ.pop(name, None)
    if options.action == "check":
        return check(lanes, options.out)
    if options.action == "shell":
        arguments, _ = prepare(options.lane or "stock", options.out, " scoria.shell")
        return machine.shell(arguments)
    for lane in lanes:
        prepare(lane, options.out)
    cache.say("the board is built")
    return 0


if __name__ == "__main__":
    sys.exit(main())
