# SPDX-License-Identifier: MIT
"""Flips one byte in each block of a capture, including blocks that an index makes unnecessary to
read: every command that reads the whole file reports the damage and exits with status 1;
repair exits with 0."""
import os
import struct
import subprocess
import sys
import tempfile

SRC, BUILD = os.environ["TRAWL_SRC"], os.environ["TRAWL_BUILD"]
sys.path.insert(0, SRC + "/tests")
from tap import finish, ok, same  # noqa: E402

tmp = tempfile.TemporaryDirectory()
FLIPPED, OUT = tmp.name + "/flipped.trawl", tmp.name + "/out"
OTHER = SRC + "/tests/golden/single.trawl"
VERBS = [
    (1, "trawl-decode", FLIPPED),
    (1, "trawl-export", "--to", "json", FLIPPED),
    (1, "trawl-edit", "verify", FLIPPED),
    (1, "trawl-edit", "secrets", FLIPPED),
    (1, "trawl-edit", "redact", FLIPPED, "-w", OUT),
    (1, "trawl-edit", "compact", FLIPPED, "-w", OUT),
    (1, "trawl-edit", "merge", FLIPPED, OTHER, "-w", OUT),
    (0, "trawl-edit", "repair", FLIPPED, "-w", OUT),
    (1, "trawl-replay", "stream", "--speed", "0", FLIPPED),
    (1, "trawl-replay", "host", "--to-c", FLIPPED),
]


def blocks(data):
    """Yields (offset, length) of each block of the file."""
    at = 0
    while at + 12 <= len(data):
        length = struct.unpack_from("<I", data, at + 4)[0]
        yield at, length
        at += length


def status(args):
    r = subprocess.run([BUILD + "/" + args[0], *args[1:]], stdin=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=120)
    return r.returncode, r.stderr.decode(errors="replace")


with open(SRC + "/samples/usb-keyboard.trawl", "rb") as f:
    whole = f.read()
with open(FLIPPED, "wb") as f:
    f.write(whole)
same([0] * len(VERBS), [status(v[1:])[0] for v in VERBS], "the file as it is: no verb complains")
# Also in the last block, which says where the index is: without it the whole file is read.
places = [at + n // 2 for at, n in blocks(whole)]
ok(len(places) > 8, "blocks", len(places))
for want, *verb in VERBS:
    bad = []
    for place in places:
        with open(FLIPPED, "wb") as f:
            f.write(whole[:place] + bytes([whole[place] ^ 0x41]) + whole[place + 1:])
        got, said = status(verb)
        if got != want or ("damaged" not in said and "cut at" not in said):
            bad.append((place, got, said[-150:]))
    same([], bad, f"{' '.join(verb[:2])}: {want} for one byte of each of {len(places)} blocks")
sys.exit(finish())
