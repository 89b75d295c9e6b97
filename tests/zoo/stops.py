# SPDX-License-Identifier: MIT
"""Run inside gdb: what gdb shows of each parameter, a JSON line a stop.

Where $ZOO_FETCHES names a file ({address: {parameter: fetch argument}}), also what trawl's
definition would read there: at the entry, under "fetched".

gdb -batch -x stops.py PROGRAM, with the addresses of functions, as linked, in $ZOO_ADDRESSES and
the output's name in $ZOO_OUT; in $ZOO_CALLS how many calls of a function count, 0: all. Each
function has two stops: "entry" at its first instruction and "body" where gdb's own breakpoint on it
is, after what sets up the frame. """
import json
import os
import re
import sys

import gdb

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
from fetched import fetched  # noqa: E402
from gdbbase import passed, start  # noqa: E402
from plain import plain  # noqa: E402

entered = {}  # function: its call that is not after the prologue yet, from 0
FETCHES = {}
if os.environ.get("ZOO_FETCHES"):
    with open(os.environ["ZOO_FETCHES"], encoding="utf-8") as f:
        FETCHES = json.load(f)
CALLS = int(os.environ.get("ZOO_CALLS", "0"))
out = open(os.environ["ZOO_OUT"], "w", encoding="utf-8")


def arguments(frame):
    block = frame.block()
    # Past blocks and functions that are inlined there.
    while not block.superblock.is_static:
        block = block.superblock
    values = {}
    for symbol in block:
        if symbol.is_argument:
            name, n = symbol.name, 1
            while name in values:  # of a parameter pack
                n += 1
                name = f"{symbol.name}_{n}"
            try:
                values[name] = plain(symbol.value(frame))
            except (gdb.error, gdb.MemoryError):
                values[name] = None
    return block, values


class Stop(gdb.Breakpoint):
    def __init__(self, address, function, where):
        super().__init__(f"*{address:#x}", internal=True)
        self.silent = True
        self.function, self.place = function, where
        self.calls = self.call = 0
        self.passed = passed(address) if where == "entry" else None

    def tell(self, where, values):
        out.write(json.dumps({"function": self.function, "where": where, "call": self.call,
                              "values": values}) + "\n")

    def stop(self):
        # A loop may come back to the place after the prologue, and a call leave without being
        # there.
        if self.place == "body" and self.function not in entered or \
                self.passed and self.passed.repeated():
            return False
        if self.place == "entry":
            self.call = self.calls
            entered[self.function] = self.call
        else:
            self.call = entered.pop(self.function)
        frame = gdb.newest_frame()
        self.tell(self.place, arguments(frame)[1])
        if self.place == "entry" and FETCHES:
            self.tell("fetched", {name: fetched(frame, fetch) for name, fetch in
                                  FETCHES[str(self.function)].items()})
        out.flush()
        self.calls += 1
        if self.calls == CALLS:
            self.enabled = False
            if self.passed:
                self.passed.enabled = False
        return False


def in_frame(address):
    """Parameters whose location is one for the whole function, in its frame: this is to be set up
    yet where the function begins."""
    try:
        text = gdb.execute(f"info scope *{address:#x}", to_string=True)
    except gdb.error:  # gdb 13 does not print some expressions
        return []
    names = {}
    for m in re.finditer(r"^(?:Scope for .*:\n)?Symbol (\S+) is (.*(?:\n(?!Symbol ).*)*)", text, re.M):
        names.setdefault(m.group(1), []).append(
            "multi-location" not in m.group(2) and re.search(
                r"frame base|fbreg|DW_OP_breg[67] |call_frame_cfa|\$r[bs]p", m.group(2)))
    # the second of a parameter pack is a_2
    return sorted(name if n == 1 else f"{name}_{n}" for name, places in names.items()
                  for n, in_place in enumerate(places, 1) if in_place)


def behind_prologue(address):
    """Where gdb's own breakpoint would be on the function that begins at address, or whose check of
    the stack ends there (Go)."""
    block = gdb.block_for_pc(address)
    while block is not None and block.function is None:
        block = block.superblock
    if block is None or address - block.start > 64:
        return None
    symtab = gdb.find_pc_line(address).symtab
    lines = sorted({e.pc for e in symtab.linetable() if block.start <= e.pc < block.end}) \
        if symtab else []
    return next((line for line in lines if line > address), None)


gdb.execute("set print object off")
load = start()
for address in map(int, os.environ["ZOO_ADDRESSES"].split()):
    at = address + load
    Stop(at, address, "entry")
    out.write(json.dumps({"function": address, "where": "scope", "values": in_frame(at)}) + "\n")
    body = behind_prologue(at)
    if body:
        Stop(body, address, "body")
gdb.execute("continue", to_string=True)
out.write(json.dumps("end") + "\n")
out.close()
