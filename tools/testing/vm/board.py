#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The test board: an RK3588's NPU in QEMU, driven by a real kernel.

usage: board.py build|shell|check [--lane debug|stock|two-cores|opp] [--out DIRECTORY]

build  makes QEMU, the kernels, the modules and the test programs
shell  boots to a shell on the console
check  runs the tests, in every lane without --lane, and prints TAP

What is not worth a cache is made in DIRECTORY; $O/vm or build/vm without it.
"""
import argparse
import os
import pathlib
import sys
import types
import typing

import cache
import initramfs
import kernel_debug
import kernel_stock
import machine
import modules
import programs
import qemu
import run
import tap

TOP = pathlib.Path(__file__).resolve().parents[3]
APPEND = "console=ttyAMA0 loglevel=1 panic=-1"


class Lane(typing.NamedTuple):
    """A kernel, and the board that it boots on."""
    kernel: types.ModuleType
    seconds: int                # what a run may take on a busy host
    append: str = APPEND
    device: tuple = ()          # options of the board
    without: tuple = ()         # programs that do not run here
    only: tuple = ()            # those that do, where it is not all
    opp: bool = False           # the NPU has operating points, so that its clock follows the load


LANES = {
    # its kernel has no memory cgroups
    "debug": Lane(kernel_debug, 1500, APPEND + " kasan.fault=report",
                  without=("devfreq", "memory")),
    "stock": Lane(kernel_stock, 600, without=("devfreq",)),
    # fuzz learns nothing from a dead core
    "two-cores": Lane(kernel_stock, 600, device=("dead=4",), without=("fuzz", "devfreq")),
    "opp": Lane(kernel_stock, 600, only=("power", "devfreq", "unplug"), opp=True),
}


def kernel_modules(kernel, directory):
    """The modules that the guest loads, in order."""
    order = []
    if kernel is kernel_stock:
        base = directory / "modules"
        order = [base / name for name in (base / "order").read_text().split()]
    built = modules.result(kernel, directory)
    return order + [built / name for name in modules.NAMES]


def prepare(lane, out, more=""):
    """QEMU's command line for a lane, and the names of its tests."""
    kernel, _, append, device, without, only, opp = LANES[lane]
    program = qemu.program()
    directory = kernel.result()
    tests, helpers = programs.build(out, kernel is kernel_debug)
    tests = [test for test in tests if test[0] not in without and (not only or test[0] in only)]
    root = out / f"{lane}.cpio.gz"
    initramfs.write(root, kernel_modules(kernel, directory), tests, helpers)
    arguments = machine.command(program, directory / "Image", root, append + more, device,
                                opp)
    return arguments, [name for name, _ in tests]


def check(lanes, out):
    claims = tap.Tap()
    for lane in lanes:
        arguments, names = prepare(lane, out)
        cache.say(f"running the {lane} lane")
        run.lane_tests(claims, lane, arguments, names, out, LANES[lane].seconds)
    claims.end()
    return 1 if claims.failed else 0


def forget_make():
    """The variables of the make that called us mean nothing to the builds here."""
    for name in ("MAKEFLAGS", "MFLAGS", "MAKEOVERRIDES", "MAKELEVEL"):
        os.environ.pop(name, None)


def default_out():
    """Where a run leaves what it built and read, unless it is told."""
    return pathlib.Path(os.environ.get("O", TOP / "build")) / "vm"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("action", choices=["build", "shell", "check"])
    parser.add_argument("--lane", choices=list(LANES))
    parser.add_argument("--out", type=pathlib.Path, default=default_out())
    options = parser.parse_args()
    lanes = [options.lane] if options.lane else list(LANES)
    options.out = options.out.resolve()
    forget_make()
    if options.action == "check":
        return check(lanes, options.out)
    if options.action == "shell":
        machine.needs_terminal()
        arguments, _ = prepare(options.lane or "stock", options.out, " scoria.shell")
        return machine.shell(arguments)
    for lane in lanes:
        prepare(lane, options.out)
    cache.say("the board is built")
    return 0


if __name__ == "__main__":
    sys.exit(main())
