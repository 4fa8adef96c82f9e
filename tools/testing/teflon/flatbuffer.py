# SPDX-License-Identifier: MIT
"""FlatBuffers, as far as a writer of tables, vectors and strings needs them.

Offsets point forward, so parents are written before their children and patched
when the children's places are known.
"""
import struct


class Table:
    """Fields by slot: (slot, format of struct, value); the format "O" is an object."""

    def __init__(self, *fields):
        # what is left out reads as its default
        self.fields = [field for field in fields if field[2] is not None]


class Vector:
    """A vector of scalars (a format of struct) or of objects ("O")."""

    def __init__(self, form, values):
        self.form = form
        self.values = list(values)


class Bytes:
    """A vector of bytes whose first lies at a multiple of 16."""

    def __init__(self, data):
        self.data = bytes(data)


class String:
    """Text, with the zero that readers in C count on."""

    def __init__(self, text):
        self.data = text.encode()


def _size(form):
    return 4 if form == "O" else struct.calcsize("<" + form)


class _Writer:
    def __init__(self):
        self.out = bytearray()
        self.patches = []       # (where an offset stands, the object it leads to)

    def align(self, size, ahead=0):
        """Pad so that what comes `ahead` bytes later lies at a multiple of `size`."""
        self.out += bytes(-(len(self.out) + ahead) % size)

    def value(self, form, value):
        if form == "O":
            self.patches.append((len(self.out), value))
            self.out += bytes(4)
        else:
            self.out += struct.pack("<" + form, value)

    def table(self, table):
        """The vtable and right behind it the table; returns the table's place."""
        slots = max((slot for slot, _, _ in table.fields), default=-1) + 1
        self.align(8, 4 + 2 * slots)
        vtable = len(self.out)
        self.out += bytes(4 + 2 * slots)
        start = len(self.out)
        self.out += struct.pack("<i", start - vtable)
        for slot, form, value in sorted(table.fields, key=lambda field: -_size(field[1])):
            self.align(_size(form))
            struct.pack_into("<H", self.out, vtable + 4 + 2 * slot, len(self.out) - start)
            self.value(form, value)
        struct.pack_into("<HH", self.out, vtable, 4 + 2 * slots, len(self.out) - start)
        return start

    def vector(self, vector):
        self.align(max(4, _size(vector.form)), 4)
        start = len(self.out)
        self.out += struct.pack("<I", len(vector.values))
        for value in vector.values:
            self.value(vector.form, value)
        return start

    def raw(self, data, alignment, end=b""):
        self.align(alignment, 4)
        start = len(self.out)
        self.out += struct.pack("<I", len(data)) + data + end
        return start

    def place(self, item):
        if isinstance(item, Table):
            return self.table(item)
        if isinstance(item, Vector):
            return self.vector(item)
        return self.raw(item.data, 16) if isinstance(item, Bytes) \
            else self.raw(item.data, 4, b"\0")

    def finish(self, root, identifier):
        self.value("O", root)
        self.out += identifier
        while self.patches:
            where, item = self.patches.pop()
            struct.pack_into("<I", self.out, where, self.place(item) - where)
        return bytes(self.out)


def serialize(root, identifier):
    """The bytes of a buffer with `root` and a file identifier of four bytes."""
    return _Writer().finish(root, identifier)
