#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""`scoria decode` from outside, in TAP.

The command under test is $SCORIA, or scoria in the build directory $O.
Golden outputs are in golden/; words and register values of the other tests
are spelt by hand from the programming model.
"""

import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import traceback

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parents[2]
VECTORS = TOP / "tools/testing/vectors"
SCORIA = os.environ.get("SCORIA") or os.path.join(os.environ.get("O") or "build", "scoria")
SYNC = 0x0041 << 48
TARGETS = {0: 0x0101, 1: 0x0201, 3: 0x0801, 4: 0x1001, 5: 0x2001, 6: 0x4001, 7: 0x8001}


class Failure(Exception):
    """A claim that does not hold."""


def expect(condition, what):
    if not condition:
        raise Failure(what)


def run(*arguments, stdin=b""):
    return subprocess.run([SCORIA, *map(str, arguments)], input=stdin, cwd=TOP,
                          capture_output=True, timeout=60, check=False)


def decode(words, *options):
    """Decode 64-bit words given on standard input as a raw stream."""
    return run("decode", "--format", "raw", *options, "-",
               stdin=struct.pack(f"<{len(words)}Q", *words))


def decode_json(words, *options):
    return json.loads(decode(words, "--json", *options).stdout)


def word(offset, value):
    """A write of the register at @offset by the target of its block."""
    return TARGETS[offset >> 12] << 48 | value << 16 | offset


def enable(mask):
    return 0x0081 << 48 | mask << 16 | 0x0008


def vector_words(name):
    """The command words of a vector's only task, as far as it enables."""
    path = VECTORS / f"{name}.vec"
    listed = json.loads(run("decode", "--json", "--no-lint", path).stdout)
    return [int(w["raw"], 16) for w in listed["tasks"][0]["words"]]


def patch(words, **registers):
    """@words with other values; names are x1234 for a register, mask for the enable mask."""
    out = []
    for w in words:
        key = f"x{w & 0xffff:04x}"
        if w >> 48 == 0x0081 and "mask" in registers:
            w = enable(registers["mask"])
        elif w >> 48 in TARGETS.values() and key in registers:
            w = word(w & 0xFFFF, registers[key])
        out.append(w)
    return out


def lints(words):
    return sorted({finding["id"] for task in decode_json(words)["tasks"]
                   for finding in task["lint"]})


def test_golden_outputs_of_two_vectors():
    for name in ("allbilly-add-fp16", "mtx512-matmul-fp16-4x36x16"):
        out = run("decode", f"tools/testing/vectors/{name}.vec")
        want = (HERE / "golden" / f"{name}.txt").read_bytes()
        expect(out.returncode == 0, f"{name}: exit {out.returncode}")
        expect(out.stdout == want, f"{name} differs from its golden output")


def test_fields_are_named_and_enumerations_have_meanings():
    text = decode([word(0x100C, 0x60008123), enable(0x0D)]).stdout.decode()
    for part in ("CNA.CONV_CON1", "0x60008123", "ARGB_IN 8 (one channel)", "PROC_PRECISION 2 (fp16)",
                 "CONV_MODE 3 (depthwise)", "start CNA + CORE + DPU"):
        expect(part in text, f"no {part!r} in {text}")


def test_every_vector_decodes_without_an_unknown_word():
    paths = sorted(VECTORS.glob("*.vec"))
    expect(len(paths) >= 10, "vectors are missing")
    for path in paths:
        out = run("decode", "--json", path)
        summary = json.loads(out.stdout)["summary"]
        expect(out.returncode == 0 and summary["unknown"] == 0, f"{path.name}: {summary}")


def test_three_formats_of_one_stream_give_the_same_words():
    words = vector_words("mtx512-matmul-int8-1x32x32")
    as_text = "# a comment, with 0xzz\n" + ", ".join(f"0x{w:016X}" for w in words[:50]) + "\n"
    as_text += "\n".join(f"{w:x}  # word" for w in words[50:])
    raw = decode_json(words)
    text = json.loads(run("decode", "--json", "-", stdin=as_text.encode()).stdout)
    vec = json.loads(run("decode", "--json", VECTORS / "mtx512-matmul-int8-1x32x32.vec").stdout)
    expect((raw["format"], text["format"], vec["format"]) == ("raw", "hex", "vec"), "formats")
    expect(raw["tasks"][0]["words"] == text["tasks"][0]["words"] == vec["tasks"][0]["words"],
           "words differ")


