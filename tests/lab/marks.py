# SPDX-License-Identifier: MIT
"""marks.py MARKS EVENTS: checks the timeline with readings of the wall clock. A guest test has read
a disk between two readings, and written them to MARKS as "NAME STEPS FROM TO" in ns; STEPS is the
number of clock steps before. EVENTS is the output of trawl-decode --json --raw --bounds; the
summary on standard input says how far the wall clock is ahead after each step. Prints for each mark
how many execs (CLOCK_MONOTONIC) and how many events of USB transfers (CLOCK_REALTIME) are between
the two readings, or outside by no more than their bounds, and the largest of these bounds."""
import json
import re
import sys
from decimal import Decimal

steps = [0]
for line in sys.stdin:
    if m := re.search(r"from here it is ([0-9.]+) s (ahead of|behind) the times shown", line):
        steps.append(int(Decimal(m[1]) * 10**9) * (1 if m[2] == "ahead of" else -1))
events = [json.loads(line) for line in open(sys.argv[2])]
for mark in open(sys.argv[1]):
    name, step, start, end = mark.split()
    start, end = int(start) - steps[int(step)], int(end) - steps[int(step)]
    near = [e for e in events if start - e["bound_ns"] <= e["ts_ns"] <= end + e["bound_ns"]]
    execs = [e for e in near if e["name"] == "sched:sched_process_exec"]
    usb = [e for e in near if e["source"] == "usb"]
    print(name, len(execs), len(usb), max((e["bound_ns"] for e in execs + usb), default=0))
