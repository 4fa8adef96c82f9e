#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""`scoria matmul`, conv1d, conv2d, pool, reduce and composites from outside, in TAP.

The command under test is $SCORIA, or scoria in the build directory $O. What it
writes is compared with arithmetic done here.
"""

import json
import pathlib
import struct
import sys
import tempfile

from cli import expect, good, main, refused

MATMUL = ("matmul", "--m", 3, "--k", 4, "--n", 5)
POOL = ("pool", "--c", 1, "--h", 3, "--w", 4)
CONV2D = ("conv2d", "--ic", 2, "--oc", 3, "--h", 5, "--w", 6, "--kernel", 3)


def with_files(test):
    def wrapped():
        with tempfile.TemporaryDirectory() as name:
            test(pathlib.Path(name))
    wrapped.__name__ = test.__name__
    return wrapped


def test_check_passes_for_every_pair_of_types():
    for types in (("fp16", "fp32"), ("fp16", "fp16"), ("int8", "int32")):
        out = good(*MATMUL, "--dtype", types[0], "--out", types[1], "--check")
        expect(out.endswith("check: PASS\n"), out)
    for types in (("fp16", "fp32"), ("fp16", "fp16"), ("int8", "int32"), ("int8", "int8"),
                  ("uint8", "int32"), ("uint8", "uint8")):
        out = good(*CONV2D, "--dtype", types[0], "--out", types[1], "--check", "--bias",
                   "--relu", "--layout", "nhwc")
        expect(out.endswith("check: PASS\n"), out)


def test_json_says_what_was_done():
    said = json.loads(good(*MATMUL, "--json", "--check", "--repeat", 3))
    expect(said["op"] == "matmul" and said["check"]["pass"] is True, said)
    expect(said["check"]["count"] == 15 and said["macs"] == 3 * 3 * 4 * 5, said)
    expect(said["tasks"] == 1 and said["cycles"] > 0 and said["bytes_read"] > 0, said)


def test_names_have_aliases():
    good("conv2d", "--in-channels=2", "--cout", 3, "--height", 5, "--width", 6, "--kernel=3x1",
         "--padding", "same", "--n", 2, "--check")
    good("conv2d", "--cin", 2, "--out-channels", 3, "--h", 5, "--w", 6, "--kh", 3, "--kw", 2)


@with_files
def test_a_product_of_files_is_written(directory):
    a, b, c = (directory / name for name in "abc")
    left = [[1, -2, 3], [127, -128, 5]]
    right = [[7, -8], [9, 10], [-11, 127]]
    want = [sum(x * y for x, y in zip(row, column)) for row in left for column in zip(*right)]
    a.write_bytes(struct.pack("6b", *sum(left, [])))
    b.write_bytes(struct.pack("6b", *sum(right, [])))
    common = ("matmul", "--dtype", "int8", "--m", 2, "--k", 3, "--n", 2, "--a", a, "--output", c,
              "--check")
    good(*common, "--b", b)
    expect(list(struct.unpack("4i", c.read_bytes())) == want, c.read_bytes())
    b.write_bytes(struct.pack("6b", *[x for column in zip(*right) for x in column]))
    good(*common, "--b", b, "--b-layout", "nk")
    expect(list(struct.unpack("4i", c.read_bytes())) == want, c.read_bytes())


@with_files
def test_a_convolution_of_files_is_written(directory):
    image, weights, bias, out = (directory / name for name in ("i", "w", "b", "o"))
    image.write_bytes(struct.pack("6B", 10, 20, 30, 40, 50, 60))
    weights.write_bytes(struct.pack("2B", 131, 127))
    bias.write_bytes(struct.pack("1i", 5))
    # (x - 10) * 3 - (next - 10) * 1 + 5, halved, ties to even, plus 7; beyond the row is x = 10
    want = []
    for row in ([10, 20, 30], [40, 50, 60]):
        row = row + [10]
        want += [min(max(round(((row[i] - 10) * 3 - (row[i + 1] - 10) + 5) / 2) + 7, 0), 255)
                 for i in range(3)]
    good("conv2d", "--ic", 1, "--oc", 1, "--h", 2, "--w", 3, "--kernel", "1x2", "--pad", "0,0,0,1",
         "--dtype", "uint8", "--input-zp", 10, "--weight-zp", 128, "--output-zp", 7, "--scale",
         0.5, "--input", image, "--weights", weights, "--bias-file", bias, "--output", out,
         "--check")
    expect(list(out.read_bytes()) == want, (list(out.read_bytes()), want))


@with_files
def test_files_of_another_size_are_refused(directory):
    path = directory / "a"
    path.write_bytes(bytes(11))
    refused("shorter than the 12 bytes", *MATMUL, "--dtype", "int8", "--a", path)
    path.write_bytes(bytes(13))
    refused("longer than the 12 bytes", *MATMUL, "--dtype", "int8", "--a", path)
    refused("--b", *MATMUL, "--b", directory / "missing")
    refused("--b", *MATMUL, "--b", directory)
    refused("--output", *MATMUL, "--output", directory / "no" / "such")
    refused("shorter", *CONV2D, "--weights", path)


def test_bad_numbers_are_refused_by_name():
    for bad in ("0", "-1", "x", "1e3", "3.5", "", " 4", "18446744073709551616", "0x10"):
        refused("--m", "matmul", "--m", bad, "--k", 4, "--n", 5)
        refused("--batch", *CONV2D, "--batch", bad)
    refused("--stride", *CONV2D, "--stride", "0")
    refused("--stride", *CONV2D, "--stride", "2x")
    refused("--kernel", *CONV2D, "--kernel", "3,3")
    refused("--pad", *CONV2D, "--pad", "1,2,3")
    refused("--pad", *CONV2D, "--pad", "1,2,3,4,5")
    refused("--pad", *CONV2D, "--pad", "-1")
    refused("--scale", *CONV2D, "--scale", "nan")
    refused("--input-zp", *CONV2D, "--input-zp", "4294967296")
    refused("--seed", *MATMUL, "--seed", "-1")


def test_bad_words_are_refused():
    refused("--dtype", *MATMUL, "--dtype", "fp64")
    refused("--out", *MATMUL, "--out", "int9")
    refused("--b-layout", *MATMUL, "--b-layout", "kk")
    refused("--layout", *CONV2D, "--layout", "chw")
    refused("toaster", *MATMUL, "--device", "toaster")
    refused("--frobnicate", *MATMUL, "--frobnicate")
    refused("stray", *MATMUL, "stray")
    refused("value is missing", *MATMUL, "--seed")
    refused("takes no value", *MATMUL, "--check=1")
    refused("--n is missing", "matmul", "--m", 1, "--k", 1)
    refused("--kernel", "conv2d", "--ic", 1, "--oc", 1, "--h", 1, "--w", 1)


def test_shapes_that_cannot_be_are_refused():
    refused("int8 to fp32", *MATMUL, "--dtype", "int8", "--out", "fp32")
    refused("k = 200000", "matmul", "--m", 1, "--k", 200000, "--n", 1, "--dtype", "int8")
    refused("4 GiB", "matmul", "--m", 1, "--k", 100000, "--n", 100000)
    refused("does not fit h = 5", *CONV2D, "--kernel", "9x1")
    refused("groups = 4", *CONV2D, "--groups", 4)
    refused("input_zp = 300", *CONV2D, "--dtype", "uint8", "--input-zp", 300)
    refused("--multiplier", *CONV2D, "--multiplier", 2)
    refused("--oc 3", *CONV2D, "--depthwise")


def test_pooling_follows_a_convolution():
    for pool in ("max2", "min3x2", "average2"):
        out = good(*CONV2D, "--pad", 1, "--relu", "--pool", pool, "--residual", "add", "--check")
        expect(out.endswith("check: PASS\n"), out)
    refused("--pool: \"max\"", *CONV2D, "--pool", "max")
    refused("--pool: \"mean2\"", *CONV2D, "--pool", "mean2")
    for pool in ("max2", "min3x2", "average2"):
        out = good(*CONV2D, "--dtype", "int8", "--scale", 0.01, "--pool", pool, "--check")
        expect(out.endswith("check: PASS\n"), out)
    refused("gathers", *CONV2D, "--w", 60, "--dtype", "int8", "--scale", 0.01, "--pool", "max2x17")


def test_cores_change_nothing_but_jobs():
    shape = ("conv2d", "--ic", 32, "--oc", 64, "--h", 60, "--w", 60, "--kernel", 3, "--json",
             "--check")
    said = [json.loads(good(*shape, "--cores", cores)) for cores in (1, 2, 3)]
    expect([s["jobs"] for s in said] == [1, 2, 3], said)
    expect(said[2]["cycles"] < said[1]["cycles"] < said[0]["cycles"], said)
    refused("cores = 4", *shape, "--cores", 4)
    refused("--cores", *shape, "--cores", 0)


def test_fusions_are_options():
    for fused in (("--act", "sigmoid"), ("--residual", "add", "--relu"), ("--factors",),
                  ("--residual", "mul", "--act", "tanh", "--residual-last")):
        for op in (CONV2D, MATMUL):
            out = good(*op, "--out", "fp16", *fused, "--check")
            expect(out.endswith("check: PASS\n"), out)
    for op in (CONV2D, MATMUL):
        good(*op, "--dtype", "int8", "--scale", 0.01, "--residual", "add", "--residual-zp", 5,
             "--residual-scale", 0.5, "--act", "relu", "--check")
    refused("--act: \"frob\"", *CONV2D, "--act", "frob")
    refused("--residual: \"sub\"", *MATMUL, "--residual", "sub")
    refused("--residual add", *MATMUL, "--residual-zp", 3)
    refused("behind results of int32", *MATMUL, "--dtype", "int8", "--residual", "add")


def test_depthwise_takes_a_multiplier():
    out = good("conv2d", "--ic", 4, "--h", 6, "--w", 6, "--kernel", 3, "--depthwise",
               "--multiplier", 2, "--pad", "same", "--check")
    expect("1x8x6x6" in out and "groups 4" in out, out)


@with_files
def test_pooled_and_added_up_files_are_written(directory):
    x, y = directory / "x", directory / "y"
    x.write_bytes(struct.pack("12b", *range(-5, 7)))
    files = ("--dtype", "int8", "--input", x, "--output", y, "--check")
    for method, kernel, want in (("max", "2x3", [1, 2, 5, 6]), ("min", "2x3", [-5, -4, -1, 0]),
                                 ("average", "3x2", [-1, 1, 2]), ("max", "3x4", [6])):
        good(*POOL, "--method", method, "--kernel", kernel, "--stride", 1, *files)
        expect(list(struct.unpack(f"{len(want)}b", y.read_bytes())) == want, y.read_bytes())
    good("reduce", "--op", "sum", "--rows", 3, "--columns", 4, *files)
    expect(struct.unpack("3i", y.read_bytes()) == (-14, 2, 18), y.read_bytes())
    good("reduce", "--op", "mean", "--rows", 3, "--columns", 4, *files)
    expect(struct.unpack("3f", y.read_bytes()) == (-3.5, 0.5, 4.5), y.read_bytes())
    good("reduce", "--op", "cumsum", "--rows", 1, "--columns", 12, *files)
    expect(struct.unpack("12i", y.read_bytes())[-2:] == (0, 6), y.read_bytes())


@with_files
def test_a_transposed_convolution_of_files_is_written(directory):
    x, w, y = (directory / name for name in "xwy")
    x.write_bytes(struct.pack("2b", 1, 10))
    w.write_bytes(struct.pack("3b", 1, 2, 3))
    good("conv1d", "--ic", 1, "--oc", 1, "--length", 2, "--kernel", 3, "--stride", 2,
         "--transposed", "--dtype", "int8", "--input", x, "--weights", w, "--output", y, "--check")
    expect(struct.unpack("5i", y.read_bytes()) == (1, 2, 13, 20, 30), y.read_bytes())


def test_composites_are_checked():
    for arguments in (("softmax", "--rows", 3, "--columns", 20),
                      ("softmax", "--columns", 20, "--dtype", "int8", "--scale", 0.1),
                      ("softmax", "--columns", 20, "--dtype", "uint8", "--scale", 0.1),
                      ("log_softmax", "--rows", 3, "--columns", 20),
                      ("layernorm", "--rows", 3, "--columns", 20, "--gamma", "--beta"),
                      ("rmsnorm", "--rows", 3, "--columns", 20, "--gamma"),
                      ("batchnorm", "--c", 5, "--h", 3, "--w", 2, "--relu"),
                      ("attention", "--queries", 5, "--dim", 8, "--heads", 2, "--kv-heads", 1,
                       "--causal", "--mask", "full")):
        said = json.loads(good(*arguments, "--check", "--json"))
        expect(said["check"]["pass"] is True and said["check"]["count"] > 0, said)
        expect(said["op"] == arguments[0] and said["tasks"] > 0, said)


def test_composites_keep_their_promises_for_any_bit_pattern():
    rows = ("--rows", 3000, "--columns", 3)
    for arguments in (("softmax", *rows), ("softmax", *rows, "--scale", 0.001),
                      ("log_softmax", *rows), ("layernorm", *rows, "--gamma", "--beta"),
                      ("rmsnorm", *rows, "--gamma", "--beta"),
                      ("batchnorm", "--c", 50, "--h", 9, "--w", 8),
                      ("batchnorm", "--c", 50, "--h", 9, "--w", 8, "--relu-max", 3),
                      ("attention", "--heads", 60, "--queries", 3, "--dim", 1, "--mask",
                       "full", "--causal")):
        for seed in (1, 2):
            out = good(*arguments, "--values", "bits", "--seed", seed, "--check")
            expect(out.endswith("check: PASS\n"), out)


def fp16(*values):
    return struct.pack(f"{len(values)}e", *values)


@with_files
def test_composites_of_files_are_written(directory):
    x, y, g = directory / "x", directory / "y", directory / "g"
    files = ("--input", x, "--output", y, "--check")
    x.write_bytes(fp16(1, 1, float("-inf"), 1, 1, float("-inf")))
    good("softmax", "--columns", 6, *files)
    expect(y.read_bytes() == fp16(0.25, 0.25, 0, 0.25, 0.25, 0), y.read_bytes())
    x.write_bytes(fp16(3, 5, 3, 5))
    g.write_bytes(fp16(1, 2, -1, 0))
    good("layernorm", "--columns", 4, "--eps", 1e-12, "--gamma-file", g, *files)
    expect(y.read_bytes() == fp16(-1, 2, 1, 0), y.read_bytes())
    x.write_bytes(fp16(3, -3, 3, 3))
    good("rmsnorm", "--columns", 4, "--eps", 1e-12, "--gamma-file", g, *files)
    expect(y.read_bytes() == fp16(1, -2, -1, 0), y.read_bytes())
    x.write_bytes(bytes((3, 3, 3, 3)))
    good("softmax", "--columns", 2, "--rows", 2, "--dtype", "int8", "--scale", 0.5, *files)
    expect(y.read_bytes() == bytes(4), y.read_bytes())


@with_files
def test_attention_of_files_is_written(directory):
    q, k, v, out = (directory / name for name in "qkvo")
    q.write_bytes(fp16(1, 0, 0, 1))
    k.write_bytes(fp16(0, 0, 0, 0))
    v.write_bytes(fp16(1, 2, 3, 4))
    good("attention", "--queries", 2, "--dim", 2, "--q", q, "--k-file", k, "--v", v, "--output",
         out, "--causal", "--check")
    expect(out.read_bytes() == fp16(1, 2, 2, 3), out.read_bytes())


def test_bad_composites_are_refused_by_name():
    refused("--columns is missing", "softmax", "--rows", 2)
    refused("scale = 0.0001", "softmax", "--columns", 2, "--scale", 0.0001)
    refused("log of int8", "log_softmax", "--columns", 2, "--dtype", "int8")
    refused("input's type", "softmax", "--columns", 2, "--out", "fp32")
    refused("type = int8", "layernorm", "--columns", 2, "--dtype", "int8")
    refused("--columns is missing", "rmsnorm")
    refused("eps = -1", "rmsnorm", "--columns", 2, "--eps", -1)
    refused("--gamma-file", "rmsnorm", "--columns", 2, "--gamma-file", "/none")
    refused("--c is missing", "batchnorm")
    refused("--layout", "batchnorm", "--c", 2, "--layout", "chw")
    refused("--dim is missing", "attention", "--queries", 2)
    refused("--queries is missing", "attention", "--dim", 2)
    refused("--mask", "attention", "--queries", 2, "--dim", 2, "--mask", "some")
    refused("kv_heads = 2", "attention", "--queries", 2, "--dim", 2, "--heads", 3, "--kv-heads", 2)
    refused("overflows", "attention", "--queries", 10 ** 10, "--dim", 2)


def test_a_number_that_the_library_would_not_see_is_refused():
    """0 stands for what is not given in the library's options, not in the command's."""
    for option, command in (("--alpha", MATMUL), ("--relu-max", MATMUL),
                            ("--scale", (*MATMUL, "--dtype", "int8")),
                            ("--act-alpha", (*MATMUL, "--act", "leaky_relu")),
                            ("--residual-scale", (*MATMUL, "--residual", "add")),
                            ("--scale", CONV2D), ("--relu-max", CONV2D),
                            ("--eps", ("rmsnorm", "--columns", 2)),
                            ("--eps", ("batchnorm", "--c", 2)),
                            ("--relu-max", ("batchnorm", "--c", 2)),
                            ("--scale", ("softmax", "--columns", 2)),
                            ("--scale", ("attention", "--queries", 2, "--dim", 2))):
        for zero in ("0", "-0.0", "0e9"):
            refused(f'{option}: "{zero}" is not', *command, option, zero)
    refused("--pool", *CONV2D, "--pool", "max0")
    refused("--pool", *CONV2D, "--pool", "max2x0")


def test_what_would_change_nothing_is_refused():
    refused("--scale: fp32 output", *MATMUL, "--scale", 0.5)
    refused("--scale: int32 output", *MATMUL, "--dtype", "int8", "--out", "int32", "--scale", 1)
    refused("--scale: fp16 output", *CONV2D, "--scale", 0.5)
    refused("--per-channel: fp16 output", *CONV2D, "--per-channel")
    refused("--act-alpha needs --act", *MATMUL, "--act-alpha", 3)
    refused("alpha = 3: relu has none", *MATMUL, "--act", "relu", "--act-alpha", 3)
    refused("--relu6 and --relu-max", *CONV2D, "--relu6", "--relu-max", 3)
    refused("--count-include-pad", *POOL, "--kernel", 2, "--count-include-pad")
    refused("--mask", "attention", "--queries", 2, "--dim", 2, "--mask-file", "/dev/null")


def test_a_sequence_has_one_row():
    conv1d = ("conv1d", "--ic", 2, "--oc", 3)
    out = good("conv1d", "--help")
    expect("--length L" in out and "--h " not in out and "--kh" not in out and "x" not in
           out[out.index("--kernel"):out.index("--transposed")].replace("none", ""), out)
    refused("--length is missing", *conv1d, "--kernel", 3)
    refused("--kernel is missing", *conv1d, "--length", 9)
    for option, value in (("--h", 2), ("--kernel", "3x3"), ("--stride", "2x2"),
                          ("--dilation", "2x1"), ("--pad", "1x1"), ("--pad", "1,0,2,2")):
        refused(f"{option}: a sequence has one row", *conv1d, "--length", 9, "--kernel", 3,
                option, value)
    for option, value in (("--h", 1), ("--kernel", "1x3"), ("--stride", "1x2"), ("--pad", "0x1"),
                          ("--pad", 2), ("--stride", 2), ("--dilation", 2), ("--pad", "same"),
                          ("--pad", "0,0,2,1")):
        good(*conv1d, "--length", 9, "--kernel", 3, option, value, "--check")


def test_pooling_is_in_the_report():
    plain = json.loads(good(*CONV2D, "--json"))
    pooled = json.loads(good(*CONV2D, "--pool", "max2", "--json"))
    expect("max2 to 1x2" in pooled["title"], pooled)
    expect(pooled["tasks"] == plain["tasks"] + 1, pooled)


def test_new_options_are_checked():
    refused("--method", *POOL, "--kernel", 2, "--method", "median")
    refused("does not fit h = 3", *POOL, "--kernel", 4)
    refused("less than the kernel", *POOL, "--kernel", 2, "--pad", 2)
    refused("--kernel", *POOL)
    refused("--global", *POOL, "--kernel", 2, "--global")
    refused("--op", "reduce", "--columns", 3, "--op", "product")
    refused("--columns", "reduce", "--rows", 3)
    refused("--output-pad", *CONV2D, "--output-pad", 1)
    refused("output padding of 2", *CONV2D, "--transposed", "--stride", 2, "--output-pad", 2)
    refused("alpha = 2", *MATMUL, "--dtype", "int8", "--alpha", 2)
    refused("relu_max = -1", *MATMUL, "--relu-max", -1)


def test_help_names_every_option():
    for command, option in (("matmul", "--b-layout kn|nk"), ("conv2d", "--pad PAD"),
                            ("pool", "--global"), ("reduce", "--rows R"), ("conv1d", "--kernel"),
                            ("softmax", "--log"), ("layernorm", "--gamma"),
                            ("batchnorm", "--var"), ("attention", "--causal")):
        out = good(command, "--help")
        expect(option in out and "usage:" in out and "--json" in out, out)


if __name__ == "__main__":
    sys.exit(main(globals()))