def test_every_segment_of_a_file_is_decoded():
    words = [word(0x4004, 0xE), enable(0x18), 0, 0, word(0x5004, 0xE), SYNC, enable(0x18), 0]
    out = decode_json(words)
    expect([t["first_word"] for t in out["tasks"]] == [0, 4], "tasks begin elsewhere")
    expect(out["summary"]["empty"] == 3 and out["summary"]["words"] == 8, out["summary"])
    everything = decode_json(words, "--all")
    expect(sum(len(t["words"]) for t in everything["tasks"]) == 8, "--all leaves out words")


def test_link_and_length_of_the_next_task_are_shown():
    text = decode([word(0x0010, 0xFFC60380), word(0x0014, 0x24), SYNC,
                   enable(0x18)]).stdout.decode()
    expect("next task at 0xffc60380" in text and "74 words" in text, text)


def flagged(words, message, **counts):
    out = decode(words)
    expect(out.returncode == 1, f"exit {out.returncode}")
    expect(message in out.stdout.decode(), f"no {message!r} in {out.stdout.decode()}")
    summary = decode_json(words)["summary"]
    for name, count in counts.items():
        expect(summary[name] == count, f"{name}: {summary}")


def test_what_no_block_knows_is_flagged():
    end = enable(0x18)
    flagged([0x1003 << 48 | 0x4014, end], "unknown target 0x1003", unknown=1)
    flagged([0x1001 << 48 | 0x5018, end], "outside the target's block: offset 0x5018", unknown=1)
    flagged([0x1001 << 48 | 0x40C8, end], "no such register: offset 0x40c8", unknown=1)
    flagged([0x1001 << 48 | 0x4000, end], "read-only register", unknown=1)
    flagged([0x0101 << 48 | 1 << 16 | 0x0020, end], "only the host", unknown=1)
    flagged([enable(0x80)], "enable mask", unknown=1)
    flagged([word(0x400C, 0)], "without an enable word", unfinished=1)
    flagged([0, 0], "without an enable word", unfinished=1)


def test_reasons_of_the_kernel_are_printed_in_words():
    texts = [run("decode", "--reason", number).stdout.decode() for number in range(13)]
    expect(texts[0] == "accepted\n" and texts[9].startswith("the segment ends"), texts)
    # drm_scoria_reason: no end, address, extent
    expect("no block that ends" in texts[10] and "in no buffer" in texts[11] and
           "over the end" in texts[12], texts)
    for bad in ("13", "-1", "", "0x", "2z"):
        out = run("decode", "--reason", bad)
        expect(out.returncode == 2 and b"unknown reason" in out.stderr, f"{bad}: {out}")
    expect(run("decode", "--reason", "1", "file").returncode == 2, "a file was taken")


def test_bits_outside_every_field_are_flagged_and_no_error():
    out = decode([word(0x4034, 0x2000), enable(0x18)])
    expect(out.returncode == 0, f"exit {out.returncode}")
    expect("bits 0x00002000 are in no field" in out.stdout.decode(), out.stdout.decode())


def refused(message, *arguments, stdin=b""):
    out = run("decode", *arguments, stdin=stdin)
    expect(out.returncode == 2, f"{arguments}: exit {out.returncode}, want 2")
    expect(message in out.stderr.decode(), f"{arguments}: no {message!r} in {out.stderr.decode()}")
    expect(not out.stdout, f"{arguments}: output beside the refusal")


def test_unusable_files_are_refused_with_the_reason():
    with tempfile.TemporaryDirectory() as d:
        path = pathlib.Path(d) / "stream"
        refused("No such file", path)
        refused("directory", d)
        path.write_bytes(b"")
        refused("empty", path)
        path.write_bytes(b"\x80" * 13)
        refused("13 bytes are no whole number of 64-bit words, the last one begins at offset 8",
                path)
        path.write_text("0x1 0x2\n0x3,\n0x4 wrong\n", encoding="ascii")
        refused(f"{path}:3: not a word of up to 16 hex digits: 'wrong'", path)
        path.write_text("12345678123456781\n", encoding="ascii")
        refused("'12345678123456781'", path)
        path.write_text("0x\n", encoding="ascii")
        refused("'0x'", path)
        path.write_text("# nothing\n", encoding="ascii")
        refused("no command words", path)
        path.write_text("task 1000 2 18\n", encoding="ascii")
        refused(f"{path}:1: ", path)
        if os.geteuid():
            path.chmod(0)
            refused("Permission denied", path)


