# SPDX-License-Identifier: MIT
"""fault.py [all] [lab] [NAME]...: every allocation, read, write, ioctl and open of a program fails
once (fault.c).
Whatever fails: no crash and no leak (under the sanitizers); status 0 only with the same output as
without; else a status of ours, a line that names the program, and no output that passes for good.

Without "all", some of each kind; where a part of the output would be missing without a word, each
one, but under the sanitizers. "lab": captures that need a driver, in a guest (lab/guest/faults.sh),
instead of the others. NAME: only scenarios with that in their name.
"""
import hashlib
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

SRC, BUILD = os.environ["TRAWL_SRC"], os.environ["TRAWL_BUILD"]
sys.path.insert(0, SRC + "/tests")
from tap import finish, ok  # noqa: E402

ALL = "all" in sys.argv[1:]
LAB = "lab" in sys.argv[1:]
ONLY = [a for a in sys.argv[1:] if a not in ("all", "lab")]
ASAN_EXIT = 77
tmp = tempfile.TemporaryDirectory()
COUNTS, OUT = tmp.name + "/counts", tmp.name + "/out"
LOSSES = SRC + "/tests/golden/meta.trawl"
PROBES = SRC + "/samples/tick.trawl"
HOTPLUG = SRC + "/samples/usb-hotplug.trawl"
GOLDEN = SRC + "/tests/golden/two.trawl"
BRANCHES = SRC + "/tests/golden/branches.trawl"
USB = SRC + "/samples/usb-keyboard.trawl"
PCAP = SRC + "/tests/fuzz/corpus/pcapimport/le.pcapng"
sanitizers = "--enable-sanitizers" in subprocess.run([BUILD + "/config.status", "--config"],
                                                     text=True,
                                                     stdout=subprocess.PIPE).stdout



class Scenario:
    """A command line; its output is stdout and OUT. steady: the same output every time; each: no
    failure is skipped."""

    def __init__(self, name, *args, kinds=("alloc", "read", "write", "open"), steady=True, picks=7,
                 each=False):
        self.each = each
        self.name, self.args, self.kinds, self.steady, self.picks = name, args, kinds, steady, picks
        self.ours = args[0] in ("trawl", "trawl-edit")


