#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Whether a file is replayable after trawl-edit or an accident took USB events away."""
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

SRC, BUILD = os.environ["TRAWL_SRC"], os.environ["TRAWL_BUILD"]
sys.path.insert(0, SRC + "/tests")
sys.dont_write_bytecode = True
from tap import finish, ok, skip  # noqa: E402


def run(program, *args, status=0):
    r = subprocess.run([BUILD + "/" + program, *args], stdin=subprocess.DEVNULL,
                       capture_output=True, text=True)
    if r.returncode != status:
        ok(False, "%s %s ends with %d" % (program, " ".join(args), status), r.returncode, r.stderr)
    return r.stdout, r.stderr


def write(path, data):
    with open(path, "wb") as f:
        f.write(data)
    return path


def check(d):
    """A file that lost events after it was recorded is not replayable, whatever its capture
    stated: damaged, repaired, and repaired when not even the damaged part says what it had."""
    sample = SRC + "/samples/usb-errors.trawl"
    if not os.path.exists(sample):
        skip("replayable after damage", "no sample")
        return
    with open(sample, "rb") as f:
        data = bytearray(f.read())
    at, chunk = 0, 0
    while at + 8 <= len(data):
        kind, n = struct.unpack("<II", data[at:at + 8])
        if kind == 0x80747277 and data[at + 24] == 5 and n > 700:
            chunk = at  # the last large one
        at += n
    data[chunk + 400] ^= 0xff
    damaged, repaired = write(d + "/damaged.trawl", bytes(data)), d + "/repaired.trawl"
    run("trawl-edit", "repair", damaged, "-w", repaired)
    lost = sum(int(n) for n in re.findall(r"\n  usb: (\d+) \(file damaged\)", run(
        "trawl-decode", "--summary", repaired)[0]))
    why = "the file was damaged, events are missing (%d)" % lost
    for path, status in (damaged, 1), (repaired, 0):
        text = run("trawl-decode", "--summary", path, status=status)[0]
        ok(lost and "\nUSB replayable: no, because: " + why + "\n" in text,
           os.path.basename(path) + " is not replayable", text[-200:])
        errors = run("trawl-replay", "device", path, status=3)[1]
        ok(": is not replayable: " + why in errors, "nor replayed", errors)
    data[chunk:chunk + 64] = bytes(64)
    text = run("trawl-decode", "--summary", write(d + "/headless.trawl", bytes(data)), status=1)[0]
    ok("\nUSB replayable: no, because: the file was damaged, events " in text,
       "without the chunk's head neither", text[-200:])
    run("trawl-edit", "cut", sample, "-c", "5", "-w", d + "/part.trawl")
    text = run("trawl-decode", "--summary", d + "/part.trawl")[0]
    ok(re.search(r"\nUSB replayable: yes, what is left of the capture: \d+ events were left out "
                 r"of it\n", text), "a part says that it is one", text[-200:])


def main():
    d = tempfile.mkdtemp(prefix="trawl-usbreplayable-")
    try:
        check(d)
    finally:
        shutil.rmtree(d)
    return finish()


sys.exit(main())