def test_a_vector_whose_stream_is_not_mapped_is_refused():
    with tempfile.TemporaryDirectory() as d:
        path = pathlib.Path(d) / "hole.vec"
        path.write_text("task 1000 2 18 300\nfill 2000 10 00\nexpect 2000 1 exact\n00\n",
                        encoding="ascii")
        refused("no command words at 00001000", path)


def test_bad_use_is_refused_with_the_reason():
    refused("no file given")
    refused("not also b", "a", "b")
    refused("unknown option --frmt", "--frmt", "raw", "a")
    refused("unknown format elf", "--format", "elf", "a")
    refused("needs a value", "a", "--format")
    refused("cut short", "--format", "raw", "-", stdin=b"0x1234\n")
    refused("not a word", "--format", "hex", "-", stdin=b"\x01\x02\x03\x04\x05\x06\x07\x08")
    for arguments in ((), ("nonsense",), ("--nonsense",)):
        out = run(*arguments)
        expect(out.returncode == 2 and out.stderr, f"{arguments}: exit {out.returncode}")


def test_help_and_version_succeed():
    for arguments in (("--help",), ("-h",), ("help",), ("--version",), ("decode", "--help"),
                      ("decode", "x", "-h")):
        out = run(*arguments)
        expect(out.returncode == 0 and out.stdout and not out.stderr, f"{arguments}")


def test_output_that_cannot_be_written_is_an_error():
    with open("/dev/full", "wb") as full:
        out = subprocess.run([SCORIA, "decode", str(VECTORS / "allbilly-add-fp16.vec")],
                             stdout=full, stderr=subprocess.PIPE, cwd=TOP, check=False)
    expect(out.returncode == 2 and b"cannot write" in out.stderr, f"exit {out.returncode}")


def lint_says(words, *ids):
    found = lints(words)
    expect(found == sorted(ids), f"want {sorted(ids)}, got {found}")


def convolution():
    """fp16 matmul with every register and DPU_RDMA on and fed by nothing (recipe H1)."""
    words = vector_words("mtx512-matmul-fp16-4x36x16")[:-4]
    rdma = {0x500C: 0, 0x5010: 3, 0x5014: 15, 0x501C: 0, 0x5028: 0, 0x5034: 1,
            0x5044: 0x7810, 0x5068: 0x01010101}
    words = [w for w in words if w & 0xFFFF not in (0x1004, 0x3004)]
    words += [word(offset, value) for offset, value in rdma.items()]
    return words + [0, word(0x0014, 0), SYNC, enable(0x1D)]


def elementwise():
    """fp16 addition of two vectors of 8 (recipe H5)."""
    values = {
        0x4004: 0xE, 0x5004: 0xE, 0x400C: 0x1E5, 0x4010: 0x48000002, 0x4014: 0, 0x4020: 0x1000,
        0x4024: 0x10, 0x4030: 0, 0x4034: 0, 0x4038: 0, 0x403C: 0x70007, 0x4040: 0x53,
        0x4050: 2, 0x4054: 0, 0x4058: 7, 0x405C: 0, 0x4060: 0x53, 0x4070: 0x108202C0, 0x4074: 0,
        0x4078: 1, 0x407C: 0, 0x4080: 0, 0x4084: 0x10001, 0x4088: 0, 0x40C0: 0x10, 0x500C: 0,
        0x5010: 0, 0x5014: 7, 0x5018: 0x2000, 0x501C: 0, 0x5028: 0, 0x5034: 0x40000008,
        0x5038: 0x3000, 0x5040: 0x10, 0x5044: 0x17849, 0x5048: 0, 0x504C: 0, 0x5068: 0x01010101,
        0x506C: 0,
    }
    return [word(o, v) for o, v in values.items()] + [0, word(0x0014, 0), SYNC, enable(0x18)]


def pooling():
    """fp16 maximum of 2x2 windows (recipe H7)."""
    values = {
        0x6004: 0xE, 0x7004: 0xE, 0x600C: 3, 0x6010: 3, 0x6014: 7, 0x6018: 1, 0x601C: 1,
        0x6020: 7, 0x6024: 0x11, 0x6034: 0x110101, 0x6038: 0, 0x603C: 0, 0x6040: 0,
        0x6044: 0xFC00, 0x6048: 0, 0x6070: 0x1000, 0x607C: 64, 0x6084: 66, 0x60DC: 3,
        0x700C: 3, 0x7010: 3, 0x7014: 7, 0x701C: 0x2000, 0x7024: 64, 0x7028: 256, 0x7030: 2,
    }
    return [word(o, v) for o, v in values.items()] + [0, word(0x0014, 0), SYNC, enable(0x60)]


