#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that two builds write the same bytes.

    make compare BEFORE=FOLDER [FILES='more.trawl captures/']

runs trawl-decode, trawl-export and trawl-edit of the build folder BEFORE and of this one over all
samples and golden files, and over FILES: captures, foreign captures, or folders of them. It
compares the output and the exit status of each run. Texts for people (--summary, messages) are
compared, too; if they differ, that is listed as "wording", but is no failure. Exit status: 0 all
bytes are the same, 1 some are not.
"""
import concurrent.futures
import hashlib
import os
import re
import subprocess
import sys
import tempfile

SRC = os.environ["TRAWL_SRC"]
NOW = os.environ["TRAWL_BUILD"]

DECODE = (
    [],
    ["--json"],
    ["--raw", "--json", "--fields", "all"],
    ["--print", "--utc", "-tttt", "--bounds"],
    ["-X", "--show-keys", "-tt"],
    ["-ttt", "--where", "comm ~ \"*\" or cpu >= 0"],
    ["--around", "cpu == 0", "--window", "10us", "-c", "500"],
    ["--join", "-c", "2000"],
    ["--source", "usb", "--protocol"],
    ["-D"],
    ["--meta"],
    ["--meta=*"],
)
EXPORT = (
    ["--to", "pcapng"],
    ["--to", "pcapng", "--with-machine", "--no-descriptors", "--show-keys"],
    ["--to", "pcap", "--source", "usb*"],
    ["--to", "usbmon"],
    ["--to", "perfetto"],
    ["--to", "trace-dat"],
    ["--to", "umockdev"],
    ["--to", "html"],
    ["--to", "html", "--with-machine"],
    ["--to", "json"],
    ["--to", "csv"],
    ["--to", "csv", "--fields", "all", "--raw", "--decimal"],
)
WORDING = (["--summary"],)
IMPORTED = re.compile(r"\.(pcap|pcapng|cap|mon|usbmon)(\.(gz|xz|zst|bz2))?$")


def run(folder, argv, out=None):
    """Returns (exit status, digest of the output, message)."""
    env = dict(os.environ, TZ="UTC", LC_ALL="C")
    p = subprocess.run([os.path.join(folder, argv[0])] + argv[1:], stdout=subprocess.PIPE,
                       stderr=subprocess.PIPE, env=env, check=False)
    data = p.stdout
    if out:
        data = open(out, "rb").read() if os.path.exists(out) else b"no file"
    return p.returncode, hashlib.sha256(data).hexdigest(), p.stderr.decode(errors="replace")


def compared(before, argv, out=None):
    """Returns the differences: a list of ("bytes" | "wording", text)."""
    runs = []
    for folder in (before, NOW):
        if out and os.path.exists(out):
            os.remove(out)
        runs.append(run(folder, argv, out))
    (status0, bytes0, said0), (status1, bytes1, said1) = runs
    found = []
    command = " ".join(argv)
    wording = any(w[0] in argv for w in WORDING)
    if status0 != status1:
        found.append(("bytes", "%s: exit status %d, then %d" % (command, status0, status1)))
    if bytes0 != bytes1:
        found.append(("wording" if wording else "bytes", command))
    if said0 != said1:
        found.append(("wording", "%s: stderr\n  - %s\n  + %s" % (
            command, said0.strip().replace("\n", "\n  - "), said1.strip().replace("\n", "\n  + "))))
    return found


def files(places):
    for place in places:
        if not os.path.isdir(place):
            yield place
        for folder, _, names in os.walk(place):
            for name in sorted(names):
                if name.endswith(".trawl") or IMPORTED.search(name):
                    yield os.path.join(folder, name)


def main():
    if len(sys.argv) < 2 or not os.path.isdir(sys.argv[1]):
        sys.exit("compare: BEFORE: name the build folder of the tree to compare with")
    before = sys.argv[1]
    with tempfile.TemporaryDirectory() as tmp:
        jobs = []
        for n, f in enumerate(files([SRC + "/samples", SRC + "/tests/golden"] + sys.argv[2:])):
            if not f.endswith(".trawl"):
                out = os.path.join(tmp, "%d.trawl" % n)
                jobs.append((["trawl-edit", "import", f, "-w", out], out))
                ours = os.path.join(tmp, "in%d.trawl" % n)
                if run(before, ["trawl-edit", "import", f, "-w", ours])[0] > 1:
                    continue
                f = ours
            jobs += [(["trawl-decode"] + o + [f], None) for o in DECODE + WORDING]
            jobs += [(["trawl-export"] + o + [f, "-w", "-"], None) for o in EXPORT]
            jobs.append((["trawl-edit", "verify", f], None))
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            found = [d for r in pool.map(lambda j: compared(before, *j), jobs) for d in r]
    for kind, text in found:
        print("%s: %s" % (kind, text))
    differ = sum(kind == "bytes" for kind, _ in found)
    print("%d runs of each build: %d differ in bytes, %d in wording" %
          (len(jobs), differ, len(found) - differ))
    sys.exit(differ != 0)


if __name__ == "__main__":
    main()
