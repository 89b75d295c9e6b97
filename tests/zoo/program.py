#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Checks any program with debug information like one of the zoo: no parameter that trawl marks as
exact differs from gdb's at the same stop, and no return value from that of gdb's "finish" for the
same call.

	program.py [-v] [--only-params] [--only-returns] [--calls N] [--batch N] [--max N]
		[--only GLOB] [--stdin FILE]
	PROGRAM [ARG ...] make zoo-check PROGRAM='PROGRAM ARG ...'

The program runs under trawl and under gdb, with the same memory layout and an empty environment. If
a value differs between the runs (times, seeds, threads), gdb's is compared with what trawl's
definition reads at gdb's stop. Compares the first --calls calls of each function, of at most --max
functions, which are evenly chosen, --batch of them in a run. Exit status: 1 if a value differs."""
import argparse
import fnmatch
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from string import ascii_letters
from subprocess import DEVNULL

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import returns  # noqa: E402
from run import BUILD, Comparison, equal, finish, gdb_run, ok, run, skip_all  # noqa: E402

TIMEOUT = 900  # seconds for one run of the program
RUNS = 4       # of gdb, besides the first, where values differ
STDIN = []     # the file that the program reads, if there is one


def standard_input():
    """Opens the program's standard input again, from its beginning."""
    return open(STDIN[0], "rb") if STDIN else DEVNULL


def listed(pattern):
    """The functions that match, as trawl -D lists them; None if there are too many to list."""
    said = run(f"{BUILD}/trawl", "--json", "-D", pattern, timeout=600).stdout
    return json.loads(said) if said else None


