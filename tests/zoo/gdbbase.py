# SPDX-License-Identifier: MIT
"""For scripts that gdb runs: where it loaded the program."""
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
