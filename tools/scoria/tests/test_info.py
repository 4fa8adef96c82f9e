#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""`scoria info` from outside, in TAP. On the board: tools/testing/vm/guest/commands."""
import json
import os
import sys

from cli import ends, expect, main, refused

MODEL = ("info", "--device", "model")


def test_model_is_described():
    out = ends(0, *MODEL)
    for words in ("device model", "libscoria-model", "0x46495245", "3: 0 1 2"):
        expect(words in out, f"no {words!r} in {out}")


def test_json_has_the_same_facts():
    out = json.loads(ends(0, *MODEL, "--json"))
    expect(out["device"] == "model" and out["node"] is None, out)
    expect(out["hw_version"] == "0x46495245", out)
    expect(out["cores"] == 3 and out["core_mask"] == 7, out)
    expect(out["driver"]["name"] == "libscoria-model" and not out["driver"]["native"], out)
    expect(out["limits"] == {"kick_tasks": 4095}, out)
    expect(out["address_end"] == 1 << 32, out)


def test_where_there_is_none_that_is_said_with_what_to_do():
    if os.path.exists("/dev/accel/accel0"):
        return
    refused("scoria doctor", "info")
    refused("/dev/accel/accel9", "info", "--device", "/dev/accel/accel9")


def test_other_devices_are_no_npu():
    refused("no NPU driver that is known", "info", "--device", "/dev/null")


def test_bad_use_is_refused():
    refused("there is no device named", "info", "--device", "gpu")
    refused("no option", "info", "--jsno")
    refused("the value is missing", "info", "--device")


if __name__ == "__main__":
    sys.exit(main(globals()))
