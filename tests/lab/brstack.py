#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""brstack.py OBJDUMP BRSTACK [RULE]: checks that the output of perf script -F brstack is a possible
path through the program.

OBJDUMP is the output of objdump -d. Each record must begin at a branch instruction, direct branches
must end at their target, and from one record of a stack to the next the code must run without a
taken branch. Prints counts; status 1 if a record is wrong.
"""
import re
import sys

STRAIGHT = 400  # instructions from one branch to the next at most
ENDS = "ret", "jmp", "call", "hlt", "ud2"


def instructions(path):
    """({address: (operation, operand)}, {address: address of the next instruction})"""
    found = {}
    for line in open(path):
        m = re.match(
            r"\s*([0-9a-f]+):\t(?:[0-9a-f]{2} )+\s*\t(?:(?:bnd|notrack|repz) )?(\S+)\s*(.*)", line)
        if m:
            found[int(m[1], 16)] = m[2], m[3]
    order = sorted(found)
    return found, dict(zip(order, order[1:]))


def branch_fault(insns, source, target):
    """Why the instruction at source cannot go to target; None if it can."""
    op, operand = insns[source]
    if op.startswith(("j", "call", "loop")):
        direct = re.match(r"([0-9a-f]+)\b", operand)
        return "its target is another" if direct and int(direct[1], 16) != target else None
    return None if op in ("ret", "syscall") else f"{op} is no branch"


def prediction_fault(insns, source, target, prediction):
    """Why the prediction (M, P or -) is not that of a processor that predicts backward branches as
    taken; None if it is."""
    missed = insns[source][0].startswith(("j",
                                          "loop")) and insns[source][0] != "jmp" and target > source
    return None if prediction == ("M" if missed else "P") else f"prediction {prediction}"


def straight(insns, following, here, there):
    """Whether code runs from one address to the other without a taken branch."""
    for _ in range(STRAIGHT):
        if here == there:
            return True
        if here not in insns or insns[here][0] in ENDS:
            return False
        here = following.get(here)
    return False


def main():
    insns, following = instructions(sys.argv[1])
    records = pairs = bad = 0
    rule = sys.argv[3:] == ["static"]
    for line in open(sys.argv[2]):
        words = [word.split("/") for word in line.split() if "/" in word]
        stack = [(int(source, 16), int(target, 16)) for source, target, *_ in words]
        for (source, target), (_, _, prediction, *_) in zip(stack, words):
            if source in insns:
                records += 1
                why = (branch_fault(insns, source, target) or
                       rule and prediction_fault(insns, source, target, prediction))
                if why:
                    bad += 1
                    print(f"{source:x} -> {target:x}: {why}")
        # The newest comes first.
        for (source, _), (_, before) in zip(stack, stack[1:]):
            if source in insns and before in insns:
                pairs += 1
                if not straight(insns, following, before, source):
                    bad += 1
                    print(f"no way from {before:x} to {source:x}")
    print(f"{records} records, {pairs} neighbours, {bad} bad")
    return 1 if bad or not pairs else 0


sys.exit(main())
