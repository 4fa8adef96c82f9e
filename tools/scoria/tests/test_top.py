#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""`scoria top` on processes made of files, in TAP."""
import json
import subprocess
import sys
import tempfile
import time

from cli import SCORIA, ends, expect, main, refused
from fake_root import Root, as_nobody

OURS = """pos:\t0
flags:\t02400002
drm-driver:\trocket
drm-client-id:\t{client}
drm-engine-npu0:\t{npu0} ns
drm-engine-npu2:\t{npu2} ns
drm-engine-capacity-npu2:\t1
drm-total-memory:\t12 KiB
drm-shared-memory:\t0
drm-resident-memory:\t8192
"""
IN_TREE = "pos:\t0\ndrm-driver:\trocket\ndrm-client-id:\t{client}\n"


def put_process(root, pid, comm, descriptors):
    root.write(f"proc/{pid}/comm", f"{comm}\n")
    root.directory(f"proc/{pid}/fd")
    for number, (target, info) in enumerate(descriptors):
        root.link(f"proc/{pid}/fd/{number}", target)
        root.write(f"proc/{pid}/fdinfo/{number}", info)


def ours(client, npu0=0, npu2=0):
    return "/dev/accel/accel0", OURS.format(client=client, npu0=npu0, npu2=npu2)


def show(root, *arguments, **options):
    return ends(0, "top", "--once", "--interval", 0.01, "--root", root.path, *arguments, **options)


def show_json(root):
    return json.loads(show(root, "--json"))


def with_root(test):
    def wrapped():
        with tempfile.TemporaryDirectory() as name:
            root = Root(name)
            root.directory("proc/sys")
            test(root)
    return wrapped


@with_root
def test_clients_are_listed_with_what_they_used(root):
    put_process(root, 41, "infer", [("/dev/null", "pos:\t0\n"), ours(7, 1500000000, 250000000)])
    out = show_json(root)
    expect([core["name"] for core in out["cores"]] == ["npu0", "npu2"], out)
    client, = out["clients"]
    expect(client["pid"] == 41 and client["process"] == "infer" and client["client"] == 7, client)
    expect([core["busy_ns"] for core in client["cores"]] == [1500000000, 250000000], client)
    expect(all(core["load"] == 0 for core in client["cores"]), client)
    expect(client["memory_bytes"] == 12288 and client["resident_bytes"] == 8192, client)
    text = show(root)
    for words in ("1 open", "41 infer", "1.750", "npu0 %", "npu2 %"):
        expect(words in text, f"no {words!r} in {text}")


@with_root
def test_copies_of_a_descriptor_count_once(root):
    put_process(root, 41, "parent", [ours(7), ours(7), ours(8)])
    put_process(root, 42, "child", [ours(7)])
    out = show_json(root)
    expect(sorted(client["client"] for client in out["clients"]) == [7, 8], out)


@with_root
def test_files_of_other_drivers_are_not_shown(root):
    put_process(root, 41, "render", [("/dev/dri/renderD128", OURS.format(client=1, npu0=0, npu2=0)),
                                     ("/dev/accel/accel1", "drm-driver:\tivpu\ndrm-client-id:\t3\n"),
                                     ("/dev/accel/accel0", "pos:\t0\n")])
    out = show_json(root)
    expect(not out["clients"] and not out["cores"], out)
    expect("No process" in show(root), show(root))


@with_root
def test_driver_without_busy_time_is_said_to_be_so(root):
    put_process(root, 41, "teflon", [("/dev/accel/accel0", IN_TREE.format(client=3))])
    out = show_json(root)
    expect(out["clients"][0]["pid"] == 41 and not out["cores"], out)
    expect("does not tell how long" in show(root), show(root))


def changed_in_between(root, change, seconds):
    """The JSON of an interval in which `change` was called; None when that came too early."""
    with subprocess.Popen([SCORIA, "top", "--once", "--json", "--interval", str(seconds), "--root",
                           root.path], stdout=subprocess.PIPE, text=True) as top:
        time.sleep(seconds / 2)
        change()
        text, _ = top.communicate()
    return json.loads(text)


def until_seen(root, before, change, seen):
    """On a busy machine the first sample may be late: then again, with more time."""
    for seconds in (0.2, 1, 4, 16):
        before()
        out = changed_in_between(root, change, seconds)
        if seen(out):
            return out
    raise AssertionError(out)


@with_root
def test_load_is_time_worked_in_the_interval(root):
    out = until_seen(root,
                     lambda: put_process(root, 41, "infer", [ours(7, 1000000000, 5), ours(8)]),
                     lambda: put_process(root, 41, "infer", [ours(7, 1050000000, 5),
                                                             ours(8, 25000000)]),
                     lambda out: out["cores"][0]["load"])
    expect(abs(out["cores"][0]["load"] - 0.075 / out["seconds"]) < 1e-9, out)
    expect(out["cores"][1]["load"] == 0, out)
    loads = {client["client"]: client["cores"][0]["load"] for client in out["clients"]}
    expect(abs(loads[7] - 2 * loads[8]) < 1e-9, out)


@with_root
def test_count_that_goes_back_is_no_load(root):        # H9's kind
    out = until_seen(root,
                     lambda: put_process(root, 41, "infer", [ours(7, 9000000000)]),
                     lambda: put_process(root, 41, "infer", [ours(7, 3)]),
                     lambda out: out["clients"][0]["cores"][0]["busy_ns"] == 3)
    expect(out["cores"][0]["load"] == 0, out)


@with_root
def test_client_that_is_new_has_worked_since_it_came(root):
    def reset():
        if (root.path / "proc/41").exists():
            root.remove("proc/41")
    out = until_seen(root, reset, lambda: put_process(root, 41, "infer", [ours(7, 20000000)]),
                     lambda out: out["cores"] and out["cores"][0]["load"])
    expect(abs(out["cores"][0]["load"] - 0.02 / out["seconds"]) < 1e-9, out)


@with_root
def test_processes_that_may_not_be_seen_are_counted(root):
    put_process(root, 41, "secret", [ours(7)])
    (root.path / "proc/41/fd").chmod(0)
    out = json.loads(show(root, "--json", **as_nobody(root)))
    expect(out["hidden_processes"] == 1 and not out["clients"], out)
    expect("1 processes may hide more" in show(root, **as_nobody(root)), out)


def test_it_looks_at_this_machine_without_a_root():
    out = json.loads(ends(0, "top", "--once", "--json", "--interval", 0.02))
    expect(0.02 <= out["seconds"] < 20, out)


def test_bad_use_is_refused():
    refused("is not from 0.01", "top", "--interval", 0)
    refused("is not from 0.01", "top", "--interval", -1)
    refused("there is no directory /nowhere", "top", "--root", "/nowhere")
    with tempfile.TemporaryDirectory() as name:
        refused("No such file", "top", "--root", name)


if __name__ == "__main__":
    sys.exit(main(globals()))
