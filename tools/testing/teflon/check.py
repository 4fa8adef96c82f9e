#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Mesa's Teflon delegate on the test board: TFLite networks, from Debian's packages.

usage: check.py [--driver scoria|rocket] [--out DIRECTORY]

Boots the stock kernel with our module, or with the in-tree driver's, and runs what is in
guest/ on a root of Debian's arm64 packages. Prints TAP. Where Debian no longer has the
packages, that is one skipped claim.
"""
import argparse
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "vm"))

# pylint: disable=wrong-import-position
import board
import cache
import debian
import drivers
import initramfs
import kernel
import kernel_stock
import machine
import networks
import qemu
import root
import run
import tap

TESTS = ("teflon-layers", "teflon-networks", "teflon-processes")
SECONDS = 900


def program(packages, out):
    """The program that compares TFLite with and without the delegate."""
    target = out / "teflon"
    debian.run([f"{kernel.CROSS}gcc", "-std=c11", "-D_GNU_SOURCE", "-O2", "-g", "-Wall", "-Wextra",
                "-Werror", "-isystem", packages / "usr/include", "-I", HERE.parent / "model/qemu",
                "-o", target, HERE / "teflon.c", HERE / "infer.c",
                packages / root.LIBRARIES / "libtensorflow-lite.so",
                # its own libraries are newer than the compiler's
                "-Wl,--allow-shlib-undefined"])
    return target


def shared_objects(packages, start):
    """The libraries that the files of `start` need, and theirs, by name."""
    found = {}
    todo = list(start)
    while todo:
        dynamic = debian.run([f"{kernel.CROSS}readelf", "-d", todo.pop()])
        for name in re.findall(r"NEEDED\).*\[(.*)\]", dynamic):
            if name not in found:
                found[name] = packages / root.LIBRARIES / name
                todo.append(found[name])
    return found


def files(packages, out):
    """What the guest's root has beyond the board's own: names and bytes."""
    binary = program(packages, out)
    delegate = packages / root.DELEGATE_PATH
    found = [("teflon/teflon", binary.read_bytes()),
             (root.DELEGATE_PATH, delegate.read_bytes()),
             ("lib", "usr/lib"),
             ("usr/lib/ld-linux-aarch64.so.1", "aarch64-linux-gnu/ld-linux-aarch64.so.1")]
    found += [(f"{root.LIBRARIES}/{name}", path.read_bytes())
              for name, path in shared_objects(packages, [binary, delegate]).items()]
    found += [(f"teflon/layers/{name}", data) for name, data in networks.layers()]
    return found + [(f"teflon/networks/{name}", data) for name, data in networks.whole()]


def check(driver, packages, out):
    program_path = qemu.program()
    directory = kernel_stock.result()
    lane = f"teflon-{driver}"
    archive = out / f"{lane}.cpio.gz"
    initramfs.write(archive, drivers.kernel_modules(driver, directory),
                    [(name, HERE / "guest" / name) for name in TESTS], [], files(packages, out),
                    drivers.PARAMETERS)
    arguments = machine.command(program_path, directory / "Image", archive, board.APPEND)
    cache.say(f"running {', '.join(TESTS)} on {driver}")
    claims = tap.Tap()
    run.lane_tests(claims, lane, arguments, TESTS, out, SECONDS)
    claims.end()
    return 1 if claims.failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--driver", choices=drivers.DRIVERS, default="scoria")
    parser.add_argument("--out", type=pathlib.Path, default=board.default_out())
    options = parser.parse_args()
    out = options.out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    board.forget_make()
    try:
        packages, versions = root.result()
    except root.Missing as reason:
        print(f"ok 1 - Teflon runs networks # SKIP {reason}\n1..1")
        return 0
    print(f"# {root.DELEGATE} {versions[root.DELEGATE]}, TFLite {root.tflite_version(versions)}")
    return check(options.driver, packages, out)


if __name__ == "__main__":
    sys.exit(main())
