#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Replays each device of foreign captures to a host that sends the capture's requests again.

replay.py [-v] FOLDER [PATTERN] tries every file below FOLDER. It prints a row for each device:
"same" if the device enumerates and gives its recorded answers again, or why the replay is refused,
or the first answer that differs. Exit status: 1 if an answer differs.
"""
import collections
import concurrent.futures
import os
import re
import struct
import subprocess
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE + "/../replay"]
from usbipclient import BUILD, Replay, events  # noqa: E402

LIMIT = 120  # seconds that one device may take
FAST = "--speed", "0", "--hold"


def reason(err):
    """A refusal without names and numbers of one file, so that equal ones can be counted."""
    text = err.strip().splitlines()[-1] if err.strip() else "nothing was said"
    text = re.sub(r"^trawl-replay: .*?: (cannot replay [\d:]+: |is not replayable: )?", "", text)
    return re.sub(r"\d+", "N", text)[:100]


def is_root(e):
    """A root hub is the host's own: its device descriptor has the Linux Foundation's id."""
    return e.type == "C" and len(e.data) == 18 and e.data[:2] == b"\x12\1" and \
        e.data[8:10] == b"\x6b\x1d"


def in_turn(tape):
    """(VID:PID, records) of the device at each address; of several at one address the last."""
    found, asked = [], 0
    for i, e in enumerate(tape):
        if e.type == "S" and e.setup[:4] == b"\x80\6\0\1":
            asked = i
        if e.type == "C" and len(e.data) == 18 and e.data[:2] == b"\x12\1":
            ids = "%04x:%04x" % struct.unpack("<HH", e.data[8:12])
            if not found or found[-1][0] != ids:
                found.append((ids, asked if found else 0))
    ends = [begin for _, begin in found[1:]] + [len(tape)]
    return {ids: tape[begin:end] for (ids, begin), end in zip(found, ends)}


def play(path, device, tape):
    """(verdict, more) of one device."""
    r = Replay(path, "--device", device, *FAST)
    try:
        if r.p.poll() is not None or not any("waits for" in line for line in r.notes):
            status, _, err = r.end()
            return f"refused {status}" if status == 3 else "wrong", reason(err)
        h = r.host()
        if not h.attach():
            return "wrong", "the import was refused"
        device, config = h.enumerate()
        if len(device) != 18 or len(config) < 9:
            return "wrong", "it does not enumerate"
        different = h.play(tape)
        h.control(bytes([0x80, 0, 0, 0, 0, 0, 2, 0]))  # answered after transfers with no completion
        r.p.terminate()
        status, out, err = r.end(LIMIT)
        h.close()
        if status == 0 and not different:
            return "same", ""
        first = out.splitlines()[1:2]
        if different:
            s, what = different[0]
            first.append(f"ep {s.ep:#04x} {s.setup.hex()}: {what}")
        return "different", f"{len(different)} of {len(tape)}; " + " | ".join(first)
    except (OSError, EOFError, TypeError, IndexError) as e:
        return "wrong", repr(e)
    finally:
        if r.p.poll() is None:
            r.p.kill()
            r.p.wait()


def capture(path):
    """(device, verdict, more) of all devices of a file."""
    try:
        tape = events(path)
    except Exception as e:  # what this reader cannot read gets a row, and does not end the run
        status, _, err = Replay(path).end(LIMIT)
        return [("-", f"refused {status}", reason(err)) if status == 2 else ("-", "unread", repr(e))]
    devices = collections.Counter((e.bus, e.dev) for e in tape if e.dev)
    roots = {(e.bus, e.dev) for e in tape if is_root(e)}
    rows = []
    for bus, dev in sorted(set(devices) - roots):
        mine = [e for e in tape if (e.bus, e.dev) == (bus, dev)]
        several = in_turn(mine)
        if len(several) < 2:
            several = {f"{bus}:{dev}": mine}
        for device, records in several.items():
            rows.append((f"{bus}:{dev} {len(records)} records", *play(path, device, records)))
    return rows or [("-", "no USB", "")]


def main():
    args = sys.argv[1:]
    verbose = args[:1] == ["-v"]
    folder, *pattern = args[verbose:]
    files = [os.path.join(d, name) for d, _, names in os.walk(folder) for name in names
             if not pattern or re.search(pattern[0], os.path.join(d, name))]
    count, reasons = collections.Counter(), collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for path, rows in zip(sorted(files), pool.map(capture, sorted(files))):
            for device, verdict, more in rows:
                count[verdict] += 1
                if verdict.startswith("refused"):
                    reasons[more] += 1
                if verbose or not (verdict == "same" or verdict.startswith("refused")):
                    print(f"{verdict:10} {os.path.relpath(path, folder)} {device}: {more}",
                          flush=True)
    for text, n in reasons.most_common():
        print(f"refused {n}: {text}")
    print(", ".join(f"{n} {verdict}" for verdict, n in count.most_common()))
    return 1 if count["different"] or count["wrong"] else 0


sys.exit(main())
