#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""`scoria bench` on the model, in TAP. On the board: tools/testing/vm/guest/commands."""
import json
import sys

from cli import ends, expect, main, refused

MODEL = ("bench", "--device", "model", "--repeat", 1)
OPERATIONS = {"matmul 256x512x512": 2 * 256 * 512 * 512, "matmul 1x2048x2048": 2 * 2048 * 2048,
              "conv 64x56x56 -> 64, 3x3": 2 * 64 * 64 * 9 * 56 * 56,
              "conv 256x28x28 -> 64, 1x1": 2 * 64 * 256 * 28 * 28,
              "add of 262144": 262144, "max pool 64x56x56, 2x2": 64 * 56 * 56}


def test_results_are_right_and_figures_follow_from_cycles():
    out = json.loads(ends(0, *MODEL, "--json"))
    expect({row["operation"] for row in out["results"]} == set(OPERATIONS), out)
    for row in out["results"]:
        expect(row["right"] and row["estimated"] and row["cycles"] > 0, row)
        expect(row["operations"] == OPERATIONS[row["operation"]], row)
        expect(abs(row["npu_seconds"] * out["clock_hz"] - row["cycles"]) < 1, row)
        rate = row["operations"] / row["npu_seconds"] / 1e9
        expect(abs(row["gop_per_second"] - rate) < 1e-6 * rate, row)
        # nothing is computed faster than three arrays of 1024 int8 products a cycle can
        expect(rate < 3 * 2 * 1024, row)
        expect(row["call_seconds_min"] >= row["job_seconds_min"] > 0, row)
    expect(out["latency"]["call_seconds_median"] >= out["latency"]["call_seconds_min"] > 0, out)


def test_text_says_that_the_model_estimates():
    out = ends(0, *MODEL)
    expect("estimates of the model's cost model" in out and "est. GOP/s" in out, out)
    expect("WRONG" not in out and out.count("fp16") >= 3, out)


def test_some_operations_can_be_chosen():
    out = json.loads(ends(0, *MODEL, "--json", "--only", "pool"))
    expect([row["operation"] for row in out["results"]] == ["max pool 64x56x56, 2x2"], out)


def test_bad_use_is_refused():
    refused("--repeat: 33 is more than 32", "bench", "--repeat", 33)
    refused("there is no device named", "bench", "--device", "gpu")


def test_nothing_to_measure_is_refused():
    refused('--only: no operation has "nothing"', "bench", "--device", "model", "--only", "nothing")


if __name__ == "__main__":
    sys.exit(main(globals()))
