#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""flow.py [--moved N] FILE: checks that the output of kbranch -s 0 is a path without a gap: from
the target of one branch of a task, straight code leads to the source of the next one. N: the
number of records that may say that the task was moved (0)."""
import sys

LONGEST = 4096  # bytes of straight code
KERNEL = 0xffffffffffffffff
MOVED, TASK, RESUME, EXIT, END = 18, 32, 33, 34, 35


def main():
    allowed, args = 0, sys.argv[1:]
    if args[0] == "--moved":
        allowed, args = int(args[1]), args[2:]
    at, moved, gaps, count, tasks = {}, 0, [], 0, 0
    with open(args[0], encoding="ascii") as f:
        for number, line in enumerate(f, 1):
            tid, kind, source, to, _ = (int(w, 16 if i in (2, 3) else 10)
                                        for i, w in enumerate(line.split()))
            if kind == TASK:
                continue
            if kind in (EXIT, END):
                at.pop(tid, None)
                tasks += 1
                continue
            moved += kind == MOVED
            if kind == RESUME:
                if tid in at:
                    gaps.append(f"line {number}: a gap, reason {source}")
            elif source != KERNEL:
                count += 1
                if tid not in at:
                    gaps.append(f"line {number}: task {tid} without a beginning")
                elif not 0 <= source - at[tid] < LONGEST:
                    gaps.append(
                        f"line {number}: task {tid} from {at[tid]:x} to {source:x}, kind {kind}")
            if to != KERNEL:
                at[tid] = to
    for gap in gaps[:10]:
        print(gap)
    if moved > allowed:
        print(f"{moved} times moved by others")
    if at:
        print(f"tasks without an end: {sorted(at)}")
    print(f"{count} steps of {tasks} tasks, {len(gaps)} gaps, {moved} moved")
    return 1 if gaps or moved > allowed or at or not count else 0


sys.exit(main())