def mesa_convolution(**changes):
    """Requantised int8 3x3 over 16x16x32, every register as Mesa writes it (recipe H3)."""
    values = {
        0x1040: 0xB1, 0x1104: 0, 0x1100: 0, 0x100C: 0, 0x4004: 0xE, 0x5004: 0xE, 0x1010: 52 << 4,
        0x1014: 9, 0x1020: 16 << 16 | 16, 0x1024: 31 << 16 | 32, 0x1028: 16, 0x102C: 256,
        0x1030: 9 * 32 * 32, 0x1034: 9 * 32, 0x1038: 3 << 24 | 3 << 16 | 32, 0x1044: 8,
        0x104C: 0xB, 0x1050: 0x10000, 0x1054: 0x10000, 0x1058: 0x10000, 0x105C: 0x10000,
        0x1180: 0, 0x1060: 0, 0x1064: 0, 0x1074: 0, 0x1068: 0x11, 0x1070: 0x1000,
        0x1078: 0x000F000F, 0x107C: 64, 0x1080: 192, 0x1084: 16 << 16 | 16, 0x1088: 32,
        0x1110: 0x2000, 0x1184: 0x8080, 0x3010: 1, 0x3014: 15 << 16 | 15, 0x3018: 31, 0x301C: 0,
        0x3030: 0, 0x400C: 0x1E4, 0x4010: 0, 0x4014: 0, 0x4020: 0x3000, 0x4024: 256 << 4,
        0x4030: 15, 0x4034: 15, 0x4038: 0, 0x403C: 31 << 16 | 31, 0x4040: 0x20150, 0x4044: 0,
        0x4048: 0, 0x404C: 0, 0x4050: 0x124, 0x4054: 128, 0x4058: 31, 0x405C: 15 << 16 | 15,
        0x4060: 0x53, 0x4070: 0x383, 0x4074: 0, 0x4078: 1, 0x407C: 0, 0x4080: 0xFFFFFF85,
        0x4084: 17675, 0x4088: 22, 0x40C0: 512 << 4, 0x40C4: 0, 0x500C: 15, 0x5010: 15,
        0x5014: 31, 0x5018: 0, 0x501C: 2, 0x5020: 0x4000, 0x5028: 0, 0x502C: 0, 0x5034: 1,
        0x5038: 0, 0x5040: 0, 0x5044: 0x7810, 0x5048: 0, 0x504C: 0, 0x5064: 0,
        0x5068: 0x01010101, 0x506C: 0,
    }
    values.update({int(name[1:], 16): value for name, value in changes.items()})
    return [word(o, v) for o, v in values.items()] + [0, word(0x0014, 0), SYNC, enable(0x1D)]


def test_lint_is_silent_on_the_convolutions_of_mesa():
    lint_says(mesa_convolution())
    lint_says(mesa_convolution(x4070=0x904202C0, x4078=0x10001, x5018=0x5000, x5034=0x40000004,
                               x5038=0x6000, x5040=256 << 4, x5044=0x7D00, x504c=256 << 4,
                               x506c=256 << 4))
    lint_says(mesa_convolution(x100c=3, x1030=9 * 32, x1038=0x03030001, x3010=3, x3018=63,
                               x400c=0x1FC, x403c=31 << 16 | 63, x4050=0x36C, x4058=63,
                               x40c0=1024 << 4, x5014=63, x5044=0x7816))
    lint_says(mesa_convolution() + [0, 0] + mesa_convolution(x1040=0x20B1))


def test_lint_is_silent_on_the_recipes():
    lint_says(convolution())
    lint_says(elementwise())
    lint_says(pooling())
    lint_says(vector_words("mtx512-matmul-int8-8x64x64"))


def test_no_lint_turns_it_off_and_findings_do_not_fail():
    words = patch(convolution(), x5044=0)
    expect(decode(words).returncode == 0, "a finding fails")
    expect(decode_json(words, "--no-lint")["summary"]["lint"] == 0, "--no-lint finds")


def test_h8_lint_names_an_unfed_read_engine():
    lint_says(patch(convolution(), x5044=0x10000), "complete", "mrdma")
    lint_says(patch(convolution(), x5034=0), "comb-use", "complete")
    lint_says(patch(elementwise(), x5044=0x17859), "mrdma")
    lint_says(patch(convolution(), x5044=0x7D10), "comb-use")
    lint_says(patch(elementwise(), x5044=0x17D49), "comb-use")


