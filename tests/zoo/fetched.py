# SPDX-License-Identifier: MIT
"""Run inside gdb: evaluates a fetch argument of the kernel ("+8(%sp):s32") where gdb has
stopped."""
import re

import gdb

REGISTERS = {**{n: "r" + n for n in ("ax", "bx", "cx", "dx", "si", "di", "bp", "sp", "ip")},
             **{f"r{n}": f"r{n}" for n in range(8, 16)}}
WORD = (1 << 64) - 1


def register(frame, name):
    return int(frame.read_register(REGISTERS[name])) & WORD


def memory(address, size):
    data = gdb.selected_inferior().read_memory(address & WORD, size)
    return int.from_bytes(bytes(data), "little")


def address(frame, text):
    """The number that a fetch argument without its type gives."""
    if text[0] == "%":
        return register(frame, text[1:])
    if text[0] == "\\":
        return int(text[1:], 0) & WORD
    m = re.fullmatch(r"\+?(-?\w+)\((.*)\)", text)
    return memory(int(m.group(1), 0) + address(frame, m.group(2)), 8)


def fetched(frame, fetch):
    """The value; for a counted text the bytes at its beginning, in hex; None for other texts, for
    arrays and for what cannot be read."""
    text, _, kind = fetch.rpartition(":")
    bits = re.fullmatch(r"b(\d+)@(\d+)/(\d+)", kind)
    plain = re.fullmatch(r"([sux])(8|16|32|64)", kind)
    try:
        if plain:
            size = int(plain.group(2)) // 8
            m = re.fullmatch(r"\+?(-?\w+)\((.*)\)", text)
            value = memory(int(m.group(1), 0) + address(frame, m.group(2)), size) if m else \
                address(frame, text) & (1 << 8 * size) - 1
            if plain.group(1) == "s" and value >> 8 * size - 1:
                value -= 1 << 8 * size
            return value
        window = re.fullmatch(r"x64\[(\d+)\]", kind)
        if window:
            m = re.fullmatch(r"\+?(-?\w+)\((.*)\)", text)
            at = int(m.group(1), 0) + address(frame, m.group(2)) & WORD
            return bytes(gdb.selected_inferior().read_memory(at, 8 * int(window.group(1)))).hex()
        if bits:
            return address(frame, text) >> int(bits.group(2)) & (1 << int(bits.group(1))) - 1
    except (gdb.error, gdb.MemoryError, KeyError, ValueError, AttributeError):
        pass
    return None
