#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""`scoria silicon` from outside, in TAP: reports, exit statuses, bad use.

The command under test is $SCORIA, or scoria in the build directory $O.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import traceback

OUT = os.environ.get("O") or "build"
SCORIA = os.environ.get("SCORIA") or os.path.join(OUT, "scoria")
ANSWERED = os.path.join(OUT, "tools/silicon/tests/scoria-answered")
ALL = 77
ON_MODEL = ("--device", "model")


class Failure(Exception):
    """A claim that does not hold."""


def expect(condition, what):
    if not condition:
        raise Failure(what)


def execute(program, *arguments, **environment):
    return subprocess.run([program, *map(str, arguments)], capture_output=True, timeout=120,
                          check=False, text=True, env={**os.environ, **environment})


def run(*arguments):
    return execute(SCORIA, "silicon", *arguments)


def ends(status, *arguments):
    out = run(*arguments)
    expect(out.returncode == status, f"{arguments}: exit {out.returncode}: {out.stderr}")
    return out.stdout


def refused(words, *arguments):
    """Exit status 2 and one line that names what is wrong."""
    out = run(*arguments)
    expect(out.returncode == 2, f"{arguments}: exit {out.returncode}: {out.stdout}")
    expect(out.stderr.count("\n") == 1 and words in out.stderr, f"{arguments}: {out.stderr!r}")


def the_list_has_every_experiment():
    text = ends(0, "--list")
    numbers = re.findall(r"^ *(\d+) [a-z]", text, re.M)
    expect([int(n) for n in numbers] == list(range(1, ALL + 1)), numbers)
    expect("risky" in text and "asked by:" in text, "no risks or programs in the list")


def the_report_as_json_is_whole(folder):
    report = json.loads(ends(0, *ON_MODEL, "--risky", "--json", "-"))
    expect(report["complete"] and report["running"] is None, report["running"])
    expect(report["device"]["hw_version"] == "0x46495245", report["device"])
    expect(report["summary"] == {"assumed": ALL, "otherwise": 0, "none": 0, "not_run": 0},
           report["summary"])
    for experiment in report["experiments"]:
        expect(experiment["verdict"] == "answer", experiment)
        expect(experiment["outcome"] or experiment["ended"] == "hung", experiment)
        expect(experiment["answer"] in [h["name"] for h in experiment["hypotheses"]], experiment)
    path = folder / "report.json"
    ends(0, *ON_MODEL, "--only", "9,bs-order", "--json", path)
    report = json.loads(path.read_text())
    expect([e["name"] for e in report["experiments"]] == ["ties-out", "bs-order"], report)
    expect(list(folder.iterdir()) == [path], "more than the report is left")


def another_answer_is_told_and_is_exit_status_1(folder):
    text = ends(1, *ON_MODEL, "--only", "ties-out", "--model", "ties-out=away")
    expect("away" in text and "OTHERWISE" in text and "1 otherwise" in text, text)
    report = json.loads(ends(1, *ON_MODEL, "--model", "ties-out=away,lut-order=op-first",
                             "--json", "-", "--text", folder / "text"))
    expect(report["summary"]["otherwise"] == 2, report["summary"])
    expect("OTHERWISE" in (folder / "text").read_text(), "no text")


def what_no_hypothesis_says_is_told_in_bytes():
    """Without the sum of features there is nothing to shift: neither reading of qd-clip."""
    text = ends(1, *ON_MODEL, "--only", "qd-clip", "--model", "qd-sum=none")
    expect("NONE OF THEM: 0x4 0 0 0" in text, text)


def answers_have_a_line_each(folder):
    path = folder / "answers.def"
    ends(1, *ON_MODEL, "--only", "ties-out,nan-fp16", "--model", "nan-fp16=x7e00",
         "--answers", path)
    lines = path.read_text().splitlines()
    expect([re.sub(r', ".*"\)$', "", line) for line in lines] ==
           ["ANSWER(TIES_OUT, EVEN", "ANSWER(NAN_FP16, X7E00"], lines)


