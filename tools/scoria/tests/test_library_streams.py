#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What libscoria emits passes the checker and falls into no trap, in TAP.

Fault H8: the library never emits an unfed read engine. The command under test
is the one that watch_streams.c is linked into, in the build directory $O.
"""

import os
import re
import subprocess
import sys

COMMAND = os.path.join(os.environ.get("O") or "build", "tools/scoria/tests/scoria-watched")
SUMMARY = re.compile(r"watched (\d+) tasks, (\d+) refused, (\d+) findings")

CLAIMS = {
    "fp16 matmul over several K": "matmul --m 100 --k 3000 --n 200",
    "fp16 matmul of one row": "matmul --m 1 --k 64 --n 48 --out fp16",
    "fp16 matmul over several N": "matmul --m 300 --k 1000 --n 500",
    "int8 matmul of odd sizes": "matmul --m 37 --k 91 --n 53 --dtype int8",
    "int8 matmul over several K": "matmul --m 5 --k 30000 --n 40 --dtype int8",
    "requantised int8 matmul": "matmul --m 37 --k 91 --n 53 --dtype int8 --out int8 --bias --relu-max 9",
    "int4 matmul over several K": "matmul --m 37 --k 1000 --n 70 --dtype int4",
    "bf16 matmul with alpha and bias": "matmul --m 9 --k 70 --n 40 --dtype bf16 --alpha 0.5 --bias",
    "tf32 matmul": "matmul --m 9 --k 70 --n 40 --dtype tf32",
    "int16 matmul": "matmul --m 9 --k 70 --n 40 --dtype int16 --batch 2",
    "fp16 convolution in row tiles": "conv2d --ic 3 --oc 6 --h 300 --w 300 --kernel 1",
    "fp16 convolution in column tiles": "conv2d --ic 16 --oc 7 --h 20 --w 2100 --kernel 3",
    "strided int8 convolution": "conv2d --ic 64 --oc 128 --h 56 --w 56 --kernel 3 --stride 2 --pad 1 --dtype int8",
    "requantised uint8 convolution": "conv2d --ic 16 --oc 24 --h 30 --w 30 --kernel 5 --dtype uint8 --out uint8 --bias --relu",
    "fp32 output with bias and relu": "conv2d --ic 20 --oc 9 --h 9 --w 11 --kernel 3 --out fp32 --bias --relu",
    "fp16 depthwise": "conv2d --ic 70 --h 12 --w 13 --kernel 3 --pad 1 --depthwise",
    "requantised int8 depthwise": "conv2d --ic 70 --h 12 --w 13 --kernel 3 --pad 1 --depthwise --dtype int8 --out int8",
    "transposed convolution": "conv2d --ic 12 --oc 8 --h 17 --w 9 --kernel 4 --stride 3 --pad 1 --transposed",
    "conv1d": "conv1d --ic 12 --oc 8 --length 400 --kernel 5 --stride 2 --pad 2",
    "groups and dilation": "conv2d --ic 12 --oc 8 --h 17 --w 9 --kernel 3 --groups 4 --dilation 2",
    "inputs less than four rows high": "conv2d --ic 5 --oc 7 --h 2 --w 3 --kernel 2 --dtype int8",
    "int8 convolution with scales by channel": "conv2d --ic 20 --oc 70 --h 9 --w 9 --kernel 3 --dtype int8 --per-channel --relu-max 40",
    "cumulative sum": "reduce --op cumsum --rows 3 --columns 700",
    "pooling with padding": "pool --c 20 --h 30 --w 31 --kernel 3 --stride 2 --pad 1 --method average",
    "pooling in passes": "pool --c 9 --h 40 --w 333 --global",
    "pooling in column tiles": "pool --c 3 --h 3 --w 9000 --kernel 3 --stride 1 --pad 1 --method min",
    "operand in row tiles": "conv2d --ic 64 --oc 40 --h 90 --w 80 --kernel 3 --residual add --relu",
    "operand in column tiles": "conv2d --ic 8 --oc 40 --h 9 --w 3000 --kernel 3 --dtype int8 --out int8 --residual mul",
    "table behind a convolution": "conv2d --ic 8 --oc 40 --h 9 --w 9 --kernel 3 --act sigmoid",
    "slopes by channel": "conv2d --ic 8 --oc 40 --h 9 --w 9 --kernel 3 --act prelu --bias",
    "factors by channel": "matmul --m 9 --k 70 --n 40 --out fp16 --factors --bias --alpha 0.5",
    "passes behind a product": "matmul --m 40 --k 100 --n 100 --out fp16 --residual add --act tanh",
    "kernels beyond the hardware's": "conv2d --ic 2 --oc 3 --h 40 --w 40 --kernel 33 --stride 9",
}


def problems(arguments):
    run = subprocess.run([COMMAND, *arguments.split(), "--check"], capture_output=True, text=True,
                         timeout=120, check=False)
    summary = SUMMARY.search(run.stderr)
    if run.returncode or not summary:
        return f"exit {run.returncode}: {run.stdout}{run.stderr}"
    watched, refused, findings = map(int, summary.groups())
    return "" if watched and not refused and not findings else run.stderr


def main():
    failed = 0
    print(f"TAP version 13\n1..{len(CLAIMS)}")
    for number, (claim, arguments) in enumerate(CLAIMS.items(), 1):
        problem = problems(arguments)
        if problem:
            print("# " + problem.rstrip().replace("\n", "\n# "))
            failed = 1
        print(f"{'not ' if problem else ''}ok {number} - {claim}", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
