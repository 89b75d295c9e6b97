#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Any program with debug information as one of the zoo: no value of its functions' parameters that
trawl marks as exact differs from what gdb shows at the same stop.

	program.py [-v] [--calls N] [--batch N] [--max N] [--only GLOB] PROGRAM [ARG ...]
	make zoo-check PROGRAM='PROGRAM ARG ...'

The program runs twice with the same memory layout and an empty environment: under trawl, and under
gdb. Where a value is another one each time (times, seeds, threads), gdb's is compared with what trawl's
definition reads at gdb's stop. The first calls (--calls) of each function are compared, of at
most --max functions, evenly chosen, so many in a run (--batch). It ends with 1 if a value differs.
"""
import argparse
import fnmatch
import glob
import json
import os
import shutil
import sys
import tempfile
from subprocess import DEVNULL

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from run import BUILD, Comparison, equal, finish, gdb_run, ok, run, skip_all  # noqa: E402

TIMEOUT = 900  # seconds for one run of the program


def functions(program, only):
    """Specs of the functions that have parameters and a name of their own."""
    prefix = f"uprobe:{program}:"
    found = json.loads(run(f"{BUILD}/trawl", "--json", "-D", prefix + "*", timeout=600).stdout)
    names = [f["name"][len(prefix):] for f in found if f["args"]]
    return [n for n in dict.fromkeys(names) if "#" not in n and fnmatch.fnmatch(n, only)]


def record(argv, names, calls, path):
    """({event name: first calls}, {event name: metadata of its probe}, trawl's stderr)"""
    inputs = [w for n in names for w in ("-i", f"uprobe:{argv[0]}:{n} $params")]
    said = run(f"{BUILD}/trawl", "-B", "65536", "-w", path, *inputs, "--", "setarch", "-R", "env",
               "-i", *argv, timeout=TIMEOUT, stdin=DEVNULL).stderr
    decode = f"{BUILD}/trawl-decode"
    events = {}
    for line in run(decode, "--json", path, timeout=TIMEOUT).stdout.splitlines():
        event = json.loads(line)
        of = events.setdefault(event["name"], [])
        if len(of) < calls:
            of.append(event)
    probes = {name: json.loads(run(decode, f"--meta=probe/uprobe/{glob.escape(name)}", path).stdout)
              for name in events}
    return events, probes, said


class Repeated(Comparison):
    """Of two runs. Where they differ, what trawl's definition reads at gdb's stop counts."""

    def __init__(self):
        super().__init__()
        self.varying = 0
        self.fetched = {}

    def value(self, where, ours, theirs):
        name = where.rsplit(" ", 1)[1]
        there = self.fetched.get(name)
        if None not in (ours, theirs, there) and not equal(ours, theirs) and equal(there, theirs):
            self.varying += 1
        else:
            super().value(where, ours, theirs)


def fetch_arguments(probe):
    """{parameter: fetch argument} of those whose field is the value as it is."""
    args = zip(probe["args"], probe["sites"][0]["args"])
    return {a.get("label", a["name"]): s["fetch"] for a, s in args
            if s["state"] == "exact" and a["show"] != "float"}


def compare(events, probes, stops, c):
    for name, calls in events.items():
        site = probes[name]["sites"][0]
        stop = stops[site["vaddr"]]
        scope = stop["scope"][0] if stop["scope"] else []
        for n, event in enumerate(calls):
            entry, body, c.fetched = (stop[w][n] if n < len(stop.get(w, [])) else {}
                                      for w in ("entry", "body", "fetched"))
            c.call(f"{name} at {site['vaddr']:#x}, call {n + 1}", event, entry, body, scope, False)
        for arg in site["args"]:
            if arg["state"] == "unavailable":
                c.why[f"{name}: {arg['name']}"] = arg["why"]


def check_batch(argv, names, o, folder, c):
    """How many functions were called."""
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
    if not gdb_run(argv, addresses, stops, f"{folder}/gdb", o.calls, f"{folder}/fetches"):
        print(f"# gdb ended before the program, with {len(addresses)} functions from {names[0]}")
    compare(events, probes, stops, c)
    return len(events)


def options():
    p = argparse.ArgumentParser()
    p.add_argument("-v", action="store_true")
    p.add_argument("--calls", type=int, default=8)
    p.add_argument("--batch", type=int, default=300)
    p.add_argument("--max", type=int, default=100000)
    p.add_argument("--only", default="*")
    p.add_argument("program", nargs=argparse.REMAINDER)
    return p.parse_args()


def main():
    o = options()
    if os.geteuid() or not os.path.exists("/sys/kernel/tracing/uprobe_events"):
        return skip_all("needs root and uprobes")
    if not shutil.which("gdb"):
        return skip_all("gdb is not installed")
    argv = [os.path.realpath(shutil.which(o.program[0])), *o.program[1:]]
    names = functions(argv[0], o.only)
    if len(names) > o.max:
        names = [names[i * len(names) // o.max] for i in range(o.max)]
    c, called = Repeated(), 0
    with tempfile.TemporaryDirectory(dir=os.environ.get("ZOO_FOLDER")) as folder:
        for i in range(0, len(names), o.batch):
            called += check_batch(argv, names[i:i + o.batch], o, folder, c)
    ok(c.exact and not c.wrong, f"{os.path.basename(argv[0])}: of {len(names)} functions {called} were "
       f"called, {c.exact} values equal gdb's, {c.absent} said to be unavailable, {c.unknown} unknown "
       f"to gdb, {c.varying} equal at its stop but not from run to run", *c.wrong)
    for name, why in c.why.items() if o.v else ():
        print(f"#   {name}: {why}")
    return finish()


if __name__ == "__main__":
    sys.exit(main())