def test_lint_names_a_block_that_the_mask_lacks():
    lint_says(patch(convolution(), mask=0x19), "mask")
    lint_says(patch(convolution(), mask=0x15), "mask")
    lint_says(patch(elementwise(), mask=0x08), "ew-operand", "mask")
    lint_says(patch(elementwise(), mask=0x10), "mask")
    lint_says(patch(pooling(), mask=0x20), "mask")
    lint_says(patch(pooling(), mask=0x40), "mask")
    lint_says(patch(convolution(), x400c=0x1E6), "mask")
    lint_says(patch(convolution(), x400c=0x1E0), "output")


def test_lint_names_operands_that_nobody_reads():
    lint_says(patch(elementwise(), x5034=0x40000009), "ew-operand")
    lint_says(patch(convolution(), x4040=0x20150), "vector-operand")
    lint_says(patch(elementwise(), x5044=0x17848), "flying", "mrdma")


def test_r1_lint_names_sizes_that_disagree():
    lint_says(patch(convolution(), x1014=8), "stride")
    lint_says(patch(convolution(), x1030=16), "weights")
    lint_says(patch(convolution(), x1028=2), "conv-output")
    lint_says(patch(convolution(), x102c=5), "conv-output")
    lint_says(patch(convolution(), x405c=0x50000), "write-dma")
    lint_says(patch(convolution(), x3010=0), "modes", "size-e")
    lint_says(patch(elementwise(), x5044=0x849), "input-type")


def test_r5_lint_names_bank_splits_that_do_not_hold_the_features():
    lint_says(patch(convolution(), x1040=0x92), "banks")
    lint_says(patch(convolution(), x1040=0x1B1), "banks")
    lint_says(patch(convolution(), x1044=0x1000), "banks")


def test_lint_names_a_kernel_group_that_is_cut():
    lint_says(patch(convolution(), x4050=0x126), "size-e")
    lint_says(patch(convolution(), x4050=0x12E), "size-e")


def test_lint_names_fp16_output_without_narrowing():
    lint_says(patch(elementwise(), x4084=1), "narrowing")
    lint_says(patch(elementwise(), x4084=1, x4070=0x108303C0))


def test_h12_lint_names_chains_without_pointer_writes():
    task = [w for w in elementwise() if w & 0xFFFF not in (0x4004, 0x5004)]
    lint_says(task)
    lint_says(task + task, "pointers")


def test_lint_names_qd_en_0_in_integer_chains():
    task = patch(vector_words("mtx512-matmul-int8-8x64x64"), x3010=0)
    lint_says(task)
    lint_says(task + [0] * (len(task) % 2) + task, "qd-en")
    lint_says(patch(task, x3010=1) * 2)


def test_lint_names_bad_links_and_a_missing_barrier():
    task = elementwise()[:-4]
    words = len(task) + 4
    end = [SYNC, enable(0x18)]
    chain = [word(0x0010, 0x1000), word(0x0014, (words + 1) // 2 - 1)] + end
    lint_says(task + chain + task + [0, 0] + end)
    short = [word(0x0010, 0x1000), word(0x0014, (words + 1) // 2 - 2)] + end
    lint_says(task + short + task + [0, 0] + end, "link")
    lint_says(task + [word(0x0010, 0x1008), word(0x0014, 0x24)] + end, "link")
    lint_says(task + [0, 0, enable(0x18)], "barrier")


def test_r9_lint_names_registers_left_to_an_earlier_task():
    words = [w for w in elementwise() if w & 0xFFFF not in (0x4038, 0x4088)]
    lint_says(words, "complete")
    text = decode(words).stdout.decode()
    expect("DPU: 2 registers keep what an earlier task left: DATA_CUBE_NOTCH_ADDR, OUT_CVT_SHIFT"
           in text, text)


def main():
    tests = [(name, test) for name, test in globals().items() if name.startswith("test_")]
    failed = 0
    print(f"TAP version 13\n1..{len(tests)}")
    for number, (name, test) in enumerate(tests, 1):
        problem = None
        try:
            test()
        except Failure as failure:
            problem = str(failure)
        except Exception:  # pylint: disable=broad-except
            problem = traceback.format_exc()
        if problem is not None:
            print("# " + problem.replace("\n", "\n# "))
            failed = 1
        print(f"{'not ' if problem is not None else ''}ok {number} - "
              f"{name.removeprefix('test_')}", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
