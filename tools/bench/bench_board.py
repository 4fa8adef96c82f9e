#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What it costs the CPU to run jobs, measured on the test board.

usage: bench_board.py FILE.json [--out DIRECTORY]

Boots the stock kernel with this driver, and then with the in-tree rocket, and lets
bench_dispatch measure. Prints a table and adds "board" to FILE.json. The board's
time is a count of instructions, so that the figures do not depend on the host; only one CPU
is started, so that no other's instructions are among them.
"""
import argparse
import json
import pathlib
import re
import sys

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tools/testing/vm"))

import board        # noqa: E402
import cache        # noqa: E402
import drivers      # noqa: E402
import initramfs    # noqa: E402
import kernel_stock  # noqa: E402
import machine      # noqa: E402
import programs     # noqa: E402
import qemu         # noqa: E402
import run          # noqa: E402

FIGURE = re.compile(r"figure (\w+) (\d+) (idle|busy) (\w+) ([\d.]+)$")
SECONDS = 600
# load, figure, and the two lines above it
COLUMNS = [("idle", "submit_to_kick", "submit", "to kick"),
           ("idle", "submit_return", "", "to return"),
           ("idle", "irq_to_driver", "irq, idle", "to driver"),
           ("idle", "irq_to_next_kick", "", "to kick"),
           ("idle", "irq_to_waiter", "", "to waiter"),
           ("busy", "irq_to_driver", "irq, busy", "to driver"),
           ("busy", "irq_to_next_kick", "", "to kick"),
           ("busy", "irq_to_waiter", "", "to waiter"),
           ("idle", "mmio_writes", "MMIO", "writes"),
           ("idle", "mmio_reads", "", "reads"),
           ("idle", "interrupts", "", "irqs")]
INTERFACES = [("native", "program, native"), ("compat", "rocket's ioctls here"),
              ("renewed", "with new words"), ("rocket", "in-tree rocket")]


def is_built():
    """Whether the parts that take long are in the cache."""
    return all(list(cache.root().glob(f"{name}-*"))
               for name in ("qemu-board", "kernel-stock", "chroot-trixie"))


def ns_per_instruction():
    shift, = re.findall(r"shift=(\d+)", " ".join(machine.OPTIONS))
    return 1 << int(shift)


def measure(name, guest_modules, out):
    """The figures that bench_dispatch prints, by (interface, tasks), load and name."""
    bench = out / "selftests/bench_dispatch"
    root, console = out / f"bench-{name}.cpio.gz", out / f"bench-{name}.console"
    initramfs.write(root, guest_modules, [("bench_dispatch", bench)], [],
                    parameters=drivers.PARAMETERS)
    arguments = machine.command(qemu.program(), kernel_stock.result() / "Image", root,
                                board.APPEND + " maxcpus=1")
    cache.say(f"measuring on the board with {name}")
    run.watch(arguments, console, out / f"bench-{name}.board", SECONDS)
    figures = {}
    for line in console.read_text(encoding="utf-8", errors="replace").splitlines():
        match = FIGURE.match(line.strip())
        if match:
            interface, tasks, load, name, value = match.groups()
            value = float(value)
            if name.endswith("_ns"):
                value /= ns_per_instruction()
            row = figures.setdefault((interface, int(tasks)), {"idle": {}, "busy": {}})
            row[load][name.removesuffix("_ns")] = value
    return figures


def measure_all(out):
    selftests = out / "selftests"
    selftests.mkdir(parents=True, exist_ok=True)
    programs.make(selftests, selftests / "bench_dispatch")
    kernel = kernel_stock.result()
    return {key: row for driver in drivers.DRIVERS
            for key, row in measure(driver, drivers.kernel_modules(driver, kernel), out).items()}


def cell(row, load, name):
    """One figure; of accesses there may be halves."""
    return f"{row[load].get(name, float('nan')):12,.{1 if 'mmio' in name else 0}f}"


def print_table(figures):
    print("\nInstructions of the guest's CPU for one job, medians; accesses per job. When the\n"
          "interrupt comes the CPU is idle, or busy with what another process computes.\n")
    for title, line in (("", 2), ("tasks", 3)):
        print(f"{title:>28}" + "".join(f"{column[line]:>12}" for column in COLUMNS))
    for interface, title in INTERFACES:
        for (name, tasks), row in sorted(figures.items()):
            if name == interface:
                print(f"{title:22}{tasks:6}" +
                      "".join(cell(row, load, figure) for load, figure, _, _ in COLUMNS))
    print()


def write_json(path, figures):
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        data = {}
    data["board"] = [{"interface": name, "tasks": tasks, **row}
                     for (name, tasks), row in sorted(figures.items())]
    path.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("json", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path, default=TOP / "build/vm")
    options = parser.parse_args()
    if not is_built():
        print("bench: SKIP what runs on the test board, which is not built: make board")
        return 0
    board.forget_make()
    figures = measure_all(options.out.resolve())
    print_table(figures)
    write_json(options.json, figures)
    missing = [title for interface, title in INTERFACES
               if not any(name == interface for name, _ in figures)]
    for title in missing:
        print(f"bench: no figures of {title}; see {options.out}/bench-*.console")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