def bad_use_is_refused(folder):
    refused("experiment", *ON_MODEL, "--only", "tie")
    refused("experiment", *ON_MODEL, "--only", "0")
    refused("experiment", *ON_MODEL, "--only", str(ALL + 1))
    refused("experiment", *ON_MODEL, "--only", "1,,2")
    refused("no switch \"tie\"", *ON_MODEL, "--model", "tie=even")
    refused("even, up, away, cut", *ON_MODEL, "--model", "ties-out=odd")
    refused("even, up, away, cut", *ON_MODEL, "--model", "ties-out")
    refused("--device model", "--model", "ties-out=even")
    refused("--text: - is no file", *ON_MODEL, "--only", "2", "--text", "-")
    refused("--json", *ON_MODEL, "--only", "9", "--json", folder / "no" / "where")
    refused("--text", *ON_MODEL, "--only", "9", "--text", folder / "no" / "where")
    refused("no option", "--fast")


def without_a_device_there_is_a_message(folder):
    refused("accel", "--device", folder / "none")
    (folder / "file").touch()
    refused("no NPU driver", "--device", folder / "file")
    if os.geteuid():
        (folder / "file").chmod(0)
        refused("Permission denied", "--device", folder / "file")


def an_answer_reaches_the_model_and_the_library():
    """tools/silicon/tests/answers.def: without the library's choice, one row would be wrong."""
    out = execute(ANSWERED, "silicon", *ON_MODEL, "--risky", "--json", "-")
    report = json.loads(out.stdout)
    answers = {e["name"]: e["answer"] for e in report["experiments"]}
    expect(out.returncode == 0 and report["summary"]["assumed"] == ALL, report["summary"])
    expect(answers["ties-out"] == "away" and answers["cvt-lanes"] == "last" and
           answers["low-height"] == "clamps", answers)
    for rows in 1, 2, 3, 4:
        out = execute(ANSWERED, "matmul", "--m", rows, "--k", 256, "--n", 64, "--dtype", "fp16",
                      "--check")
        expect(out.returncode == 0, f"{rows} rows: {out.stdout}{out.stderr}")


def caution_changes_what_the_library_does():
    def tasks_and_jobs(caution):
        out = execute(SCORIA, "conv2d", "--ic", 64, "--oc", 64, "--h", 150, "--w", 100, "--kernel",
                      3, "--pad", 1, "--json", SCORIA_CAUTION=caution)
        expect(out.returncode == 0, out.stderr)
        return json.loads(out.stdout)
    plan = tasks_and_jobs("")
    expect(plan["tasks"] > plan["jobs"], plan)
    plan = tasks_and_jobs("low-cubes,one-task")
    expect(plan["tasks"] > 1 and plan["jobs"] == plan["tasks"], plan)
    out = execute(SCORIA, "matmul", "--m", 1, "--k", 1, "--n", 1, SCORIA_CAUTION="none")
    expect(out.returncode == 2 and "\"none\"" in out.stderr, out)


CLAIMS = [an_answer_reaches_the_model_and_the_library, caution_changes_what_the_library_does,
          the_list_has_every_experiment, the_report_as_json_is_whole,
          another_answer_is_told_and_is_exit_status_1, what_no_hypothesis_says_is_told_in_bytes,
          answers_have_a_line_each, bad_use_is_refused, without_a_device_there_is_a_message]


def holds(claim):
    try:
        with tempfile.TemporaryDirectory() as name:
            claim(*([pathlib.Path(name)] if claim.__code__.co_argcount else []))
        return True
    except Exception:
        print("# " + traceback.format_exc().rstrip().replace("\n", "\n# "))
        return False


def main():
    print(f"TAP version 13\n1..{len(CLAIMS)}")
    failures = 0
    for number, claim in enumerate(CLAIMS, 1):
        good = holds(claim)
        failures += not good
        print(f"{'' if good else 'not '}ok {number} - {claim.__name__}", flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
