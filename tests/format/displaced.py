#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Files whose blocks have been shifted: junk in front, removed bytes, foreign blocks behind,
damaged headers. Undamaged events are read with their original times."""
import collections
import json
import os
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.environ["TRAWL_SRC"], "tests"))
from tap import finish, ok  # noqa: E402

DECODE = os.path.join(os.environ["TRAWL_BUILD"], "trawl-decode")
WORK = tempfile.TemporaryDirectory()
NAME_RESOLUTION = struct.pack("<IIHHI", 4, 16, 0, 0, 16)  # a block of pcapng that says nothing


def golden(name):
    with open(os.path.join(os.environ["TRAWL_SRC"], "tests/golden", name + ".trawl"), "rb") as f:
        return f.read()


def decoded(data):
    """(events, status) of a file with these bytes."""
    path = os.path.join(WORK.name, "x.trawl")
    with open(path, "wb") as f:
        f.write(data)
    p = subprocess.run([DECODE, "--json", "--raw", "--bounds", path], capture_output=True,
                       text=True, timeout=120)
    return [json.loads(line) for line in p.stdout.splitlines()], p.returncode


def flipped(data, at):
    return data[:at] + bytes([data[at] ^ 0x11]) + data[at + 1:]


def moved(events, whole):
    """Returns how many events have a time or bound other than that of the same original event."""
    had = collections.Counter(json.dumps(e, sort_keys=True) for e in whole)
    return sum(not had[json.dumps(e, sort_keys=True)] for e in events)


SMALL, EXAMPLE = golden("small4"), golden("example")
for n in (1, 2, 3, 4, 100, 70000):
    for name, data, events in (("a file", EXAMPLE, 3), ("a small file", SMALL, 300)):
        got, status = decoded(b"J" * n + data)
        ok(len(got) == events and status == 1, f"{n} bytes in front of {name}",
           f"{len(got)} events, status {status}")
for at in (0, 4, 8, 11):
    got, status = decoded(flipped(SMALL, at))
    ok(len(got) == 300 and status == 1, f"a small section whose header is damaged at byte {at}",
       f"{len(got)} events, status {status}")
got, status = decoded(EXAMPLE + flipped(SMALL, 0))
ok(len(got) == 303 and status == 1, "and one behind another section",
   f"{len(got)} events, status {status}")
got, status = decoded(SMALL + NAME_RESOLUTION)
ok(len(got) == 300 and status == 0, "a block of somebody else's behind a small section",
   f"{len(got)} events, status {status}")
got, status = decoded(SMALL + NAME_RESOLUTION + SMALL)
ok(len(got) == 600 and status == 0, "or between two", f"{len(got)} events, status {status}")

for name, begin, end in (("clocks", 640, 2640), ("moved", 2791, 4791)):
    data = golden(name)
    got, status = decoded(data[:begin] + data[end:])
    bad = moved(got, decoded(data)[0])
    ok(len(got) > 100 and not bad and status == 1,
       f"{name}: what is left after 2,000 bytes were taken out has its times",
       f"{len(got)} events, {bad} have others, status {status}")
clocks = golden("clocks")
got, status = decoded(flipped(clocks, 1354) + SMALL)
bad = moved(got[:240], decoded(clocks)[0])
ok(len(got) == 540 and not bad and status == 1,
   "a sync block that is no longer ours is had from the index, without an end block, too",
   f"{len(got)} events, {bad} have other times, status {status}")
sys.exit(finish())
