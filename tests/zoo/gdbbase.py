# SPDX-License-Identifier: MIT
"""For scripts that gdb runs: where the program is loaded, and which stops are no calls."""
import os
import re

import gdb


def base():
    """The lowest address at which the program's file is mapped; 0 if it is not."""
    text = gdb.execute("info proc mappings", to_string=True)
    name = os.path.realpath(gdb.current_progspace().filename)
    starts = [int(m.group(1), 16) for m in
              re.finditer(r"^\s*(0x[0-9a-f]+)\s.*\s(/\S+)\s*$", text, re.M)
              if os.path.realpath(m.group(2)) == name]
    return min(starts) if starts else 0


def start():
    """Starts the program with the stack that it has without gdb. Returns what must be added to its
    addresses as linked. The arguments are set here, because gdb --args escapes them for a shell
    (HEAD\\~3), and no shell runs."""
    for setting in ("pagination off", "confirm off", "language auto", "debuginfod enabled off",
                    "style enabled off", "breakpoint always-inserted on",
                    "startup-with-shell off"):
        gdb.execute("set " + setting)
    gdb.execute("set args " + os.environ["ZOO_ARGS"])
    gdb.execute("unset environment")
    gdb.execute("starti", to_string=True)
    return base() if os.environ["ZOO_PIE"] == "1" else 0


class Passed(gdb.Breakpoint):
    """A breakpoint on the second instruction of a function. When a Go program starts a thread, gdb
    13 may stop at a breakpoint twice although the instruction did not run in between: the second
    stop is no call."""

    def __init__(self, address):
        first, second = gdb.selected_inferior().architecture().disassemble(address, count=2)
        self.waiting = set()  # threads that have not reached the second instruction yet
        self.useful = not first["asm"].startswith(("j", "call", "ret", "loop"))
        super().__init__(f"*{second['addr']:#x}", internal=True)
        self.silent = True

    def stop(self):
        self.waiting.discard(gdb.selected_thread().num)
        return False

    def repeated(self):
        """Whether this stop at the first instruction is no call; must be called at each of them."""
        thread = gdb.selected_thread().num
        again = self.useful and thread in self.waiting
        self.waiting.add(thread)
        return again


def passed(address):
    """A Passed for a Go program; None for others."""
    return Passed(address) if os.environ.get("ZOO_GO") == "1" else None
