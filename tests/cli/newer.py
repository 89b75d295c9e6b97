#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A file of a newer format version: each program and command reports it with status 3 and leaves
no output; also if only the second section is newer, as after `cat old new`."""
import os
import struct
import subprocess
import sys
import tempfile

src = os.environ["TRAWL_SRC"]
sys.path.insert(0, f"{src}/tests")
import reader
import tap

VERSION, PAD, CHECK, BODY = 25, 27, 32, 40  # offsets in a block
tmp = tempfile.TemporaryDirectory()
os.environ["TMPDIR"] = tmp.name


def newer(data):
    """The file with a higher version in its start block."""
    at, out = 0, bytearray(data)
    while out[at + 8:at + 24] != reader.OUR_UUID:
        at += struct.unpack_from("<I", out, at + 4)[0]
    end = at + struct.unpack_from("<I", out, at + 4)[0]
    out[at + VERSION] = 99
    check = reader.xxh64(bytes(out[at + BODY:end - 4 - out[at + PAD]]),
                         reader.xxh64(bytes(out[at:at + CHECK])))
    struct.pack_into("<Q", out, at + CHECK, check)
    return bytes(out)


with open(f"{src}/samples/usb-storage.trawl", "rb") as f:
    old = f.read()
new, both, out = (f"{tmp.name}/{n}" for n in ("new.trawl", "both.trawl", "out"))
for name, data in ((new, newer(old)), (both, old + newer(old))):
    with open(name, "wb") as f:
        f.write(data)
sample = f"{src}/samples/usb-storage.trawl"

TO = ("pcapng", "pcapng.gz", "pcap", "usbmon", "perfetto", "trace-dat", "drcov", "lcov", "folded",
      "brstack", "json", "html", "umockdev", "csv")
EDIT = (("cut", "--where", "cpu == 0"), ("cut", "--from", "+0s"), ("cut", "--until", "+1us"),
        ("cut", "--around", "cpu == 0", "--window", "1ms"), ("cut", "--every", "2"),
        ("cut", "--max-size", "1M"), ("compact", ), ("repair", ), ("redact", ), ("merge", sample))
VERBS = [("trawl-decode", *a) for a in ((), ("--json", ), ("--raw", ), ("--summary", ),
                                       ("--calls", ), ("--from", "+0s"), ("--until", "+1us"),
                                       ("-c", "1"), ("--diff", sample))]
VERBS += [("trawl-export", "--to", f, "-w", out) for f in TO]
VERBS += [("trawl-edit", *a, "-w", out) for a in EDIT]
VERBS += [("trawl-edit", a) for a in ("secrets", "verify")]
VERBS += [("trawl-report", "--yes", "--title", "x", "-o", out)]
VERBS += [("trawl-replay", *a) for a in (("branch", ), ("probes", ), ("stream", "--to", "json"))]
for name in (new, both):
    for argv in VERBS:
        p = subprocess.run([*argv, name], capture_output=True, text=True, errors="replace",
                           stdin=subprocess.DEVNULL)
        left = [n for n in os.listdir(tmp.name) if not n.endswith(".trawl")]
        tap.ok(p.returncode == 3 and "of format version 99, newer than" in p.stderr and not left,
               f"{os.path.basename(name)}: {' '.join(argv).replace(tmp.name, '').replace(src, '')}",
               p.returncode, p.stderr[:300], left)
        for n in left:
            os.remove(f"{tmp.name}/{n}")
sys.exit(tap.finish())
