#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""`scoria eltwise` and `scoria activation` from outside, in TAP.

The command under test is $SCORIA, or scoria in the build directory $O. Results
are compared with arithmetic done here; what is emitted is watched by the command
that watch_streams.c is linked into.
"""

import json
import math
import os
import pathlib
import re
import struct
import sys
import tempfile

from cli import expect, good, main, refused, run

BUILD = os.environ.get("O") or "build"
WATCHED = os.path.join(BUILD, "tools/scoria/tests/scoria-watched")
SUMMARY = re.compile(r"watched (\d+) tasks, (\d+) refused, (\d+) findings")


def names(command):
    text = good(command, "--help").split(":", 2)[2]
    return text[:text.index(".\n")].split()


def compute(command, inputs, code, *arguments):
    """Results of a command over @inputs, lists of numbers by option, as struct @code."""
    with tempfile.TemporaryDirectory() as directory:
        top = pathlib.Path(directory)
        files = []
        for option, numbers in inputs.items():
            (top / option).write_bytes(struct.pack(f"<{len(numbers)}{code}", *numbers))
            files += [f"--{option}", top / option]
        good(command, *arguments, *files, "--output", top / "out")
        data = (top / "out").read_bytes()
        return list(struct.unpack(f"<{len(data) // struct.calcsize(code)}{code}", data))


def test_every_operation_passes_its_check():
    for name in names("eltwise"):
        for values in ("uniform", "bits"):
            good("eltwise", "--op", name, "--n", 999, "--values", values, "--check")
    for name in ("add", "sub", "mul", "max", "min"):
        for dtype in ("int8", "uint8"):
            good("eltwise", "--op", name, "--n", 999, "--dtype", dtype, "--check")


def test_every_function_passes_its_check():
    expect(len(names("activation")) == 37, "not all functions are listed")
    for name in names("activation"):
        extra = {"prelu": ["--channels", 7], "relux": ["--alpha", 3]}.get(name, [])
        for values in ("uniform", "bits"):
            good("activation", "--op", name, "--n", 999, "--values", values, "--check", *extra)


def test_operations_compute_what_their_names_say():
    inputs = {"a": [1, 5, -3, 0.5, 2], "b": [4, 2, -3, 8, -2]}
    for name, want in {"add": [5, 7, -6, 8.5, 0], "lt": [1, 0, 0, 1, 0], "cmpge": [0, 1, 1, 0, 1],
                       "ne": [1, 1, 0, 1, 1], "idiv": [0, 2, 1, 0, -1],
                       "div": [0.25, 2.5, 1, 0.0625, -1]}.items():
        got = compute("eltwise", inputs, "e", "--op", name, "--n", 5)
        expect(got == want, f"{name}: {got}")
    inputs["c"] = [7, math.inf, 0, -1, 9]
    got = compute("eltwise", {**inputs, "a": [0, 1, math.nan, 0, -0.0]}, "e", "--op", "where",
                  "--n", 5)
    expect(got == [7, 2, -3, -1, 9], f"where: {got}")


def test_broadcasts_reach_the_right_elements():
    channel = compute("eltwise", {"a": range(12), "b": [100, 200, 300]}, "e", "--op", "add", "--n",
                      12, "--broadcast", "channel", "--channels", 3, "--inner", 2)
    expect(channel == [100, 101, 202, 203, 304, 305, 106, 107, 208, 209, 310, 311], f"{channel}")
    scalar = compute("eltwise", {"a": [7], "b": range(10)}, "e", "--op", "sub", "--n", 10,
                     "--broadcast-a", "scalar")
    expect(scalar == [7 - i for i in range(10)], f"{scalar}")


def test_int8_takes_scales_and_zero_points():
    got = compute("eltwise", {"a": [10, 127, -128], "b": [4, 127, -128]}, "b", "--op", "add", "--n",
                  3, "--dtype", "int8", "--a-scale", 0.5, "--b-scale", 0.25, "--out-scale", 1,
                  "--a-zp", 2, "--out-zp", -1)
    expect(got == [4, 93, -98], f"{got}")
    got = compute("eltwise", {"a": [10, 255, 0], "b": [4, 255, 0]}, "B", "--op", "add", "--n", 3,
                  "--dtype", "uint8", "--a-scale", 0.5, "--b-scale", 0.25, "--out-scale", 1,
                  "--a-zp", 2, "--b-zp", 128, "--out-zp", 100)
    expect(got == [73, 255, 67], f"{got}")


def test_functions_are_near_their_definition():
    x = [i / 16 for i in range(-80, 81)]
    for name, f in {"tanh": math.tanh, "exp": math.exp, "atan": math.atan, "sinh": math.sinh,
                    "swish": lambda v: v / (1 + math.exp(-v))}.items():
        got = compute("activation", {"input": x}, "e", "--op", name, "--n", len(x))
        far = [(v, g) for v, g in zip(x, got) if abs(g - f(v)) > 2 ** -8 * max(1, abs(f(v)))]
        expect(not far, f"{name}: {far[:3]}")


def test_one_limit_leaves_the_other_where_the_help_has_it():
    with tempfile.TemporaryDirectory() as name:
        x, y = pathlib.Path(name) / "x", pathlib.Path(name) / "y"
        x.write_bytes(struct.pack("4e", -5, -0.5, 0.5, 5))
        for option, limit, want in (("--max", 2, [-1, -0.5, 0.5, 2]),
                                    ("--min", -3, [-3, -0.5, 0.5, 1]),
                                    ("--min", 0, [0, 0, 0.5, 1]), ("--max", 0, [-1, -0.5, 0, 0])):
            good("activation", "--op", "hardtanh", "--n", 4, option, limit, "--input", x,
                 "--output", y, "--check")
            got = list(struct.unpack("4e", y.read_bytes()))
            expect(got == want, f"{option} {limit}: {got}")


def test_json_has_the_check_and_the_cost():
    report = json.loads(good("activation", "--op", "gelu", "--n", 64001, "--check", "--json"))
    expect(report["check"]["pass"] and report["check"]["count"] == 64001, f"{report}")
    # three passes over two tiles, for a core each
    expect(report["tasks"] == 6 and report["jobs"] == 2, f"{report}")


def test_bad_use_is_named():
    refused("--op is missing", "eltwise", "--n", 3)
    refused("no operation", "eltwise", "--op", "power", "--n", 3)
    refused("--n is missing", "eltwise", "--op", "add")
    refused("--n", "eltwise", "--op", "add", "--n", 0)
    refused("not none, scalar or channel", "eltwise", "--op", "add", "--n", 3, "--broadcast", "x")
    refused("--channels is missing", "eltwise", "--op", "add", "--n", 3, "--broadcast", "channel")
    refused("has 2 inputs", "eltwise", "--op", "add", "--n", 3, "--broadcast-c", "scalar")
    refused("no such input", "eltwise", "--op", "neg", "--n", 3, "--b", "/dev/null")
    refused("div of int8", "eltwise", "--op", "div", "--n", 3, "--dtype", "int8")
    refused("--lo", "eltwise", "--op", "clip", "--n", 3, "--lo", "nan")
    refused("lo = 2", "eltwise", "--op", "clip", "--n", 3, "--lo", 2)
    refused("shorter", "eltwise", "--op", "neg", "--n", 3, "--a", "/dev/null")
    refused("--values", "eltwise", "--op", "neg", "--n", 3, "--values", "odd")
    refused("no function", "activation", "--op", "sine", "--n", 3)
    refused("not fp16", "activation", "--op", "sin", "--n", 3, "--dtype", "int8")
    refused("alpha = 2", "activation", "--op", "sin", "--n", 3, "--alpha", 2)
    refused("--channels is missing", "activation", "--op", "prelu", "--n", 3)
    refused("--slopes", "activation", "--op", "relu", "--n", 3, "--slopes", "/dev/null")
    refused("--lo: add has none", "eltwise", "--op", "add", "--n", 3, "--lo", 0)
    refused("--hi: add has none", "eltwise", "--op", "add", "--n", 3, "--hi", 0)
    refused("--channels: no input", "eltwise", "--op", "add", "--n", 3, "--channels", 3)
    refused("--inner: no input", "eltwise", "--op", "add", "--n", 3, "--inner", 3)
    for option in ("--a-scale", "--b-scale", "--out-scale", "--a-zp", "--b-zp", "--out-zp"):
        refused(f"{option}: fp16 has none", "eltwise", "--op", "add", "--n", 3, option, 2)
    refused("--a-scale", "eltwise", "--op", "add", "--n", 3, "--dtype", "int8", "--a-scale", 0)
    refused("--relu-max", "eltwise", "--op", "add", "--n", 3, "--relu-max", 0)
    refused("--alpha", "activation", "--op", "leaky_relu", "--n", 3, "--alpha", 0)
    refused("--min 0 and --max 0", "activation", "--op", "hardtanh", "--n", 3, "--min", 0,
            "--max", 0)
    refused("is above", "activation", "--op", "relu", "--n", 3, "--lo", 2, "--hi", 1)


def test_streams_pass_the_checker_and_fall_into_no_trap():
    """Fault H8: the library never emits an unfed read engine."""
    commands = [("eltwise", "--op", name) for name in names("eltwise")]
    commands += [("eltwise", "--op", "add", "--dtype", "int8", "--relu")]
    commands += [("activation", "--op", name, *(["--channels", 3] if name == "prelu" else []),
                  *(["--alpha", 3] if name == "relux" else [])) for name in names("activation")]
    for arguments in commands:
        out = run(*arguments, "--n", 130000, command=WATCHED)
        summary = SUMMARY.search(out.stderr)
        expect(out.returncode == 0 and summary, f"{arguments}: {out.stderr}")
        watched, refusals, findings = map(int, summary.groups())
        expect(watched and not refusals and not findings, f"{arguments}: {out.stderr}")


if __name__ == "__main__":
    sys.exit(main(globals()))
