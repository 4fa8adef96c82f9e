# SPDX-License-Identifier: MIT
"""The guest's root: busybox, modules, test programs and an init that runs them."""
import gzip
import os
import pathlib
import stat

import cache
import debian

HERE = pathlib.Path(__file__).resolve().parent


def busybox():
    """The static busybox of Debian's arm64."""
    apt = debian.bookworm()
    version = apt.version("busybox-static:arm64")
    directory = cache.result(
        "busybox", [version],
        lambda part: apt.unpack("busybox-static:arm64", version, part), keep=1)
    return directory / "bin/busybox"


class Archive:
    """A cpio archive of the "newc" format, as the kernel unpacks it."""

    def __init__(self):
        self.data = bytearray()
        self.inode = 0
        self.names = set()

    def _entry(self, name, mode, content):
        self.inode += 1
        fields = [self.inode, mode, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(name) + 1, 0]
        self.data += b"070701" + b"".join(b"%08x" % field for field in fields)
        self.data += name.encode() + b"\0"
        self.data += b"\0" * (-len(self.data) % 4) + content
        self.data += b"\0" * (-len(self.data) % 4)

    def directory(self, name):
        if name and name != "." and name not in self.names:
            self.directory(str(pathlib.PurePath(name).parent))
            self.names.add(name)
            self._entry(name, stat.S_IFDIR | 0o755, b"")

    def file(self, name, content, mode=0o755):
        self.directory(str(pathlib.PurePath(name).parent))
        self._entry(name, stat.S_IFREG | mode, content)

    def link(self, name, target):
        self.directory(str(pathlib.PurePath(name).parent))
        self._entry(name, stat.S_IFLNK | 0o777, target.encode())

    def compressed(self):
        self._entry("TRAILER!!!", 0, b"")
        return gzip.compress(bytes(self.data), compresslevel=1, mtime=0)


def write(path, modules, programs, helpers, more=(), parameters=None):
    """Write an initramfs.

    modules: paths in the order in which init loads them; programs: name and
    path of each test, in the order in which init runs them; helpers: of what
    they call; more: name and bytes of other files, or name and target of links;
    parameters: what some of the modules are loaded with, by name.
    """
    archive = Archive()
    for name in ("dev", "proc", "sys", "tmp", "bin"):
        archive.directory(name)
    archive.file("bin/busybox", busybox().read_bytes())
    archive.link("bin/sh", "busybox")
    archive.file("init", (HERE / "guest/init").read_bytes())
    for module in modules:
        archive.file(f"modules/{module.name}", module.read_bytes(), 0o644)
    order = "".join(f"{module.name} {(parameters or {}).get(module.name, '')}\n"
                    for module in modules)
    archive.file("modules/order", order.encode(), 0o644)
    for name, program in [*programs, *helpers]:
        archive.file(f"tests/{name}", program.read_bytes())
    order = "".join(f"{name}\n" for name, _ in programs)
    archive.file("tests/order", order.encode(), 0o644)
    for name, content in more:
        if isinstance(content, str):
            archive.link(name, content)
        else:
            archive.file(name, content)
    part = path.with_suffix(f".{os.getpid()}")
    part.write_bytes(archive.compressed())
    part.rename(path)           # a machine that boots from it meanwhile has the old one
