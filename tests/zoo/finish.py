# SPDX-License-Identifier: MIT
"""Run inside gdb: writes the return values of functions, one JSON line for each call, in the order
of the calls. $ZOO_ADDRESSES has the addresses of the functions as linked, $ZOO_OUT the name of the
output, $ZOO_CALLS the number of calls of each function, 0 for all. The last line says that gdb saw
the end of the program."""
import json
import os
import struct
import sys

import gdb

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
from gdbbase import passed, start  # noqa: E402
from plain import plain  # noqa: E402

out = open(os.environ["ZOO_OUT"], "w", encoding="utf-8")
calls = {}
CALLS = int(os.environ.get("ZOO_CALLS", "0"))
WORD = (1 << 64) - 1


def raw(value):
    """A number as itself; a value with several members as the 8-byte words of its memory."""
    kind = value.type.strip_typedefs()
    if kind.code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_PTR):
        return int(value.cast(gdb.lookup_type("unsigned long"))
                   if kind.code == gdb.TYPE_CODE_PTR else value.address)
    if kind.code == gdb.TYPE_CODE_FLT:
        return float(value)
    if kind.code in (gdb.TYPE_CODE_INT, gdb.TYPE_CODE_CHAR, gdb.TYPE_CODE_ENUM,
                     gdb.TYPE_CODE_BOOL):
        n = int(value)
        return n if kind.sizeof <= 8 else [n & WORD, n >> 64 & WORD]
    if kind.code == gdb.TYPE_CODE_STRUCT and kind.sizeof <= 16:
        return [int.from_bytes(piece, "little") for piece in words(value, kind)]
    return None


def words(value, kind):
    data = placed(value, kind).to_bytes(kind.sizeof, "little")
    return [data[:8], data[8:]] if len(data) > 8 else [data]


def placed(value, kind):
    """The bits of the value, each where it is in memory; padding is 0."""
    kind = kind.strip_typedefs()
    if kind.code == gdb.TYPE_CODE_ARRAY:
        low, high = kind.range()
        size = 8 * kind.target().sizeof
        return sum(placed(value[i], kind.target()) << (i - low) * size
                   for i in range(low, high + 1))
    if kind.code == gdb.TYPE_CODE_STRUCT:
        return sum(member(value, f) << f.bitpos for f in kind.fields() if hasattr(f, "bitpos"))
    if kind.code == gdb.TYPE_CODE_FLT:
        return int.from_bytes(struct.pack("<f" if kind.sizeof == 4 else "<d", float(value)),
                              "little")
    return int(value) & (1 << 8 * kind.sizeof) - 1


def member(value, field):
    bits = placed(value[field], field.type)
    return bits & (1 << field.bitsize) - 1 if field.bitsize else bits


class Finish(gdb.FinishBreakpoint):
    def __init__(self, frame, function, call):
        super().__init__(frame, internal=True)
        self.silent = True
        self.function, self.call = function, call

    def stop(self):
        value = members = None
        try:
            if self.return_value is not None:
                value = raw(self.return_value)
        except (gdb.error, RuntimeError, OverflowError, ValueError, TypeError):
            pass
        try:
            if self.return_value is not None:
                members = plain(self.return_value)
        except (gdb.error, RuntimeError, OverflowError, ValueError, TypeError):
            pass
        out.write(json.dumps({"function": self.function, "call": self.call,
                              "value": [value, members]}) + "\n")
        return False


class Entry(gdb.Breakpoint):
    def __init__(self, address, function):
        super().__init__(f"*{address:#x}", internal=True)
        self.silent = True
        self.function = function
        self.passed = passed(address)

    def stop(self):
        if self.passed and self.passed.repeated():
            return False
        call = calls[self.function] = calls.get(self.function, -1) + 1
        if call + 1 == CALLS:
            self.enabled = False
            if self.passed:
                self.passed.enabled = False
        try:
            Finish(gdb.newest_frame(), self.function, call)
        except (gdb.error, ValueError, RuntimeError):
            pass
        return False


load = start()
for address in map(int, os.environ["ZOO_ADDRESSES"].split()):
    Entry(address + load, address)
gdb.execute("continue", to_string=True)
out.write('"end"\n')
out.close()
