#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Parameters at places inside functions: each value marked as exact equals gdb's at the same
stop.

inside.py [--all] [-v] [NAME ...] as in run.py"""
import re
import sys

from run import Comparison, Variant, built, check_all, gdb_stops, ok, record, run

FUNCTIONS, PLACES = (40, 6) if "--all" in sys.argv else (8, 3)  # a program; a function


def variants():
    for compiler, source in (("gcc", "zoo.c"), ("clang", "zoo.c"), ("g++", "zoo.cc"),
                             ("clang++", "zoo.cc")):
        flags = ["-std=c++17"] if "++" in compiler else []
        for o in "0", "1", "2", "3":
            yield Variant(f"{compiler}-O{o}", compiler, source, *flags, f"-O{o}",
                          short=f"{compiler} {o}" in ("gcc 0", "gcc 2", "clang 2"))
    for o in "0", "2":
        yield Variant(f"rust-O{o}", "rustc", "zoo.rs", "-C", f"opt-level={o}")
    yield Variant("go", "go", "zoo.go")


def once(calls, values):
    """Leaves out calls that equal the one before: a Go function starts again after its stack
    grew."""
    return [c for i, c in enumerate(calls) if not i or values(c) != values(calls[i - 1])]


def places(program):
    """{address: "SYMBOL+0x12"} of some instructions of each function."""
    found = {}
    text = run("objdump", "-d", "--no-show-raw-insn", program).stdout
    functions = re.findall(r"^([0-9a-f]+) <(\S*zoo_[^@\s]*)>:\n((?: .*\n)*)", text, re.M)
    for start, name, body in functions[:FUNCTIONS]:
        at = [int(a, 16)
              for a in re.findall(r"^ +([0-9a-f]+):\t(?!nop|data16|xchg +%ax,%ax|int3|cs nop)",
                                  body, re.M)][1:]
        step = max(1, len(at) // PLACES)
        if "*" not in name and "[" not in name:
            found.update({a: f"{name}+{a - int(start, 16):#x}" for a in at[::step]})
    return found


def check(variant, folder):
    program = built(variant, folder)
    if not program:
        return
    at = places(program)
    events, probes, said = record(program,
                                  [f"uprobe:{program}:{place} $params" for place in at.values()])
    by_address, c = {}, Comparison()
    for event in events:
        by_address.setdefault(probes[event["name"]]["sites"][0]["vaddr"], []).append(event)
    stops = gdb_stops(program, sorted(by_address))
    for address, hits in by_address.items():
        theirs = stops[address]["entry"]
        if variant.compiler == "go":
            hits = once(hits, lambda e: e["fields"])
            theirs = once([v for v in theirs if v], lambda v: v)
        if len(theirs) != len(hits) and variant.compiler != "go":
            c.wrong.append(f"{at[address]}: {len(hits)} hits, by gdb {len(theirs)}")
        for n, (event, values) in enumerate(zip(hits, theirs)):
            c.call(f"{at[address]}, call {n + 1}", event, values, {}, (), False)
    ok(c.exact and not c.wrong,
       f"{variant.name}: {len(by_address)} places, {c.exact} values equal gdb's, "
       f"{c.absent} said to be unavailable, {c.unknown} unknown to gdb", *c.wrong[:30], said[-600:])


def numbers(folder):
    """arg1, arg2 ... are defined only at the first instruction of a function."""
    program = next(v for v in variants() if v.name == "gcc-O0").build(folder)
    place = next(iter(places(program).values()))
    said = record(program, [f"uprobe:{program}:{place} arg1"])[2]
    ok("write a parameter's name" in said, "arg1 inside a function is refused, with what to write",
       said)


if __name__ == "__main__":
    sys.exit(check_all(variants(), check, numbers))
