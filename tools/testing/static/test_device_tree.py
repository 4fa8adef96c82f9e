#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""dt-schema over the binding, the board's device tree and the overlays for users.

Our binding is mainline's, but does not insist on the supplies, which the driver
does not use: each has to accept the other's example. The overlays are laid over
the tree of a board as kernels 6.12 (without the NPU's nodes) and 7.3 (with them)
have it; the first cannot know the board's supplies. Trees without symbols, which
take no overlay, go through tools/devicetree/add-npu (P13).
"""
import shutil
import subprocess
import sys

import trees
import cache
import chroot
import debian
import kernel
import kernel_stock
import machine
import qemu
import tap

BINDING = "npu/rockchip,rk3588-rknn-core.yaml"
DEVICETREE = trees.TOP / "Documentation/devicetree"
# what of mainline's bindings the NPU's nodes stand on
NEEDED = ["iommu/rockchip,iommu.yaml", "regulator/regulator.yaml",
          "regulator/fixed-regulator.yaml"]
BOARDS = "arch/arm64/boot/dts/rockchip"
ROCK_5B = f"{BOARDS}/rk3588-rock-5b.dts"
AXON = f"{BOARDS}/rk3588-vicharak-axon.dts"     # its NPU is disabled, and the supply not kept on
ROCKPRO64 = f"{BOARDS}/rk3399-rockpro64.dts"
ADD_NPU = trees.TOP / "tools/devicetree/add-npu"
NODES = ["/npu@fdab0000", "/npu@fdac0000", "/npu@fdad0000",
         "/iommu@fdab9000", "/iommu@fdaca000", "/iommu@fdada000"]
PLACE = "root/device-tree"      # in the chroot, which has the tools


class Checker:
    """dt-schema in the chroot, and the compiler for what it looks at."""

    def __init__(self, root, tree):
        self.root = root
        self.tree = tree
        self.place = root / PLACE
        shutil.rmtree(self.place, ignore_errors=True)
        self.place.mkdir()
        mainline = tree / "Documentation/devicetree/bindings"
        self.schema("mainline", mainline, mainline)
        self.schema("ours", DEVICETREE / "bindings", mainline)

    def schema(self, name, ours, others):
        """NAME.json of the binding and what it needs, and both in NAME/ where their ids say."""
        for binding, bindings in [(BINDING, ours), *((needed, others) for needed in NEEDED)]:
            target = self.place / name / binding
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(bindings / binding, target)
        chroot.enter(self.root, "dt-mk-schema", "-j", "-o", f"/{PLACE}/{name}.json",
                     *(f"/{PLACE}/{name}/{binding}" for binding in [BINDING, *NEEDED]))

    def compile(self, source, name, tree=None, symbols=True):
        """NAME.dtb in the chroot from device tree source."""
        tree = tree or self.tree
        text, blob = self.place / f"{name}.dts", self.place / f"{name}.dtb"
        debian.run(["cpp", "-nostdinc", "-undef", "-D__DTS__", "-P", "-x", "assembler-with-cpp",
                    "-I", tree / "include", "-I", source.parent, source, text])
        debian.run(["dtc", "-q", *(["-@"] if symbols else []), "-I", "dts", "-O", "dtb", "-o", blob,
                    text])
        return blob

    def example(self, schema):
        """The source of the example of a schema's binding."""
        path = self.place / f"{schema}-example.dts.in"
        path.write_text(chroot.enter(self.root, "dt-extract-example",
                                     f"/{PLACE}/{schema}/{BINDING}"))
        return path

    def overlaid(self, base, overlay, name):
        blob = self.place / f"{name}.dtb"
        debian.run(["fdtoverlay", "-i", base, "-o", blob, overlay])
        return blob

    def given_npu(self, base, tree):
        """What add-npu makes of a blob with a kernel's headers, and how it ended."""
        blob = base.with_name(f"{base.stem}-npu.dtb")
        return blob, subprocess.run([ADD_NPU, base, blob, "--include", tree / "include"],
                                    capture_output=True, text=True, check=False)

    def findings(self, schema, blob):
        """What Rockchip's bindings in a schema say against a tree, or that it has no NPU."""
        said = chroot.enter(self.root, "dt-validate", "-s", f"/{PLACE}/{schema}.json",
                            "-l", "rockchip", f"/{PLACE}/{blob.name}").splitlines()
        if b"rockchip,rk3588-rknn-core" not in blob.read_bytes():
            said.append(f"{blob.name}: there is no node of the NPU")
        return said


def without_interrupt(source):
    """A copy of a source in which the node lacks what the binding asks for."""
    lines = source.read_text().splitlines(keepends=True)
    broken = source.with_name("broken.dts.in")
    broken.write_text("".join(line for line in lines if "interrupts = " not in line))
    return broken


def get(blob, path, name):
    return debian.run(["fdtget", "-d", "missing", blob, path, name]).strip()


def without_symbols(checker, old):
    """Trees without symbols, without nodes (6.12) or with disabled ones, given the NPU."""
    for name, source, tree in (("nodes_are_added", ROCK_5B, old),
                               ("nodes_are_enabled", AXON, checker.tree)):
        base = checker.compile(tree / source, name, tree, symbols=False)
        blob, done = checker.given_npu(base, tree)
        found = [done.stderr] if done.returncode else checker.findings("ours", blob)
        yield f"{name}_without_symbols", found or [
            path for path in NODES if get(blob, path, "status") not in ("okay", "missing")]
    supply = done.stdout.rpartition("always on: ")[2].strip()
    yield "supply_stays_on", [done.stdout] if (
        get(base, supply, "regulator-always-on"), get(blob, supply, "regulator-always-on")) != (
        "missing", "") else []
    vendor = shutil.copy(base, base.with_name("vendor.dtb"))
    debian.run(["fdtput", "-t", "s", vendor, NODES[0], "compatible", "rockchip,rk3588-rknpu"])
    other = checker.compile(checker.tree / ROCKPRO64, "rk3399", symbols=False)
    for name, blob, words in (("vendor", vendor, "take the board's tree of mainline Linux"),
                              ("other_chip", other, "is of no board with an RK3588")):
        new, done = checker.given_npu(blob, checker.tree)
        refused = done.returncode == 1 and words in done.stderr and not new.exists()
        yield f"tree_of_{name}_is_refused", [] if refused else [str(done)]


def claims(checker, board):
    yield "binding_is_sound", chroot.enter(
        checker.root, "dt-doc-validate", "-u", f"/{PLACE}/ours",
        f"/{PLACE}/ours/{BINDING}").splitlines()
    examples = {name: checker.example(name) for name in ("ours", "mainline")}
    for name, source in examples.items():
        blob = checker.compile(source, f"{name}-example")
        for schema in examples:
            yield f"{schema}_accepts_the_example_of_{name}", checker.findings(schema, blob)
    broken = checker.compile(without_interrupt(examples["ours"]), "broken")
    for schema in examples:
        refused = any("'interrupts' is a required property" in line
                      for line in checker.findings(schema, broken))
        yield (f"{schema}_refuses_a_node_without_interrupt",
               [] if refused else [f"{schema} accepts it"])
    yield "board_is_as_mainline_says", checker.findings(
        "mainline", shutil.copy(board, checker.place / "board.dtb"))
    old = kernel.source(debian.bookworm(), "linux-source-6.12")
    for schema, tree, overlay in (("ours", old, "rk3588-npu"),
                                  ("mainline", checker.tree, "rk3588-npu-enable")):
        base = checker.compile(tree / ROCK_5B, f"rock-5b-for-{overlay}", tree)
        part = checker.compile(DEVICETREE / f"overlays/{overlay}.dtso", f"{overlay}-part", tree)
        yield (f"{overlay}_gives_what_{schema}_says",
               checker.findings(schema, checker.overlaid(base, part, overlay)))
    yield from without_symbols(checker, old)


def main():
    tree = kernel_stock.source()
    root, _ = chroot.result()
    board = machine.device_tree(qemu.program())
    with cache.locked("chroot-device-tree"):
        status = tap.report(claims(Checker(root, tree), board))
        shutil.rmtree(root / PLACE)
    return status


if __name__ == "__main__":
    sys.exit(main())
