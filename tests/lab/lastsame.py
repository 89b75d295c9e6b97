#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""lastsame.py ALL LAST SYMBOL N HOW: of two captures, as trawl-decode --json prints them: whenever
the code of ALL, which has every branch, came to SYMBOL, LAST has the N branches before that. Where
HOW is kmod-lbr it may have the newest of them only, in up to half of the hits: perf empties the
processor's records when a task comes to a CPU. Prints counts; status 1 if not."""
import json
import sys

USER = "call", "call*", "ret", "jmp", "jmp*", "jcc", "far"


def items(path):
    for line in open(path):
        j = json.loads(line)
        if j["name"].startswith("branch:"):
            yield j["name"], j["fields"]


def pair(f):
    return f["kind"], int(f["from"], 16), int(f["to"], 16)


def stacks(path, symbol):
    """(address, branches) of each hit."""
    found = []
    for name, f in items(path):
        if name == "branch:last":
            found.append((int(f["before"], 16), []))
            assert f["before_symbol"] == symbol, f
        else:
            found[-1][1].append(pair(f))
    return found


def expected(path, address, n):
    """The branches before each time that the code came to an address."""
    before, to, found = [], None, []
    for _, f in items(path):
        if "from" not in f:
            continue
        one = pair(f)
        if to is not None and to <= address <= one[1] and to <= one[1]:
            found.append(before[-n:])
        to = one[2]
        if one[0] in USER:
            before.append(one)
    return found


everything, last, place, most = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
got = stacks(last, place)
wanted = expected(everything, got[0][0], most) if got else []
short = 0
bad = []
for i, (g, w) in enumerate(zip(got, wanted)):
    if g[1] == w:
        continue
    if sys.argv[5] == "kmod-lbr" and g[1] == w[len(w) - len(g[1]):]:
        short += 1
    else:
        bad.append(i)
print(f"{len(got)} hits, {len(wanted)} in the whole trace, {len(bad)} differ, {short} are short, "
      f"{sum(len(g[1]) for g in got)} branches")
for i in bad[:2]:
    print(
        f"#{i}: {[(k, hex(a), hex(b)) for k, a, b in got[i][1]]}\n not "
        f"{[(k, hex(a), hex(b)) for k, a, b in wanted[i]]}")
sys.exit(0 if got and len(got) == len(wanted) and not bad and short <= len(got) / 2 else 1)
