#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The judge of the virtual machine's console finds what it should, and only that."""
import sys

from console import Console

# claim, line of the kernel's log; as the kernels of the two lanes print them
BAD = [
    ("warning", "WARNING: CPU: 1 PID: 77 at drivers/iommu/iommu.c:2981 iommu_detach_group+0x1c/0x30"),
    ("bug", "BUG: sleeping function called from invalid context at kernel/locking/mutex.c:283"),
    ("kasan", "BUG: KASAN: slab-use-after-free in scoria_irq_handler+0x44/0x90 [scoria]"),
    ("ubsan", "UBSAN: array-index-out-of-bounds in drivers/accel/scoria/scoria_ring.c:51:9"),
    ("lockdep", "WARNING: possible circular locking dependency detected"),
    ("lock_state", "WARNING: inconsistent lock state"),
    ("rcu", "WARNING: suspicious RCU usage"),
    ("leak", "kmemleak: unreferenced object 0xffff000004a3c200 (size 128):"),
    ("dma", "DMA-API: scoria fdab0000.npu: device driver tries to free DMA memory it has not allocated"),
    ("odebug", "ODEBUG: free active (active state 0) object: timer_list hint: scoria_exec_watchdog"),
    ("refcount", "refcount_t: underflow; use-after-free."),
    ("oops", "Unable to handle kernel NULL pointer dereference at virtual address 0000000000000008"),
    ("panic", "Kernel panic - not syncing: Fatal exception in interrupt"),
    ("hung_task", "INFO: task kworker/0:1:9 blocked for more than 120 seconds."),
    ("stall", "rcu: INFO: rcu_preempt self-detected stall on CPU"),
    ("lockup", "watchdog: BUG: soft lockup - CPU#0 stuck for 23s! [reset:88]"),
    ("irq", "irq 27: nobody cared (try booting with the \"irqpoll\" option)"),
    ("iommu_stall", "rk_iommu fdab9000.iommu: Enable stall request timed out, status: 0x00004b"),
    ("insmod", "init: BUG: insmod scoria.ko failed"),
]
GOOD = [
    "kasan: KernelAddressSanitizer initialized (generic)",
    "kmemleak: Kernel memory leak detector initialized (mem pool available: 39880)",
    "DMA-API: preallocated 65536 debug entries",
    "DMA-API: debugging enabled by kernel config",
    "rcu: 	RCU lockdep checking is enabled.",
    "scoria fdab0000.npu: job hung in kick 1 of 1: raw 0x0, tasks 0xf000",
    "rk_iommu fdada000.iommu: Page fault at 0x0000000000003000 of type read",
]
RUN = ["@@ begin bo", "TAP version 13", "1..2", "ok 1 bo.a", "# why", "not ok 2 bo.b", "@@ end bo 1",
       "@@ log [    4.1]     ok 3 a_kunit_case", "@@ done"]


def console(lines):
    result = Console()
    for line in lines:
        result.line(line)
    return result


def logged(text):
    return console([f"@@ log [    1.000000] {text}"]).complaints


def claims():
    for name, text in BAD:
        yield f"{name}_is_a_complaint", bool(logged(text))
    yield "what_is_normal_is_none", not any(logged(text) for text in GOOD)
    yield "complaint_on_the_bare_console_counts", bool(console(["[  1.0] " + BAD[2][1]]).complaints)
    during = console(["@@ begin bo", "[    9.0] " + BAD[0][1]])
    yield "complaint_in_the_middle_of_a_test_counts", bool(during.complaints)
    whole = console(RUN)
    bo = whole.programs["bo"]
    yield "claims_are_taken", [claim[:2] for claim in bo.claims] == [(True, "bo.a"), (False, "bo.b")]
    yield "notes_belong_to_the_claim_behind_them", bo.claims[1][3] == ["# why"]
    yield "kunit_cases_are_taken", whole.kunit == [(True, "a_kunit_case")]
    yield "end_is_seen", whole.done and bo.problem() is None
    yield "end_that_is_missing_is_seen", not console(RUN[:-1]).done
    yield "program_without_an_end_is_a_problem", bool(console(RUN[:6]).programs["bo"].problem())
    short = console([line for line in RUN if not line.startswith("not ok")]).programs["bo"]
    yield "claim_that_is_missing_is_a_problem", bool(short.problem())
    skipped = console(["@@ begin bo", "1..1", "ok 1 bo.a # SKIP no device", "@@ end bo 0"])
    yield "skip_is_known_as_one", skipped.programs["bo"].claims[0][2] == "no device"


def main():
    failed = False
    found = list(claims())
    print(f"TAP version 13\n1..{len(found)}")
    for number, (name, passed) in enumerate(found, 1):
        print(f"{'ok' if passed else 'not ok'} {number} - {name}")
        failed |= not passed
    return failed


if __name__ == "__main__":
    sys.exit(main())
