# SPDX-License-Identifier: MIT
"""Run inside gdb: counted texts of Go, Rust and C++, read from the members of values."""
import gdb

MOST = 4096


def read(pointer, length):
    length = int(length)
    if not 0 <= length < 1 << 40:
        return None
    data = bytes(gdb.selected_inferior().read_memory(int(pointer),
                                                     min(length, MOST))) if length else b""
    return data.decode(errors="replace")  # like trawl-decode --json; freed memory may be no UTF-8


def libcxx(value):
    """A std::string of libc++ 14, from its 24 bytes."""
    data = bytes(gdb.selected_inferior().read_memory(int(value.address), 24))
    if data[0] & 1:
        return read(int.from_bytes(data[16:], "little"), int.from_bytes(data[8:16], "little"))
    return data[1:1 + (data[0] >> 1)].decode()


def find(value, wanted, depth=0):
    """The first member of that name in value, at any depth."""
    for f in value.type.strip_typedefs().fields():
        if not hasattr(f, "bitpos") or not f.name and not f.is_base_class:
            continue
        member = value[f]
        if f.name == wanted:
            return member
        if member.type.strip_typedefs().code == gdb.TYPE_CODE_STRUCT and depth < 10:
            found = find(member, wanted, depth + 1)
            if found is not None:
                return found
    return None


def text_of(value):
    """The text of an object that is a text; else None."""
    kind = value.type.strip_typedefs()
    if kind.code != gdb.TYPE_CODE_STRUCT:
        return None
    names = {f.name for f in kind.fields()}
    name = kind.name or ""
    if names == {"str", "len"}:
        return read(value["str"], value["len"])
    if names == {"data_ptr", "length"} and name.endswith(("str", "str, alloc::alloc::Global>")):
        return read(value["data_ptr"], value["length"])
    if name.endswith("string::String"):
        pointer = find(value["vec"], "pointer")
        if pointer.type.strip_typedefs().code == gdb.TYPE_CODE_STRUCT:
            pointer = find(pointer, "pointer")
        return read(pointer, value["vec"]["len"])
    if "basic_string_view<char" in name and "_M_str" in names:
        return read(value["_M_str"], value["_M_len"])
    if "basic_string_view<char" in name:
        return read(find(value, "__data_") if "__data_" in names else value["__data"],
                    value["__size_"] if "__size_" in names else value["__size"])
    if "basic_string<char" in name and "_M_dataplus" in names:
        return read(value["_M_dataplus"]["_M_p"], value["_M_string_length"])
    if "__1::basic_string<char" in name:
        return libcxx(value)
    return None
