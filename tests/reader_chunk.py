# SPDX-License-Identifier: MIT
"""The payload of a chunk: see tests/reader.py, and docs/format.md, "Chunk payload"."""
import struct


def decode(payload, count, source, types, expand):
    """Yields (ts, type, cpu, values of the common fields, values of the type's fields)."""
    raw, at = expand(payload, 64 << 20), 0
    for _ in range(count):
        ts, index, cpu, length = struct.unpack_from("<QIII", raw, at)
        rec = raw[at + 20:at + 20 + length]
        at += 20 + length
        t = types[index]
        yield (ts, t, cpu, [field(f, rec) for f in source.common],
               [field(f, rec) for f in t.fields])


def field(f, rec):
    if f.place == 0:
        return rec[f.offset:f.offset + f.size * f.count]
    if f.place == 3:
        return rec[f.offset:]
    word = struct.unpack_from("<I", rec, f.offset)[0]
    at = (word & 0xffff) + (f.offset + 4 if f.place == 2 else 0)
    return rec[at:at + (word >> 16)]
