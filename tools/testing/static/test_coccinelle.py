#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The kernel's semantic patches in mode "report", as make coccicheck has them."""
import re
import subprocess
import sys

import trees
import cache
import kernel_stock
import modules
import tap

REPORTS = re.compile(r"^virtual\s.*\breport\b", re.M)
OPTIONS = re.compile(r"^// Options:(.*)", re.M)


def rules(tree):
    """Paths of the semantic patches that can report.

    Two have parts in OCaml and need its compiler: one is for a driver of
    batteries, the other for comparisons of pointers with 0, which sparse sees.
    """
    for path in sorted((tree / "scripts/coccinelle").rglob("*.cocci")):
        text = path.read_text()
        if REPORTS.search(text) and ":ocaml" not in text:
            yield path


def apply(rule, sources):
    """What one semantic patch says about a directory of sources."""
    options = OPTIONS.search(rule.read_text())
    done = subprocess.run(["spatch", "-D", "report", "--very-quiet", "--no-show-diff",
                           "--cocci-file", rule, *(options[1].split() if options else []),
                           "--dir", ".", "-I", "include/uapi", "-I", "registers"],
                          cwd=sources, text=True, capture_output=True, check=False)
    found = [line.removeprefix("./") for line in done.stdout.splitlines() if line.strip()]
    if done.returncode:
        found += [f"{rule.name}: spatch: exit status {done.returncode}",
                  *done.stderr.splitlines()[-5:]]
    return found


def log(tree):
    """The lines of all reports, kept until a source or a semantic patch changes."""
    chosen = list(rules(tree))

    def check(directory):
        modules.stage(directory / "source")
        said = [line for rule in chosen for line in apply(rule, directory / "source")]
        (directory / "log").write_text("".join(f"{line}\n" for line in said))

    inputs = [__file__, *chosen, *modules.sources()]
    return (cache.result("coccinelle", inputs, check) / "log").read_text().splitlines()


def main():
    tree = kernel_stock.source()
    count = len(list(rules(tree)))
    return tap.report([
        ("semantic_patches_are_there", [] if count > 50 else [f"{count} in {tree}"]),
        ("semantic_patches_report_nothing", log(tree)),
    ])


if __name__ == "__main__":
    sys.exit(main())
