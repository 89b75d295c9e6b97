# SPDX-License-Identifier: MIT
"""kerneltext.py EVENT... -- COMMAND...: are the events of COMMAND as trawl-decode --print has them, from
the file alone, what the kernel itself says of them? Another instance of tracefs records the same events;
its file "trace" is what the kernel makes of their print formats. Prints "EVENTS KINDS OTHER MISSING": how
many events were compared, of how many kinds, how many have another text there, or none at all; and on
standard error an example of each kind that has. EVENT is as -i event: has it; a minus in front leaves
out what would match. Events of system calls have no place here: the kernel does not use their print
formats."""
import collections
import fnmatch
import os
import re
import subprocess
import sys
import tempfile

TRACEFS = "/sys/kernel/tracing"


def matching(patterns):
    """GROUP/NAME of each event that the patterns ask for."""
    found = []
    for group in sorted(os.listdir(TRACEFS + "/events")):
        folder = f"{TRACEFS}/events/{group}"
        if not os.path.isdir(folder) or group in ("syscalls", "synthetic") or group.startswith("trawl_"):
            continue
        for name in sorted(os.listdir(folder)):
            last = [p for p in patterns if fnmatch.fnmatchcase(f"{group}:{name}", p.lstrip("-"))][-1:]
            if last and not last[0].startswith("-") and os.path.exists(f"{folder}/{name}/enable"):
                found.append(f"{group}/{name}")
    return found


class Instance:
    def __init__(self, events):
        self.path = f"{TRACEFS}/instances/kerneltext_{os.getpid()}"
        os.mkdir(self.path)
        self.write("trace_clock", "mono")
        self.write("buffer_size_kb", "16384")
        self.write("options/hash-ptr", "0")  # addresses as they are
        for event in events:
            self.write(f"events/{event}/enable", "1")

    def write(self, name, text):
        try:
            with open(f"{self.path}/{name}", "w") as f:
                f.write(text)
        except FileNotFoundError:
            pass  # an option of newer kernels

    def lines(self):
        self.write("tracing_on", "0")
        self.write("events/enable", "0")
        with open(self.path + "/trace", errors="replace") as f:
            return f.read().split("\n")

    def close(self):
        os.rmdir(self.path)


def same(text):
    """What is the same by other means: blanks, and how an address of nothing is written."""
    return re.sub(r"\s+", " ", re.sub(r"\b0x0\b|\(null\)|\(nil\)", "0", text)).strip()


def counted(lines, pattern):
    """(CPU, task, name) -> its texts, each so often."""
    seen = collections.defaultdict(collections.Counter)
    for line in lines:
        if m := re.match(pattern, line):
            seen[int(m["cpu"]), int(m["tid"]), m["name"]][same(m["text"])] += 1
    return seen


def main():
    at = sys.argv.index("--")
    events = matching(sys.argv[1:at])
    theirs = Instance(events)
    try:
        with tempfile.TemporaryDirectory() as folder:
            capture = folder + "/x.trawl"
            sources = [word for e in events for word in ("-i", "event:" + e.replace("/", ":"))]
            status = subprocess.run(["trawl", "-q", *sources, "-w", capture, "--", *sys.argv[at + 1:]]).returncode
            kernel = counted(theirs.lines(), r"\s*.*?-(?P<tid>\d+) +\[(?P<cpu>\d+)\] \S+ +[\d.]+: (?P<name>\w+): ?(?P<text>.*)")
            decoded = subprocess.run(["trawl-decode", "--print", capture], stdout=subprocess.PIPE, text=True, errors="replace").stdout
    finally:
        theirs.write("events/enable", "0")
        theirs.close()
    ours = counted(decoded.split("\n"), r"\S+ \[(?P<cpu>\d+)\] .*?-(?P<tid>\d+) +[^\s:]+:(?P<name>\S+) *(?P<text>.*)")
    total = other = missing = 0
    kinds, told = set(), set()
    for key, texts in ours.items():
        kinds.add(key[2])
        total += sum(texts.values())
        left, there = texts - kernel[key], kernel[key] - texts
        missing += max(0, sum(left.values()) - sum(there.values()))
        other += min(sum(left.values()), sum(there.values()))
        if left and key[2] not in told:
            told.add(key[2])
            print(f"{key[2]}: {next(iter(left))}\n{' ' * len(key[2])}  {next(iter(there), '(none)')}", file=sys.stderr)
    print(total, len(kinds), other, missing)
    return status


sys.exit(main())