SCENARIOS = [
    Scenario("decode", "trawl-decode", "--no-sandbox", GOLDEN),
    Scenario("decode usb", "trawl-decode", "--no-sandbox", "--json", USB),
    Scenario("export", "trawl-export", "--no-sandbox", "--to", "pcapng", USB, "-w", OUT),
    Scenario("import", "trawl-edit", "import", "--no-sandbox", PCAP, "-w", OUT, steady=False),
    # it says when
    Scenario("cut", "trawl-edit", "cut", "--no-sandbox", "--from", "+0s", GOLDEN, "-w", OUT),
    Scenario("verify", "trawl-edit", "verify", "--no-sandbox", GOLDEN),
    Scenario("merge", "trawl-edit", "merge", "--no-sandbox", GOLDEN,
             SRC + "/tests/golden/events.trawl", "-w", OUT, steady=False, picks=2),
    Scenario("redact", "trawl-edit", "redact", "--no-sandbox", USB, "-w", OUT, steady=False,
             picks=2),
    Scenario("secrets", "trawl-edit", "secrets", "--no-sandbox", USB, picks=2),
    Scenario("compact", "trawl-edit", "compact", "--no-sandbox", GOLDEN, "-w", OUT, picks=2),
    Scenario("repair", "trawl-edit", "repair", "--no-sandbox", GOLDEN, "-w", OUT, picks=7),
    Scenario("difference", "trawl-decode", "--no-sandbox", "--diff", USB, USB, picks=2),
    Scenario("page", "trawl-export", "--no-sandbox", "--to", "html", USB, "-w", OUT, picks=2),
    Scenario("perfetto", "trawl-export", "--no-sandbox", "--to", "perfetto", GOLDEN, "-w", OUT,
             picks=2),
    Scenario("calls", "trawl-decode", "--no-sandbox", "--calls", BRANCHES, kinds=("alloc",)),
    Scenario("folded", "trawl-export", "--no-sandbox", "--to", "folded", BRANCHES, "-w", OUT,
             kinds=("alloc",)),
    Scenario("drcov", "trawl-export", "--no-sandbox", "--to", "drcov", BRANCHES, "-w", OUT,
             kinds=("alloc",), picks=2),
    Scenario("losses", "trawl-decode", "--no-sandbox", LOSSES, kinds=("alloc",)),
    Scenario("probes", "trawl-decode", "--no-sandbox", PROBES, kinds=("alloc",)),
    Scenario("fields", "trawl-export", "--no-sandbox", "--to", "pcapng", PROBES, "-w", OUT,
             kinds=("alloc",), each=True),
    Scenario("hotplug", "trawl-decode", "--no-sandbox", "--json", HOTPLUG, kinds=("alloc",),
             each=True),
    Scenario("trace.dat", "trawl-export", "--no-sandbox", "--to", "trace-dat", PROBES, "-w", OUT,
             kinds=("alloc",), picks=2),
    Scenario("csv", "trawl-export", "--no-sandbox", "--to", "csv", PROBES, "-w", OUT,
             kinds=("alloc",), picks=2),
    Scenario("summary", "trawl-decode", "--no-sandbox", "--summary", PROBES, kinds=("alloc",),
             picks=2),
    Scenario("endpoints", "trawl-decode", "--no-sandbox", "--summary", USB, kinds=("alloc",),
             picks=2),
    Scenario("umockdev", "trawl-export", "--no-sandbox", "--to", "umockdev", USB, "-w", OUT,
             kinds=("alloc",), picks=2),
    Scenario("protocol", "trawl-decode", "--no-sandbox", "--protocol",
             SRC + "/samples/usb-serial.trawl", kinds=("alloc",), picks=2),
    Scenario("end", "trawl-edit", "cut", "--no-sandbox", "--from", "+1ms", PROBES, "-w", OUT,
             kinds=("alloc",), picks=2),
    Scenario("events", "trawl", "-D", "event:signal:*", kinds=("alloc",), each=True),
    Scenario("cut where", "trawl-edit", "cut", "--no-sandbox", "--where", "pid >= 0", PROBES, "-w",
             OUT, kinds=("alloc",), picks=4),
    Scenario("cut around", "trawl-edit", "cut", "--no-sandbox", "--around", "pid >= 0", "--window",
             "1us", PROBES, "-w", OUT, kinds=("alloc",), picks=2),
    Scenario("cut every", "trawl-edit", "cut", "--no-sandbox", "--every", "30", GOLDEN, "-w", OUT,
             kinds=("alloc",), picks=2),
    Scenario("counts", "trawl-decode", "--no-sandbox", "--counts", BRANCHES, kinds=("alloc",),
             picks=2),
    Scenario("branches differ", "trawl-decode", "--no-sandbox", "--diff", BRANCHES, BRANCHES,
             kinds=("alloc",), picks=2),
    Scenario("lcov", "trawl-export", "--no-sandbox", "--to", "lcov", BRANCHES, "-w", OUT,
             kinds=("alloc",), picks=2),
    Scenario("brstack", "trawl-export", "--no-sandbox", "--to", "brstack", BRANCHES, "-w", OUT,
             kinds=("alloc",), picks=2),
    Scenario("report", "trawl-report", "--yes", "--title", "x", GOLDEN, "-o", OUT, steady=False,
             picks=2),
    Scenario("walk", "trawl-replay", "branch", "--no-sandbox", BRANCHES,
             kinds=("read", "write", "open"), picks=4),
    Scenario("steps", "trawl-replay", "branch", "--no-sandbox", BRANCHES, kinds=("alloc",),
             each=True),
    Scenario("gdb", "trawl-replay", "branch", "--no-sandbox", "--gdb", BRANCHES, picks=2),
    Scenario("replayed probes", "trawl-replay", "probes", "--no-sandbox", "--speed", "0", PROBES,
             picks=4),
    Scenario("python", "trawl-replay", "host", "--no-sandbox", "--to-python", USB, picks=2),
    Scenario("stream", "trawl-replay", "stream", "--no-sandbox", "--speed", "0", GOLDEN, picks=2),
    Scenario("host", "trawl-replay", "host", "--no-sandbox", "--to-c", USB, picks=2),
    Scenario("capture", "trawl", "-q", "-i", "event:sched:sched_switch", "-c", "20", "-w", OUT,
             kinds=("alloc", "read", "write", "ioctl", "open"), steady=False),
    Scenario("probe", "trawl", "-q", "-i", f"uprobe:{BUILD}/samples/tick:tick_step $params", "-w",
             OUT, "--", BUILD + "/samples/tick", kinds=("alloc", "read", "write", "open"),
             steady=False),
    Scenario("branches", "trawl", "-q", "-i", "branch:ptrace", "-w", OUT, "--",
             BUILD + "/samples/branches", kinds=("read", "write", "open"), steady=False, each=True),
    Scenario("tracer", "trawl", "-q", "-i", "branch:ptrace", "-w", OUT, "--",
             BUILD + "/samples/branches", kinds=("alloc",), steady=False),
]
DRIVERS = [
    Scenario(name, "trawl", "-q", "-i", *args, steady=False, picks=4, kinds=kinds,
             each=kinds == ("ioctl",))
    for name, *args in (
        ("usb", "usb", "--duration", "300ms", "-w", OUT),
        ("usb by text", "usb:text", "--duration", "300ms", "-w", OUT),
        ("steps", "branch:kmod-step", "-w", OUT, "--", BUILD + "/samples/branches"),
        ("stacks", f"branch:kmod-lbr:last=8@uprobe:{BUILD}/samples/tick:tick_step", "-w", OUT,
         "--", BUILD + "/samples/tick"),
        ("samples", "branch:perf-lbr", "-w", OUT, "--", BUILD + "/samples/branches"),
    )
    for kinds in (("ioctl",), ("alloc", "read", "write", "open"))
]


