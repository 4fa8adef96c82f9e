# SPDX-License-Identifier: MIT
"""Test results in TAP, on standard output."""


class Tap:
    """Numbered claims on standard output."""

    def __init__(self):
        self.count = 0
        self.failed = 0

    def claim(self, passed, name, notes=()):
        self.count += 1
        self.failed += not passed
        if not passed:
            for note in notes:
                print(f"# {note}")
        print(f"{'' if passed else 'not '}ok {self.count} - {name}", flush=True)

    def end(self):
        print(f"1..{self.count}", flush=True)


def report(claims):
    """Print claims, each with the findings against it, and return the exit status."""
    tap = Tap()
    for name, findings in claims:
        tap.claim(not findings, name, findings)
    tap.end()
    return 1 if tap.failed else 0
