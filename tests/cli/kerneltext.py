# SPDX-License-Identifier: MIT
"""Compares the text that trawl-decode --print makes of events, from the file alone, with the
kernel's.

    kerneltext.py
    kerneltext.py record FOLDER [MORE]; kerneltext.py compare FOLDER

A second instance of tracefs records the same events of a few commands (and of the shell command
MORE); its file "trace" has the kernel's text. The text may differ if a print format needs a
constant that is nowhere in the file; tests/decode/formats must say so. The lab records in the guest
and compares on this machine."""
import collections
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
sys.dont_write_bytecode = True
from tap import finish, ok, skip_all  # noqa: E402

TRACEFS = "/sys/kernel/tracing"
LOAD = """for i in 1 2 3; do cat /etc/passwd | wc -c; done
sleep 0.05
dd if=/dev/zero of=file bs=64k count=4 conv=fsync status=none
bash -c 'kill -9 $$'"""
# The shell that enables the second instance. Only its children are compared: the shell's own events
# before that are missing in the second instance.
BEGIN = """echo $$ >shell
echo $$ >"$0/set_event_pid"
echo 1 >"$0/tracing_on"
bash -c "$1"
exit 0"""
OURS = r"^\S+ \[(?P<cpu>\d+)\] .*?-(?P<tid>\d+) +[^\s:]+:(?P<name>\S+) *(?P<text>.*)"
THEIRS = (r"^ *\S.*?-(?P<tid>\d+) +\[(?P<cpu>\d+)\] (?P<flags>\S+) +[\d.]+: (?P<name>\w+): ?"
          r"(?P<text>.*)")


def one_line(text):
    """The kernel's text, with each line end inside an event replaced by \\n, as trawl does."""
    out = []
    for line in text.split("\n"):
        if out and line[:1] != "#" and not re.match(THEIRS, line):
            out[-1] += "\\n" + line
        else:
            out.append(line)
    return "\n".join(out)


def read(path):
    with open(path, errors="replace") as f:
        return f.read()


def hashes(release):
    """Whether the kernel prints texts (%s) as nothing while it prints unhashed addresses; older
    ones do."""
    return tuple(map(int, re.findall(r"\d+", release)[:2])) < (6, 12)


def every_event():
    """GROUP/NAME of the kernel's own events that can be enabled. Without system calls, whose print
    formats the kernel does not use, and without locks: waiting for a lock while an event is written
    is an event in one instance only."""
    passing = set(re.findall(r"^\w+:(\w+)/", read(TRACEFS + "/dynamic_events"), re.M))
    passing |= {"syscalls", "synthetic", "lock"}
    for group in sorted(os.listdir(TRACEFS + "/events")):
        folder = f"{TRACEFS}/events/{group}"
        if not os.path.isdir(folder) or group in passing:
            continue
        for name in sorted(os.listdir(folder)):
            if os.path.exists(f"{folder}/{name}/enable"):
                yield f"{group}/{name}"


class Instance:
    def __init__(self, events):
        self.path = f"{TRACEFS}/instances/kerneltext_{os.getpid()}"
        os.mkdir(self.path)
        self.write("tracing_on", "0")
        self.write("trace_clock", "mono")
        self.write("options/event-fork", "1")
        self.write("buffer_size_kb", "16384")
        if not hashes(os.uname().release):
            self.write("options/hash-ptr", "0")
        for event in events:
            self.write(f"events/{event}/enable", "1")

    def write(self, name, text):
        with open(f"{self.path}/{name}", "w") as f:
            f.write(text)

    def close(self):
        self.write("events/enable", "0")
        os.rmdir(self.path)


def same(text, hashed):
    """The text without differences that do not count: blanks, the form of addresses (trawl
    0xffff8881, kernel 00000000ffff8881), the length of an address's function (removed)."""
    text = re.sub(r"(\+0x[0-9a-f]+|\+0)/0x[0-9a-f]+", r"\1", text)
    if hashed:
        text = re.sub(r"\b(0x[0-9a-f]+|[0-9a-f]{8,})\b", "ADDRESS", text)
    text = re.sub(r"\(null\)|\(nil\)", "0", text)
    return " ".join(re.sub(r"\b0x(?=[0-9a-f])|\b0+(?=[0-9a-f])", "", text).split())