def digest(path, ours):
    """Digest of the contents, because a trawl file may be compressed differently."""
    if not os.path.exists(path):
        return None
    if ours:
        text = [subprocess.run([BUILD + "/trawl-decode", *how, path], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
                for how in ((), ("--meta=*",))]
        return [(t.returncode, hashlib.sha1(t.stdout).hexdigest()) for t in text]
    with open(path, "rb") as f:
        return hashlib.sha1(f.read()).hexdigest()


def run(scenario, kind, n):
    with open(COUNTS, "wb") as f:
        f.write(bytes(4096))
    if os.path.exists(OUT):
        os.unlink(OUT)
    options = os.environ.get("ASAN_OPTIONS", "")
    env = dict(os.environ, LD_PRELOAD=BUILD + "/tests/fault/fault.so", FAULT=f"{kind}:{n}",
               FAULT_COUNTS=COUNTS,
               LSAN_OPTIONS=f"suppressions={SRC}/tests/lsan.supp:print_suppressions=0",
               ASAN_OPTIONS=f"{options}:verify_asan_link_order=0:exitcode={ASAN_EXIT}:detect_leaks=1")
    try:
        r = subprocess.run([f"{BUILD}/{scenario.args[0]}", *scenario.args[1:]], env=env, timeout=60,
                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE)
    except subprocess.TimeoutExpired:
        return None, b"", "does not end", 0
    with open(COUNTS, "rb") as f:
        count, = struct.unpack("<Q", f.read(8))
    return r.returncode, r.stdout, r.stderr.decode(errors="replace"), count


def good_file():
    """Whether OUT would be accepted as a complete capture or export."""
    if not os.path.exists(OUT):
        return False
    with open(OUT, "rb") as f:
        if b"trawl" not in f.read(4096):
            return True
    return subprocess.run([BUILD + "/trawl-edit", "verify", OUT], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL).returncode == 0


def wrong(scenario, n, got, want):
    """Returns what is wrong with a run whose n-th call failed; or None."""
    status, out, err, count = got
    lines = [x for x in err.splitlines() if x and x[0] != " "]  # the others belong to one before
    if "AddressSanitizer: CHECK failed: sanitizer_" in err:
        return None  # its own, which does not survive it
    if status is None or status < 0 or status == ASAN_EXIT or status > 3:
        return f"status {status}"
    if count < n:
        return None  # it did not come to that
    if status == 0 and scenario.steady and (out, digest(OUT, scenario.ours)) != want:
        return "status 0, but another output"
    if status == 0 and not scenario.steady and not good_file():
        return "status 0, but the file is not good"
    if status and not lines:
        return f"status {status} without a word"
    if status and not re.match(r"(trawl(-\w+)?|warning|%s): " % re.escape(scenario.args[0]),
                               lines[-1]):
        return f"status {status}, the line does not say who"
    writes = "-w" in scenario.args and scenario.steady
    if status >= 2 and writes and os.path.exists(OUT) and good_file():
        return f"status {status}, but the output looks good"
    return None


def picks(count, n):
    if count <= n:
        return range(1, count + 1)
    return sorted({1 + round(i * (count - 1) / (n - 1)) for i in range(n)})


total = 0
for s in DRIVERS if LAB else SCENARIOS:
    if ONLY and not any(o in s.name for o in ONLY):
        continue
    for kind in s.kinds:
        status, out, err, count = run(s, kind, 0)
        want = (out, digest(OUT, s.ours))
        if not status and not count and kind in ("write", "ioctl"):
            ok(True, f"{s.name}: makes no {kind}")
            continue
        if status or not count:
            ok(False, f"{s.name}: without a fault", status, err, count)
            continue
        bad, seen = [], 0
        each = ALL or s.each and not sanitizers
        for n in picks(count, 10 ** 9 if each else s.picks):
            got = run(s, kind, n)
            why = wrong(s, n, got, want)
            seen += 1
            if why:
                said = got[2].strip()[-2500 if sanitizers else -300:]
                bad.append(f"{kind} {n} of {count}: {why}: {said}")
        total += seen
        ok(not bad, f"{s.name}: {'each' if each else seen} of the {kind}s fails",
           f"{len(bad)} bad", *bad[:12 if not ALL else 400])
ok(total >= 20 or ONLY, "there were faults", total)
left = subprocess.run(["trawl", "--gc"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                      text=True)
ok(left.returncode == 0, "what failed captures left is removed", left.stdout)
shutil.rmtree(tmp.name, ignore_errors=True)
sys.exit(finish())