def functions(program, only, most, params=True):
    """Names of the functions that share their name with no other; all, or those with parameters."""
    prefix = f"uprobe:{program}:"
    found = listed(prefix + "*")
    if found is None:  # there are more than it lists at once
        parts = (listed(f"{prefix}{c}*") for c in ascii_letters + "_")
        found = [f for part in parts for f in part or ()]
    names = [f["name"][len(prefix):] for f in found if f["args"] or f["described"] and not params]
    names = [n for n in dict.fromkeys(names)
             if "#" not in n and "[clone" not in n and fnmatch.fnmatch(n, only)]
    return names if len(names) <= most else [names[i * len(names) // most] for i in range(most)]


NAME = re.compile(r'"name": ?("(?:[^"\\\\]|\\\\.)*")')


def decoded(path):
    """Yields (name, line of JSON) of each event of a capture, which may have millions."""
    with subprocess.Popen([f"{BUILD}/trawl-decode", "--json", path], stdout=subprocess.PIPE,
                          stderr=DEVNULL, text=True, errors="replace") as decode:
        for line in decode.stdout:
            yield json.loads(NAME.search(line)[1]), line


def probe_of(name, path):
    """The metadata of an event's probe."""
    found = run(f"{BUILD}/trawl-decode", f"--meta=probe/uprobe/{glob.escape(name)}", path)
    if not found.stdout:
        raise RuntimeError(f"{path}: no metadata of {name!r}: {found.stderr}")
    return json.loads(found.stdout)


def record(argv, names, calls, path):
    """({event name: first calls}, {event name: metadata of its probe}, trawl's stderr)"""
    inputs = [w for n in names for w in ("-i", f"uprobe:{argv[0]}:{n} $params")]
    said = run(f"{BUILD}/trawl", "-B", "65536", "-w", path, *inputs, "--", "setarch", "-R", "env",
               "-i", *argv, timeout=TIMEOUT, stdin=standard_input()).stderr
    events = {}
    for name, line in decoded(path):
        of = events.setdefault(name, [])
        if len(of) < calls:
            of.append(json.loads(line))
    return events, {name: probe_of(name, path) for name in events}, said


def begins(window, theirs):
    """True if gdb's text begins with these bytes (in hex), or they with the text."""
    text = theirs["?text"].encode() if isinstance(theirs, dict) and "?text" in theirs else b""
    data = bytes.fromhex(window) if isinstance(window, str) else b""
    return bool(text and data) and text[:len(data)] == data[:len(text)]


class Repeated(Comparison):
    """Compares two runs. If a value differs, what trawl's definition reads at gdb's stop counts."""

    def __init__(self):
        super().__init__()
        self.varying = 0
        self.fetched = {}
        self.missed = 0  # functions that were called under trawl, and not once under gdb

    def value(self, where, ours, theirs):
        name = where.rsplit(" ", 1)[1]
        there = self.fetched.get(name)
        if None not in (ours, theirs, there) and not equal(ours, theirs) and \
                (begins(there, theirs) if isinstance(ours, str) else equal(there, theirs)):
            self.varying += 1
        else:
            super().value(where, ours, theirs)


def fetch_arguments(probe):
    """{parameter: fetch argument} of exact parameters that are shown as the kernel reads them."""
    args = [a for a in probe["args"] if not a["helper"]]
    places = probe["sites"][0]["args"]  # these are without the helpers
    if [a["name"] for a in args] != [s["name"] for s in places]:
        raise RuntimeError(f"{probe['event']}: args and those of its site are not the same: {args} "
                           f"{places}")
    return {a.get("label", a["name"]): s["fetch"] for a, s in zip(args, places)
            if s["state"] == "exact" and a["show"] != "float"}


def compare(events, probes, stops, c):
    for name, calls in events.items():
        site = probes[name]["sites"][0]
        stop = stops[site["vaddr"]]
        scope = stop["scope"][0] if stop["scope"] else []
        c.missed += not stop["entry"]
        for n, event in enumerate(calls):
            entry, body, c.fetched = (stop[w][n] if n < len(stop.get(w, [])) else {}
                                      for w in ("entry", "body", "fetched"))
            c.call(f"{name} at {site['vaddr']:#x}, call {n + 1}", event, entry, body, scope, False)
        for arg in site["args"]:
            if arg["state"] == "unavailable":
                c.why[f"{name}: {arg['name']}"] = arg["why"]


def stop_at(argv, addresses, stops, o, folder):
    """Fills stops. gdb 13 crashes on the types of some functions, so others run without them."""
    if gdb_run(argv, addresses, stops, f"{folder}/gdb", o.calls, f"{folder}/fetches",
               standard_input()):
        return
    if len(addresses) == 1:
        print(f"# gdb ended before the program, with the function at {addresses[0]:#x}")
        return
    for half in addresses[:len(addresses) // 2], addresses[len(addresses) // 2:]:
        stop_at(argv, half, stops, o, folder)


def check_batch(argv, names, o, folder, c):
    """Compares the parameters of these functions; returns how many functions were called."""
    events, probes, said = record(argv, names, o.calls, f"{folder}/trawl")
    if not events:
        if "no probe was hit" not in said:
            ok(False, f"{names[0]} and {len(names) - 1} more: recorded", said)
        return 0
    addresses = sorted({p["sites"][0]["vaddr"] for p in probes.values()})
    fetches = {p["sites"][0]["vaddr"]: fetch_arguments(p) for p in probes.values()}
    with open(f"{folder}/fetches", "w", encoding="utf-8") as f:
        json.dump(fetches, f)
    stops = {address: {"scope": [], "entry": [], "body": []} for address in addresses}
    stop_at(argv, addresses, stops, o, folder)
    compare(events, probes, stops, c)
    return len(events)


# ---- returns -----------------------------------------------------------------------------------

def pattern(name):
    """The function as a glob: then missing values are reported, while a name is refused."""
    return re.sub(r"[*?[]", r"[\g<0>]", name[:-1]) + f"[{name[-1]}]"


def record_returns(argv, names, calls, path):
    """Like record(), with all events in one list. Removes names without a return probe from
    names."""
    while names:
        inputs = []
        for n in names:
            inputs += ["-i", f"uprobe:{argv[0]}:{pattern(n)} sp=%sp:x64",
                       "-i", f"uprobe:{argv[0]}:{pattern(n)}%return sp=%sp:x64 $retval"]
        said = run(f"{BUILD}/trawl", "-B", "65536", "-w", path, *inputs, "--", "setarch", "-R",
                   "env",
                   "-i", *argv, timeout=TIMEOUT, stdin=standard_input()).stderr
        refused = [n for n in names if f":{pattern(n)}%return" in said.split("events captured")[0]]
        if not refused or "events captured" in said:
            break
        for n in refused:
            names.remove(n)
    probes = {}
    events = list(first_calls(path, calls, probes)) if names else []
    return events, probes, said


def first_calls(path, most, probes):
    """Yields the events of the first calls of each function: entries and their exits. Fills
    probes."""
    calls = returns.Calls()
    for name, line in decoded(path):
        if name not in probes:
            probes[name] = probe_of(name, path)
        event = json.loads(line)
        m = returns.EXITS.match(name)
        if m:
            n, _ = calls.leave(m[1], event, m[2] in ("unwind", "longjmp"),
                               probes[name]["kind"] == "uretprobe")
        else:
            calls.enter(name, {"tid": event["tid"], "fields": event["fields"]})
            n = calls.count[name]
        if n is None or n < most:
            yield event


def check_returns(argv, names, o, folder, c):
    """Compares the returns of these functions: (number called, number without a return probe)."""
    asked = list(names)
    events, probes, said = record_returns(argv, asked, o.calls, f"{folder}/trawl")
    # trawl refused all because of one, whose name is too long: find it by halving.
    if asked and "events captured" not in said:
        if len(names) == 1:
            return 0, 1
        halves = names[:len(names) // 2], names[len(names) // 2:]
        return tuple(map(sum, zip(*(check_returns(argv, half, o, folder, c) for half in halves))))
    entries = sorted({p["sites"][0]["vaddr"] for name, p in probes.items()
                      if not returns.EXITS.match(name)})
    if not entries:
        if "no probe was hit" not in said and asked:
            ok(False, f"{names[0]} and {len(names) - 1} more: returns recorded", said)
        return 0, len(names) - len(asked)
    values, whole = returns.finishes(argv, entries, f"{folder}/finish", o.calls,
                                            standard_input())
    if not whole:
        print(f"# gdb ended before the program, with {len(entries)} functions from {names[0]}")
    wrong, exact, absent, unknown, _ = returns.compare(events, probes, values)
    seen = len(values)
    # A value that differs between runs of gdb is not compared.
    for _ in range(RUNS if wrong else 0):
        time.sleep(1)
        again, _ = returns.finishes(argv, entries, f"{folder}/finish", o.calls,
                                            standard_input())
        values = {k: v for k, v in values.items() if again.get(k, v) == v}
        wrong, exact, absent, unknown, _ = returns.compare(events, probes, values)
    c.wrong += wrong
    c.exact += exact
    c.absent += absent
    c.unknown += unknown
    c.varying += seen - len(values)
    return len(entries), len(names) - len(asked)


def all_returns(argv, names, o, folder):
    c, called, refused = Repeated(), 0, 0
    for i in range(0, len(names), o.batch):
        n, more = check_returns(argv, names[i:i + o.batch], o, folder, c)
        called, refused = called + n, refused + more
    ok(c.exact and not c.wrong, f"{os.path.basename(argv[0])}: returns of {called} of {len(names)} "
       f"functions, {c.exact} equal gdb's finish, {c.absent} have no value, {c.unknown} not among "
       f"gdb's "
       f"first {o.calls} calls or not shown by it, {c.varying} another one each time; {refused} "
       f"functions "
       "have no return probe", *c.wrong[:40])


# ---- the program -------------------------------------------------------------------------------

def options():
    p = argparse.ArgumentParser()
    p.add_argument("-v", action="store_true")
    p.add_argument("--only-params", action="store_true")
    p.add_argument("--only-returns", action="store_true")
    p.add_argument("--calls", type=int, default=8)
    p.add_argument("--batch", type=int, default=300)
    p.add_argument("--max", type=int, default=100000)
    p.add_argument("--only", default="*")
    p.add_argument("--stdin")
    p.add_argument("program", nargs=argparse.REMAINDER)
    return p.parse_args()


def main():
    o = options()
    if o.stdin:
        STDIN.append(o.stdin)
    if os.geteuid() or not os.path.exists("/sys/kernel/tracing/uprobe_events"):
        return skip_all("needs root and uprobes")
    if not shutil.which("gdb"):
        return skip_all("gdb is not installed")
    if any(" " in word for word in o.program):
        sys.exit("program.py: gdb does not pass arguments with blanks on; give the program a file")
    found = shutil.which(o.program[0]) if o.program else None
    if not found:
        sys.exit(f"program.py: {' '.join(o.program[:1]) or 'PROGRAM'}: no such program; "
                 "write a name in $PATH, or a path")
    argv = [os.path.realpath(found), *o.program[1:]]
    names = functions(argv[0], o.only, o.max)
    if not o.only_returns:
        all_params(argv, names, o)
    if not o.only_params:
        with tempfile.TemporaryDirectory(dir=os.environ.get("ZOO_FOLDER")) as folder:
            all_returns(argv, functions(argv[0], o.only, o.max, False), o, folder)
    return finish()


def all_params(argv, names, o):
    c, called = Repeated(), 0
    with tempfile.TemporaryDirectory(dir=os.environ.get("ZOO_FOLDER")) as folder:
        for i in range(0, len(names), o.batch):
            called += check_batch(argv, names[i:i + o.batch], o, folder, c)
    ok(c.exact and not c.wrong and 2 * c.missed < called,
       f"{os.path.basename(argv[0])}: of {len(names)} functions {called} were "
       f"called, {c.exact} values equal gdb's, {c.absent} said to be unavailable, {c.unknown} "
       f"unknown "
       f"to gdb, {c.varying} equal at its stop but not from run to run; {c.missed} functions were "
       f"not called under gdb", *c.wrong)
    for name, why in c.why.items() if o.v else ():
        print(f"#   {name}: {why}")
    for where, n in c.unshown.items() if o.v else ():
        print(f"#   not shown by gdb, {n} times: {where}")


if __name__ == "__main__":
    sys.exit(main())
