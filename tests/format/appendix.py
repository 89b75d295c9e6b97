#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The appendix of docs/format.md takes tests/golden/example.trawl apart: every byte of the file is
in its tables, in order, and what zstd frames expand to is as the tables after them say."""
import os
import re
import struct
import sys

SRC = os.environ.get("TRAWL_SRC", os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
sys.path.insert(0, os.path.join(SRC, "tests"))
sys.dont_write_bytecode = True
import reader  # noqa: E402
from tap import finish, same  # noqa: E402

with open(os.path.join(SRC, "docs", "format.md"), encoding="utf-8") as f:
    TEXT = f.read().split("\n## Appendix", 1)[1]
with open(os.path.join(SRC, "tests", "golden", "example.trawl"), "rb") as f:
    DATA = f.read()

ROW = re.compile(r"\| (\+?)(\d+) \| `([0-9a-f ]+)` \|")


def expanded(at):
    """What the body of the block of ours at this offset expands to."""
    length, flags, pad = struct.unpack_from("<I", DATA, at + 4)[0], DATA[at + 26], DATA[at + 27]
    body = DATA[at + 40:at + length - 4 - pad]
    return reader.expand(body, dictionary=reader.DICTIONARY if flags & 2 else b"")


def blocks():
    at = 0
    while at < len(DATA):
        yield at
        at += struct.unpack_from("<I", DATA, at + 4)[0]


told, inner, after = b"", {}, 0
for line in TEXT.splitlines():
    row = ROW.match(line)
    if not row:
        continue
    plus, offset, data = row.group(1), int(row.group(2)), bytes.fromhex(row.group(3))
    if plus:
        block = max(b for b in blocks() if b < len(told))
        have = inner.setdefault(block, b"")
        same(len(have), offset, "expanded body of the block at %d: byte %d" % (block, offset))
        inner[block] = have + data
    else:
        if offset != len(told):
            same(len(told), offset, "the row after byte %d" % len(told))
        told += data
same(DATA.hex(), told.hex(), "all bytes of the file are in the tables")
frames = [b for b in blocks() if DATA[b:b + 4] == b"wrt\x80" and DATA[b + 26] & 1]
same(frames, sorted(inner), "each zstd frame is expanded in a table")
for b in frames:
    same(expanded(b).hex(), inner[b].hex(), "the frame of the block at %d" % b)
sys.exit(finish())
