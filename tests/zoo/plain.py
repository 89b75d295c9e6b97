# SPDX-License-Identifier: MIT
"""Run inside gdb: converts values to JSON."""
import re

import gdb
from texts import text_of


def text_behind(value, code):
    """Returns the text that a value is or points to; None if there is none."""
    try:
        if code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
            return text_of(value.referenced_value())
        if code == gdb.TYPE_CODE_PTR and re.match(r"&str|.*::", value.type.target().name or ""):
            return text_of(value.dereference())
        return text_of(value) if code == gdb.TYPE_CODE_STRUCT else None
    except (gdb.error, gdb.MemoryError, RuntimeError, KeyError, AttributeError):
        return None


def plain(value, depth=0):
    """Returns a value for JSON, with its text under "?text"; None if gdb does not know it."""
    found = scalars(value, depth)
    text = text_behind(value, value.type.strip_typedefs().code) if depth < 8 else None
    if text is None or found is None:
        return found
    return {**(found if isinstance(found, dict) else {"?": found}), "?text": text}


def array(value, depth):
    """The elements of an array; of an array of characters, the text up to a NUL."""
    first, last = value.type.strip_typedefs().range()
    of = value.type.strip_typedefs().target().strip_typedefs()
    if of.sizeof == 1 and of.name in ("char", "signed char", "unsigned char"):
        data = bytes(int(value[i]) & 255 for i in range(first, last + 1))
        if of.name == "unsigned char":
            return {"?text": data.split(b"\0")[0].decode(errors="replace"), "?hex": data.hex()}
        return {"?text": data.split(b"\0")[0].decode(errors="replace")}
    found = [plain(value[i], depth + 1) for i in range(first, min(last, first + 63) + 1)]
    return sum(found, []) if found and isinstance(found[0], list) else found


def scalars(value, depth):
    kind = value.type.strip_typedefs()
    code = kind.code
    try:
        # gdb shows Go's function pointers as functions, without an address.
        if value.is_optimized_out or code == gdb.TYPE_CODE_FUNC:
            return None
        if code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
            return int(value.address)
        if code == gdb.TYPE_CODE_PTR:
            return int(value)
        if code == gdb.TYPE_CODE_FLT:
            return float(value)
        if code == gdb.TYPE_CODE_BOOL:
            return bool(value)
        if code in (gdb.TYPE_CODE_INT, gdb.TYPE_CODE_CHAR, gdb.TYPE_CODE_ENUM):
            return int(value)
        if code in (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION) and depth < 10:
            return {f.name or "?": plain(value[f], depth + 1) for f in kind.fields()
                    if hasattr(f, "bitpos") and not f.artificial}
        if code == gdb.TYPE_CODE_ARRAY:
            return array(value, depth)
        return str(value)
    except (gdb.error, gdb.MemoryError, RuntimeError, OverflowError, ValueError):
        return None
