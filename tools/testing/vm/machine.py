# SPDX-License-Identifier: MIT
"""The virtual machine: QEMU's command line and the device tree of the board."""
import pathlib
import subprocess
import sys

import cache
import debian

HERE = pathlib.Path(__file__).resolve().parent
OVERLAY = HERE / "board.dtso"
REGISTERS = HERE.parent / "model/qemu/board_regs.h"

# Without icount the guest's clock is the host's, which is busy. sleep=off lets
# time jump to the next timer when the guest is idle. What the model has to say
# about jobs goes to standard error.
OPTIONS = ["-cpu", "cortex-a76", "-smp", "2", "-m", "2048", "-nographic", "-nic", "none",
           "-no-reboot", "-rtc", "base=2026-01-01,clock=vm", "-icount", "shift=1,sleep=off",
           "-d", "guest_errors,unimp"]
MACHINE = "virt,gic-version=3"


def build_device_tree(program, directory, defines):
    """virt's own tree with the NPU laid over it."""
    base, text, overlay = (directory / name for name in ("virt.dtb", "npu.dts", "npu.dtbo"))
    debian.run([program, "-machine", f"{MACHINE},dumpdtb={base}", *OPTIONS])
    debian.run(["cpp", "-nostdinc", "-undef", "-D__DTS__", *defines, "-P", "-x",
                "assembler-with-cpp", OVERLAY, text])
    debian.run(["dtc", "-q", "-@", "-I", "dts", "-O", "dtb", "-o", overlay, text])
    debian.run(["fdtoverlay", "-i", base, "-o", directory / "board.dtb", overlay])


def device_tree(program, opp=False):
    """The path of the board's device tree, with operating points for the NPU or without."""
    defines = ["-DBOARD_OPP"] if opp else []
    inputs = [program.parent.name, *OPTIONS, MACHINE, OVERLAY, REGISTERS, *defines]
    return cache.result("device-tree", inputs, lambda directory: build_device_tree(
        program, directory, defines)) / "board.dtb"


def command(program, image, initramfs, append, device=(), opp=False):
    """The command line that boots the board; `device` are options of the NPU."""
    return [str(item) for item in
            [program, "-machine", MACHINE, *OPTIONS, "-kernel", image, "-initrd", initramfs,
             "-dtb", device_tree(program, opp), "-device", ",".join(["scoria-board", *device]),
             "-append", append]]


def needs_terminal():
    """End the program where there is none.

    The guest drops what comes before its prompt, and nothing tells it of an end, so that it
    would wait for ever behind a pipe.
    """
    if not sys.stdin.isatty():
        raise SystemExit("board-shell needs a terminal to type at, not a pipe or a file")


def shell(arguments):
    """Boot with the terminal as the console."""
    return subprocess.call(arguments)
