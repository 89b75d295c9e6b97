#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Measures how much smaller trawl-edit compact makes files, and what reading them then costs.

    compact.py FOLDER [FILE...]     (make compact-check CAPTURES=FOLDER COMPACT="FILE...")

FOLDER has foreign captures (fetch.sh); those of 1.5 MB and more are imported as the recorder
would have written them; FILEs are recordings. Prints for each: bytes before and after, the ratio,
and the millions of instructions, counted by valgrind, that trawl-decode needs before and after to
read all events and print none. Exit status: 1 if a file has other events than before.
"""
import hashlib
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

LEAST = 1_500_000


def captures(folder):
    for at, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            path = os.path.join(at, name)
            if name.split(".")[-1] in ("pcap", "pcapng", "cap") and \
                    os.path.getsize(path) >= LEAST:
                yield path


def run(*argv):
    return subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=3600)


def text(path):
    """The hash of the decoded text, and the instructions that reading the file takes."""
    said = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null",
                           "trawl-decode", "--no-sandbox", "--where", "pid == 4294967295", path],
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                          timeout=3600).stderr
    count = re.search(r"Collected : (\d+)", said)
    return (hashlib.sha256(run("trawl-decode", path).stdout).hexdigest(),
            int(count.group(1)) / 1e6 if count else float("nan"))


def main():
    folder, files = sys.argv[1], sys.argv[2:]
    wrong, ratios, works = 0, [], []
    with tempfile.TemporaryDirectory() as tmp:
        before, after = f"{tmp}/before.trawl", f"{tmp}/after.trawl"
        for path in files + list(captures(folder)):
            if path not in files:
                if run("trawl-edit", "import", "--level", "1", path, "-w", before).returncode:
                    print(f"not imported: {os.path.basename(path)}")
                    continue
            source = path if path in files else before
            start = time.monotonic()
            status = run("trawl-edit", "compact", source, "-w", after).returncode
            took = time.monotonic() - start
            (a, s), (b, t) = text(source), text(after)
            bad = status or a != b
            wrong += bool(bad)
            ratios.append(os.path.getsize(after) / os.path.getsize(source))
            works.append(t / s)
            print(f"{os.path.getsize(source):>10} {os.path.getsize(after):>10} "
                  f"{ratios[-1]:.2f}  read {s:.0f} {t:.0f} M, {works[-1]:.2f}, made in {took:.1f} s  "
                  f"{os.path.basename(path)}{'  WRONG' if bad else ''}", flush=True)
    if ratios:
        print(f"{len(ratios)} files: ratio median {statistics.median(ratios):.2f}, "
              f"work median {statistics.median(works):.2f}, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
