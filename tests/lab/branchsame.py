#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""branchsame.py HOW A B: compares the branches of two captures, as trawl-decode --json prints them.

HOW is one of: "some": each branch of A is one of B. "all": both have the same near branches, one by
one, with their kinds. "runs": the branches of A between two marks are consecutive ones of B.
"counted": A has all branches of B except for those that its marks count, and after a mark without
a count come consecutive branches of B.
Prints counts; status 1 if it does not hold.
"""
import json
import sys

# Branches in user code. Single steps also see system calls and exec, which LBR and BTS do not
# record.
NEAR = "call", "call*", "ret", "jmp", "jmp*", "jcc"


def branches(path):
    """(from, to, kind) of each near branch, None for a mark between them."""
    for line in open(path):
        fields = json.loads(line)["fields"]
        if "from" in fields and "to" in fields:
            if fields["kind"] in NEAR:
                yield int(fields["from"], 16), int(fields["to"], 16), fields["kind"]
        else:
            yield None


def same(a, b):
    a, b = [x for x in a if x], [x for x in b if x]
    for i, (x, y) in enumerate(zip(a, b)):
        if x != y:
            print(
                f"branch {i} of {len(a)}: {x[0]:x} -> {x[1]:x} {x[2]}, {y[0]:x} -> {y[1]:x} {y[2]}")
            return False
    print(f"{len(a)} and {len(b)} branches")
    return len(a) == len(b) > 0


def some(a, b):
    a, b = [x for x in a if x], {x for x in b if x}
    forward = sum(x[2] == "jcc" and x[1] > x[0] for x in a)
    never = sum(x not in b for x in a)
    print(f"{len(a)} branches, {never} that never were, {forward} forward jumps")
    return len(a) > 0 and not never


def runs(a, b):
    """Whether each run of a occurs in b unchanged."""
    whole = "".join(f"{x[0]:x}>{x[1]:x}:{x[2]};" for x in b if x)
    stretch, count, bad = "", 0, 0
    for x in [*a, None]:
        if x:
            stretch += f"{x[0]:x}>{x[1]:x}:{x[2]};"
        elif stretch:
            count += 1
            bad += ";" + stretch not in ";" + whole
            stretch = ""
    print(f"{count} stretches, {bad} that never were")
    return count > 0 and not bad


def losses(path):
    """Like branches(), but with the count of a loss: 0 is unknown."""
    for line in open(path):
        item = json.loads(line)
        fields = item["fields"]
        if fields.get("kind") in NEAR:
            yield int(fields["from"], 16), int(fields["to"], 16), fields["kind"]
        elif "lost" in fields:
            yield fields["lost"]


def counted(path, b):
    b, at, lost, here, gaps = [x for x in b if x], 0, 0, 0, 0
    for x in losses(path):
        if isinstance(x, int):
            at = at + x if x and at is not None else None
            lost, gaps = lost + x, gaps + 1
        elif at is None:
            # "runs" compares the branches after a loss without a count.
            here += 1
        elif at >= len(b) or b[at] != x:
            print(f"branch {at} of {len(b)}: {b[at] if at < len(b) else 'none'}, {x}")
            return False
        else:
            at, here = at + 1, here + 1
    print(f"{here} of {len(b)} branches, {gaps} gaps with {lost}, "
          + ("then of unknown length" if at is None else f"which leaves {len(b) - at}"))
    return here > 0 and at in (None, len(b))


how, a, b = sys.argv[1], list(branches(sys.argv[2])), list(branches(sys.argv[3]))
if how == "counted":
    sys.exit(0 if counted(sys.argv[2], b) and runs(a, b) else 1)
sys.exit(0 if {"all": same, "some": some, "runs": runs}[how](a, b) else 1)
