#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""lastsame.py ALL LAST SYMBOL N HOW: compares two captures, as trawl-decode --json prints them. ALL
has every branch. Whenever a task came to a probed address of the function SYMBOL in ALL, LAST must
have the N branches of the task before that. With HOW kmod-lbr, up to half of the hits may have only
the newest of these, because perf empties the processor's records when a task comes to a CPU. Only a
stack with none of them is marked as lost. Prints counts; status 1 if this does not hold."""
import json
import re
import sys

USER = "call", "call*", "ret", "jmp", "jmp*", "jcc", "far"


def items(path):
    for line in open(path):
        j = json.loads(line)
        if j["name"].startswith("branch:"):
            yield j["tid"], j["name"], j["fields"]


def pair(f):
    return f["kind"], int(f["from"], 16), int(f["to"], 16)


def by_task(found):
    """The non-empty lists of tasks, in the order in which the tasks were started."""
    return [found[tid] for tid in sorted(found) if found[tid]]


def stacks(path, symbol):
    """For each task [(address, branches) of each hit]."""
    found = {}
    for tid, name, f in items(path):
        mine = found.setdefault(tid, [])
        if name == "branch:last":
            mine.append((int(f["before"], 16), []))
            lost = False
            assert re.fullmatch(symbol + r"(\+0x\w+)?", f["before_symbol"]), f
        elif name == "branch:lost":
            lost = True
        else:
            assert not lost, f
            mine[-1][1].append(pair(f))
    return by_task(found)


def expected(path, address, n):
    """For each task [the branches before each time that it came to an address]."""
    before, to, found = {}, {}, {}
    for tid, _, f in items(path):
        if "from" not in f:
            continue
        one = pair(f)
        mine = before.setdefault(tid, [])
        if tid in to and to[tid] <= address <= one[1]:
            found.setdefault(tid, []).append(mine[-n:])
        to[tid] = one[2]
        if one[0] in USER:
            mine.append(one)
    return by_task(found)


everything, last, place, most = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
got = stacks(last, place)
wanted = expected(everything, got[0][0][0], most) if got else []
same = [len(g) for g in got] == [len(w) for w in wanted]
tasks = len(got)
got, wanted = [g for t in got for g in t], [w for t in wanted for w in t]
short = 0
bad = []
for i, (g, w) in enumerate(zip(got, wanted)):
    if g[1] == w:
        continue
    if sys.argv[5] == "kmod-lbr" and g[1] == w[len(w) - len(g[1]):]:
        short += 1
    else:
        bad.append(i)
print(f"{tasks} tasks, {len(got)} hits, {len(wanted)} in the whole trace, {len(bad)} differ, "
      f"{short} are short, "
      f"{sum(len(g[1]) for g in got)} branches")
for i in bad[:2]:
    shown = [[(k, hex(a), hex(b)) for k, a, b in stack] for stack in (got[i][1], wanted[i])]
    print(f"#{i}: {shown[0]}\n not {shown[1]}")
sys.exit(0 if got and same and not bad and short <= len(got) / 2 else 1)
