#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""numbered.py OBJDUMP EVENTS: checks that the stacks of a capture of branchnumber, as trawl-decode
--json prints them, have all of its branches, one by one.

OBJDUMP is the output of objdump -d of branchnumber. Each turn is a call, 16 branches that spell its
number, a return and a jump back. The task leaves its CPU in nearly each turn, so that its stacks
together have every branch once. Branches may be missing at a mark of a loss, and before a full
stack: there the task ran on without leaving its CPU. Prints counts; status 1 if a stack does not
fit, or if anything else is missing. """
import json
import re
import sys

BITS = 16
BYTES = 9  # length of the code for each bit
FULL = 26  # a full stack has 32 branches, but some are returns from the kernel
SHOWN = 10


def code(path):
    """The addresses of spell(), its return, its call in main(), the jump back and its target."""
    begins, insns, here = {}, {}, ""
    for line in open(path):
        if m := re.match(r"([0-9a-f]+) <(\w+)>:", line):
            here = m[2]
            begins[here] = int(m[1], 16)
        elif m := re.match(r"\s*([0-9a-f]+):\t(?:[0-9a-f]{2} )+\s*\t(\w+)\s*([0-9a-f]*)", line):
            insns.setdefault(here, []).append((int(m[1], 16), m[2], int(m[3] or "0", 16)))
    spell = begins["spell"]
    ret = next(at for at, what, _ in insns["spell"] if what == "ret")
    call = next(at for at, what, to in insns["main"] if what == "call" and to == spell)
    jump, top = next((at, to) for at, what, to in insns["main"]
                     if what[0] == "j" and at > call >= to)
    return spell, ret, call, jump, top


def turn_of(number, places):
    """The branches of a turn, from the jump back before it to its return."""
    spell, ret, call, jump, top = places
    if number > 1:
        yield jump, top
    yield call, spell
    for i in range(BITS):
        at = spell + i * BYTES
        if number >> (BITS - 1 - i) & 1:
            yield at + 4, at + 8
        else:
            yield at + 6, at + 9
    yield ret, call + 5


def stacks(path, mine):
    """("stack", branches) and ("lost", None), in order; only with the branches that are mine."""
    stack = None
    for line in open(path):
        event = json.loads(line)
        fields = event["fields"]
        if "from" in fields and "to" in fields:
            pair = int(fields["from"], 16), int(fields["to"], 16)
            if stack is not None and pair in mine:
                stack.append(pair)
        elif event["name"] in ("branch:stack", "branch:lost"):
            if stack:
                yield "stack", stack
            stack = [] if event["name"] == "branch:stack" else None
            if stack is None:
                yield "lost", None
    if stack:
        yield "stack", stack


def shown(bad, text):
    if bad <= SHOWN:
        print(text)


def main():
    places = code(sys.argv[1])
    expected = [pair for n in range(1, 1 << BITS) for pair in turn_of(n, places)]
    mine = set(expected)
    turn = BITS + 3
    at, lost = 0, True  # anything may come first: another program runs at the beginning
    count = branches = gaps = marks = again = bad = 0
    for what, stack in stacks(sys.argv[2], mine):
        if what == "lost":
            marks += 1
            lost = True
            continue
        count += 1
        branches += len(stack)
        if expected[at:at + len(stack)] == stack:
            at += len(stack)
        else:
            # Search elsewhere: later, or a little before, as stacks may overlap.
            near = range(max(at - 2 * turn, 0), len(expected))
            place = next((i for i in near if expected[i] == stack[0] and
                          expected[i:i + len(stack)] == stack), None)
            if place is None:
                bad += 1
                shown(bad, f"stack {count}: never so: " +
                      " ".join(f"{a:x}>{b:x}" for a, b in stack[-turn:]))
            elif place <= at:
                again += 1
                at = max(at, place + len(stack))
            else:
                gaps += 1
                if not lost and len(stack) < FULL:
                    bad += 1
                    shown(bad, f"stack {count}: {place - at} branches are missing before turn "
                          f"{place // turn + 1} without a mark")
                at = place + len(stack)
        lost = False
    print(f"{count} stacks, {branches} branches, up to turn {at // turn}, {gaps} gaps, "
          f"{marks} marks of losses, {again} stacks begin with what others have, {bad} bad")
    return 1 if bad or not count else 0


sys.exit(main())
