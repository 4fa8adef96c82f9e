# SPDX-License-Identifier: MIT
"""What the guest's console says: test results, and the kernel's complaints."""
import re

# Each of these fails the run, wherever it stands in the kernel's log.
COMPLAINTS = re.compile(r"""
    \bWARNING:|\bBUG:|\bBUG\b.*\bat\b|KASAN|UBSAN
    |kmemleak:\ (?!Kernel\ memory|Memory\ pool|Automatic|Cannot\ allocate\ a\ scan\ area)
    |possible\ (circular|recursive|irq)|inconsistent\ lock\ state|suspicious\ RCU\ usage
    |DMA-API:\ (?!preallocated|debugging|\w+:\ enabled)|ODEBUG:|refcount_t:
    |INFO:\ (task|rcu)|rcu:\ INFO|soft\ lockup|blocked\ for\ more
    |sleeping\ function|scheduling\ while\ atomic|bad:\ scheduling
    |Unable\ to\ handle|Internal\ error|Oops|Kernel\ panic|Call\ trace
    |list_(add|del)\ corruption|nobody\ cared|\ stall\ request\ timed\ out
    |workqueue\ lockup|Unbalanced\ pm_runtime|hogged\ CPU
""", re.X)
RESULT = re.compile(r"(not )?ok\b\s*\d*\s*(?:- )?([^#]*)(?:#\s*(\S+)\s*(.*))?")
PLAN = re.compile(r"1\.\.(\d+)")
KTAP = re.compile(r"\s+(not )?ok \d+ ([\w.-]+)")


class Program:
    """One test program: its claims, its plan, and how it ended."""

    def __init__(self, name):
        self.name = name
        self.claims = []        # (passed, name, skip reason or None, notes)
        self.plan = None
        self.status = None
        self.notes = []

    def line(self, text):
        match = RESULT.match(text)
        plan = PLAN.match(text)
        if match:
            skip = match[4] or "no reason given" if (match[3] or "").upper() == "SKIP" else None
            self.claims.append((not match[1], match[2].strip(), skip, self.notes))
            self.notes = []
        elif plan:
            self.plan = int(plan[1])
        elif text.strip():
            self.notes.append(text)

    def problem(self):
        """What is wrong beside its claims, or None."""
        failed = any(not claim[0] for claim in self.claims)
        if self.status is None:
            return "did not end"
        if self.plan is None:
            return f"printed no plan, exit status {self.status}"
        if len(self.claims) != self.plan:
            return f"{len(self.claims)} claims of {self.plan}, exit status {self.status}"
        if self.status and not failed and self.status != 4:
            return f"exit status {self.status} although no claim failed"
        return None


class Console:
    """Everything that a run of the guest has printed."""

    def __init__(self):
        self.programs = {}
        self.current = None
        self.complaints = []
        self.kunit = []         # (passed, name)
        self.done = False

    def _log(self, text):
        match = KTAP.search(text)
        if match:
            self.kunit.append((not match[1], match[2]))
        if COMPLAINTS.search(text):
            self.complaints.append(text)

    def line(self, text):
        """Take in one line, without its end."""
        if not text.startswith("@@ "):
            if self.current:
                self.current.line(text)
            if not self.current or re.match(r"\[ *\d+\.\d+\]", text):
                self._log(text)
            return
        word, _, rest = text[3:].partition(" ")
        if word == "log":
            self._log(rest)
        elif word == "begin":
            self.current = self.programs[rest] = Program(rest)
        elif word == "end" and self.current:
            self.current.status = int(rest.split()[-1])
            self.current = None
        elif word == "done":
            self.done = True
