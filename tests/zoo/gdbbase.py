# SPDX-License-Identifier: MIT
"""For scripts that gdb runs: where it loaded the program, and which of its stops are none."""
import os
import re

import gdb


def base():
    """The lowest address of a mapping of the program's file; 0: it has none."""
    text = gdb.execute("info proc mappings", to_string=True)
    name = os.path.realpath(gdb.current_progspace().filename)
    starts = [int(m.group(1), 16) for m in
              re.finditer(r"^\s*(0x[0-9a-f]+)\s.*\s(/\S+)\s*$", text, re.M)
              if os.path.realpath(m.group(2)) == name]
    return min(starts) if starts else 0


def start():
    """Starts the program, with the stack that it has without gdb; returns what is to be added to
    its addresses as linked. Its arguments are given here: gdb --args writes them as for a shell,
    HEAD\\~3, which is not there to read them."""
    for setting in ("pagination off", "confirm off", "language auto", "debuginfod enabled off",
                    "style enabled off", "breakpoint always-inserted on",
                    "startup-with-shell off"):
        gdb.execute("set " + setting)
    gdb.execute("set args " + os.environ["ZOO_ARGS"])
    gdb.execute("unset environment")
    gdb.execute("starti", to_string=True)
    return base() if os.environ["ZOO_PIE"] == "1" else 0


class Passed(gdb.Breakpoint):
    """On the instruction behind a function's first one. Where a program of Go starts a thread
    meanwhile, gdb 13 stops at a breakpoint twice, without that the instruction ran in between:
    such a stop is no call."""

    def __init__(self, address):
        first, second = gdb.selected_inferior().architecture().disassemble(address, count=2)
        self.waiting = set()  # threads that have not come by yet
        self.useful = not first["asm"].startswith(("j", "call", "ret", "loop"))
        super().__init__(f"*{second['addr']:#x}", internal=True)
        self.silent = True

    def stop(self):
        self.waiting.discard(gdb.selected_thread().num)
        return False

    def repeated(self):
        """To be called at each stop at the first instruction."""
        thread = gdb.selected_thread().num
        again = self.useful and thread in self.waiting
        self.waiting.add(thread)
        return again


def passed(address):
    """For programs of Go; else None."""
    return Passed(address) if os.environ.get("ZOO_GO") == "1" else None