def counted(text, pattern, tasks, hashed):
    """{(CPU, task, name): bag of texts}"""
    seen = collections.defaultdict(collections.Counter)
    for m in re.finditer(pattern, text, re.M):
        if int(m["tid"]) in tasks:
            seen[int(m["cpu"]), int(m["tid"]), m["name"]][same(m["text"], hashed)] += 1
    return seen


def late(texts):
    """Differences because the two instances record an event one after the other: in between, the
    parent may reap a task, and a tick may shorten the remaining time of a timer."""
    loose = collections.Counter()
    for text, n in texts.items():
        loose[re.sub(r"\bprev_state=[XZ]\b|\[timeout=-?\d+\]", "...", text)] += n
    return loose


def interrupting(text):
    """Names of the events that the kernel recorded in interrupts. The instances learn one after the
    other that a task is running, or has ended: one that interrupts in between is in one only."""
    return {m["name"] for m in re.finditer(THEIRS, text, re.M) if set("hHzZs") & set(m["flags"])}


def decode(*args):
    return subprocess.run(["trawl-decode", *args, "x.trawl"], stdout=subprocess.PIPE, text=True,
                          errors="replace").stdout


def children(shell):
    """The tasks that descend from the shell."""
    found = {shell}
    for line in decode("--json", "--source", "task", "--name", "task:task_newtask").splitlines():
        e = json.loads(line)
        if e["tid"] in found:
            found.add(e["fields"]["pid"])
    return found - {shell}


def record(more):
    events = list(every_event())
    theirs = Instance(events)
    try:
        sources = [word for e in events for word in ("-i", "event:" + e.replace("/", ":"))]
        status = subprocess.run(["trawl", "-q", *sources, "-B", "16384", "-w", "x.trawl", "--",
                                 "bash", "-c", BEGIN, theirs.path, "\n".join([LOAD, *more])],
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode
        ok(status == 0, f"{len(events)} events are recorded at once, and lose none", status)
        theirs.write("tracing_on", "0")
        with open("trace", "w") as f:
            f.write(read(theirs.path + "/trace"))
    finally:
        theirs.close()
    with open("unknown", "w") as f:  # events whose text needs something that is not in the file
        subprocess.run([os.environ["TRAWL_BUILD"] + "/tests/decode/formats"], text=True, stderr=f,
                       input="\n".join(f"{TRACEFS}/events/{e}/format" for e in events),
                       stdout=subprocess.DEVNULL)


def compare():
    tasks = children(int(read("shell")))
    hashed = hashes(re.search(r"^machine .*?kernel ([0-9.]+)", decode("--summary"), re.M)[1])
    ours = counted(decode("--print"), OURS, tasks, hashed)
    kernel = counted(one_line(read("trace")), THEIRS, tasks, hashed)
    number = [(sum(ours[key].values()), sum(kernel[key].values()), *key) for key in ours]
    total, kinds = sum(n[0] for n in number), {key[2] for key in ours}
    anywhere = interrupting(read("trace"))
    missing = [n for n in number if abs(n[0] - n[1]) > (n[4] in anywhere)]
    ok(total > 1000 and len(kinds) > 50 and not missing,
       f"the kernel has the same {total} events of {len(kinds)} kinds", *missing)
    other = {key[2]: (ours[key] - kernel[key], kernel[key] - ours[key])
             for key in ours if ours[key] != kernel[key] and late(ours[key]) != late(kernel[key])
             and (ours[key] - kernel[key] and kernel[key] - ours[key] or key[2] not in anywhere)}
    differ = sum(sum((ours[key] - kernel[key]).values()) for key in ours if key[2] in other)
    known = set(re.findall(r"^.*/(\w+)/format: (?!drops)", read("unknown"), re.M))
    wrong = [f"{name}: {next(iter(a), None)} -- {next(iter(b), None)}"
             for name, (a, b) in other.items() if name not in known]
    ok(not wrong, f"and the same text of all but {differ} ({', '.join(sorted(other)) or 'none'}), "
       "whose formats have constants that no file tells", *wrong[:20])


def main():
    what, folder, more = (sys.argv[1:] + ["", ""])[0], (sys.argv[2:] + [""])[0], sys.argv[3:]
    with tempfile.TemporaryDirectory() as own:
        os.chdir(folder or own)
        if what != "compare":
            record(more)
        if what != "record":
            compare()
        os.chdir("/")
    return finish()


if len(sys.argv) == 1 and not os.access(TRACEFS + "/events/enable", os.W_OK):
    sys.exit(skip_all("tracefs cannot be written: run as root"))
sys.exit(main())
