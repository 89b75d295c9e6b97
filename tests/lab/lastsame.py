#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""lastsame.py ALL LAST SYMBOL N HOW: compares two captures, as trawl-decode --json prints them. ALL
has every branch. Whenever a task came to a probed address of the function SYMBOL in ALL, LAST must
have the N branches of the task before that. With HOW kmod-lbr, these are the near ones, and a stack
is marked where a far one is left out; a hit may have only the newest of them, because perf empties
the processor's records when a task comes to a CPU: how often that is depends on the machine's load,
but some stack has all, or reaches back beyond the hit before: a hit itself empties nothing. A stack
with none is marked, too. HOW lies is kmod-lbr on a processor whose records of forward jumps hold no
address: one with such a record is marked, and only what the task did is shown of it. Prints counts;
status 1 if this does not hold."""
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


def is_forward(branch):
    return branch[0] == "jcc" and branch[2] > branch[1]


def stacks(path, symbol):
    """For each task [(address, branches, whether it is marked) of each hit]."""
    found = {}
    for tid, name, f in items(path):
        mine = found.setdefault(tid, [])
        if name == "branch:last":
            mine.append((int(f["before"], 16), [], []))
            assert re.fullmatch(symbol + r"(\+0x\w+)?", f["before_symbol"]), f
        elif name == "branch:lost":
            mine[-1][2].append(name)
        else:
            mine[-1][1].append(pair(f))
    return by_task(found)


def expected(path, address, n, near):
    """For each task ([(branch, whether a far one that is left out followed)...], how many of them
    there were since the time before) before each time that it came to an address."""
    before, to, found, hit = {}, {}, {}, {}
    for tid, _, f in items(path):
        if "from" not in f:
            continue
        one = pair(f)
        mine = before.setdefault(tid, [])
        if tid in to and to[tid] <= address <= one[1]:
            found.setdefault(tid, []).append((mine[-n:], len(mine) - hit.get(tid, 0)))
            hit[tid] = len(mine)
        to[tid] = one[2]
        if one[0] == "far" and near:
            mine[-1:] = [(b, True) for b, _ in mine[-1:]]
        elif one[0] in USER:
            mine.append((one, False))
    return by_task(found)


everything, last, place, most, how = sys.argv[1:]
near = how != "kmod-step"
got = stacks(last, place)
wanted = expected(everything, got[0][0][0], int(most), near) if got else []
same = [len(g) for g in got] == [len(w) for w in wanted]
tasks = len(got)
known = {pair(f) for _, _, f in items(everything) if "from" in f}
got, wanted = [g for t in got for g in t], [w for t in wanted for w in t]
short = marked = empty = beyond = 0
bad = []
for i, ((_, branches, mark), (w, new)) in enumerate(zip(got, wanted)):
    there = w[len(w) - len(branches):]
    marked += bool(mark)
    empty += bool(mark) and not branches
    short += len(branches) < len(w)
    beyond += i > 0 and len(branches) > new
    incomplete = not there or any(far for _, far in there)
    wrong = branches != [b for b, _ in there] or (not near and len(branches) < len(w))
    if how == "lies":
        if not known.issuperset(branches) or any(is_forward(b) for b in branches) or \
                (not mark and (wrong or incomplete)):
            bad.append(i)
    elif wrong or bool(mark) != incomplete:
        bad.append(i)
print(f"{tasks} tasks, {len(got)} hits, {len(wanted)} in the whole trace, {len(bad)} differ, "
      f"{short} are short, {beyond} reach beyond another hit, "
      f"{marked} marked, {empty} of these empty, "
      f"{sum(len(g[1]) for g in got)} branches")
for i in bad[:2]:
    print(f"#{i}: {[(k, hex(a), hex(b)) for k, a, b in got[i][1]]} {got[i][2]}\n not "
          f"{[(k, hex(a), hex(b), far) for (k, a, b), far in wanted[i][0]]}")
whole = marked if how == "lies" else short < len(got) or beyond
sys.exit(0 if same and not bad and whole else 1)
