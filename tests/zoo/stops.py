# SPDX-License-Identifier: MIT
"""Run inside gdb: writes gdb's value of each parameter, one JSON line for each stop.

gdb -batch -x stops.py PROGRAM: $ZOO_ADDRESSES has the addresses of the functions as linked,
$ZOO_OUT the name of the output, $ZOO_CALLS the number of calls of each function, 0 for all. Each
function has two stops: "entry" at its first instruction, and "body" where gdb's own breakpoint on
it is, after the prologue.

If $ZOO_FETCHES names a file ({address: {parameter: fetch argument}}), the line of an entry also
has, under "fetched", what trawl's definition would read there."""
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

entered = {}  # {function: number, from 0, of its call that has not left the prologue yet}
FETCHES = {}
if os.environ.get("ZOO_FETCHES"):
    with open(os.environ["ZOO_FETCHES"], encoding="utf-8") as f:
        FETCHES = json.load(f)
CALLS = int(os.environ.get("ZOO_CALLS", "0"))
out = open(os.environ["ZOO_OUT"], "w", encoding="utf-8")


def arguments(frame):
    block = frame.block()
    # Skip the blocks of inlined functions.
    while not block.superblock.is_static:
        block = block.superblock
    values = {}
    for symbol in block:
        if symbol.is_argument:
            name, n = symbol.name, 1
            while name in values:  # several of one name are a parameter pack
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
        # A loop may come back to the place after the prologue; a call may also never reach it.
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
    """Parameters that have one location in the frame for the whole function: it is not valid at the
    first instruction, before the frame is set up."""
    try:
        text = gdb.execute(f"info scope *{address:#x}", to_string=True)
    except gdb.error:  # gdb 13 does not print some expressions
        return []
    names = {}
    for m in re.finditer(r"^(?:Scope for .*:\n)?Symbol (\S+) is (.*(?:\n(?!Symbol ).*)*)", text, re.M):
        names.setdefault(m.group(1), []).append(
            "multi-location" not in m.group(2) and re.search(
                r"frame base|fbreg|DW_OP_breg[67] |call_frame_cfa|\$r[bs]p", m.group(2)))
    # The second parameter of a pack is named a_2.
    return sorted(name if n == 1 else f"{name}_{n}" for name, places in names.items()
                  for n, in_place in enumerate(places, 1) if in_place)


def behind_prologue(address):
    """Where gdb's own breakpoint would be on the function that begins at address; in Go programs
    address may be that after the check of the stack."""
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
