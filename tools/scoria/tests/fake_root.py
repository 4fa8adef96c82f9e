# SPDX-License-Identifier: MIT
"""Machines made of files, for commands that take --root."""
import contextlib
import os
import pathlib
import shutil
import struct
import tempfile

from cli import SCORIA

RELEASE = "6.18.3-arm64"
CORES = [("fdab0000", "fdab9000"), ("fdac0000", "fdaca000"), ("fdad0000", "fdada000")]
TREE = "proc/device-tree"
DEVICES = "sys/bus/platform/devices"
DRIVERS = "sys/bus/platform/drivers"


class Root:
    """A directory that stands for /."""

    def __init__(self, path):
        self.path = pathlib.Path(path)

    def write(self, name, content=b""):
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())

    def directory(self, name):
        (self.path / name).mkdir(parents=True, exist_ok=True)

    def link(self, name, target):
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        path.symlink_to(target)

    def remove(self, name):
        path = self.path / name
        if path.is_symlink() or path.is_file():
            path.unlink()
            return
        for below in path.iterdir():
            self.remove(below.relative_to(self.path))
        path.rmdir()

    def core(self, number, status="okay", bus=TREE):
        """The nodes of a core and its IOMMU."""
        core, iommu = CORES[number]
        node = f"{bus}/npu@{core}"
        self.write(f"{node}/compatible", "rockchip,rk3588-rknn-core\0")
        self.write(f"{node}/status", f"{status}\0")
        self.write(f"{node}/iommus", struct.pack(">I", 0x100 + number))
        node = f"{bus}/iommu@{iommu}"
        self.write(f"{node}/compatible", "rockchip,rk3588-iommu\0rockchip,rk3568-iommu\0")
        self.write(f"{node}/status", f"{status}\0")
        self.write(f"{node}/phandle", struct.pack(">I", 0x100 + number))

    def bind(self, number, driver):
        device = f"{CORES[number][0]}.npu"
        self.directory(f"{DRIVERS}/{driver}")
        self.link(f"{DEVICES}/{device}/driver", f"../../drivers/{driver}")
        self.link(f"{DRIVERS}/{driver}/{device}", f"../../devices/{device}")

    def unbind(self, number, driver):
        device = f"{CORES[number][0]}.npu"
        self.remove(f"{DEVICES}/{device}/driver")
        self.remove(f"{DRIVERS}/{driver}/{device}")


def become_nobody():
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)


def as_nobody(root):
    """Options of cli.run() that make the command see what a user without rights sees."""
    if os.getuid():
        return {}
    root.path.chmod(0o755)
    # a copy, which nobody may run wherever the checkout is
    return {"preexec_fn": become_nobody, "executable": shutil.copy(SCORIA, root.path)}


def board(path):
    """An RK3588 on which all is well."""
    root = Root(path)
    root.write(f"{TREE}/compatible", "xunlong,orangepi-5-plus\0rockchip,rk3588\0")
    root.directory(f"{TREE}/__symbols__")
    root.write("proc/sys/kernel/osrelease", f"{RELEASE}\n")
    root.write("proc/meminfo", "MemTotal: 8000000 kB\nMemAvailable:    7000000 kB\n")
    root.write("proc/cmdline", "console=ttyS2 root=/dev/nvme0n1p2\n")
    root.directory("sys/class/accel/accel0")
    root.directory(f"{DRIVERS}/rk_iommu")
    for number in range(len(CORES)):
        root.core(number)
        root.bind(number, "scoria")
    root.write("dev/accel/accel0")
    return root


@contextlib.contextmanager
def fake_board():
    with tempfile.TemporaryDirectory() as path:
        yield board(path)
