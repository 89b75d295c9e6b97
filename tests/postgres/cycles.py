# SPDX-License-Identifier: MIT
"""Checks that every probe of each query of a backend was recorded, up to the end of the capture.
Reads JSON lines on stdin.

A query of the simple protocol hits query__start, query__parse__start, query__parse__done, ...
query__done, in this order; only the beginning of the first query and the end of the last one may
be cut off by the capture. The same holds for pairs of probes of consecutive steps of a backend."""
import collections
import json
import sys

STEPS = ["query__start", "query__parse__start", "query__parse__done", "query__done"]
PAIRS = [("transaction__start", ("transaction__commit", "transaction__abort")),
         ("query__plan__start", ("query__plan__done",)),
         ("query__rewrite__start", ("query__rewrite__done",))]


tasks = collections.defaultdict(list)
for line in sys.stdin:
    e = json.loads(line)
    if e["source"] == "usdt":
        tasks[e["tid"]].append(e["name"].split(":")[1])

queries, broken = 0, []
for tid, names in tasks.items():
    steps = [STEPS.index(name) for name in names if name in STEPS]
    for one, other in zip(steps, steps[1:]):
        queries += other == 0
        if other != (one + 1) % len(STEPS):
            broken.append((tid, STEPS[one], STEPS[other]))
    for begin, ends in PAIRS:
        open_ = None
        for name in names:
            if name == begin:
                if open_:
                    broken.append((tid, begin, begin))
                open_ = True
            elif name in ends:
                if open_ is False:
                    broken.append((tid, name, name))
                open_ = False
print(int(queries < 100), f"{queries} queries of {len(tasks)} tasks")
print(int(len(broken) > 0), f"each with all of its probes, to the end {broken[:3]}")
