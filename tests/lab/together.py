#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""together.py FILE.trawl...: compares the events of a flight recorder's files with the kernel's own
text: they must have the same times and order, and occur once.

The text is that of two readers, first.* and last.*. The kernel called the recorder between them, so
each event lies between the times of its two texts, within its bound and the texts' microseconds.
The load is branchnumber: each turn calls spell(), whose branches spell the turn's number, and
sleeps. Prints a line "STATUS TEXT" for each kind of event."""
import bisect
import collections
import json
import os
import re
import statistics
import subprocess
import sys

DUMP = os.environ["TRAWL_BUILD"] + "/tests/format/dump"
ROUNDED = 500  # ns: of trace_pipe's microseconds
CUT = 1000     # ns: of usbmon's
BITS = 16
TURN = {"branchnumber:spell": "spell", "syscalls:sys_enter_nanosleep": "enter", "on:begin": "enter",
        "syscalls:sys_exit_nanosleep": "exit", "on:end": "exit", "synth:slept": "exit"}


def trace_text(path):
    """{kind: times of the turns in order}; the kinds are spell, enter and exit."""
    times = collections.defaultdict(list)
    for line in open(path):
        if m := re.match(r" *\S+ +\[\d+\] \S+ +(\d+)\.(\d{6}): (spell:|sys_nanosleep\(|sys_nanosleep ->)", line):
            kind = {"spell:": "spell", "sys_nanosleep(": "enter"}.get(m[3], "exit")
            times[kind].append(int(m[1] + m[2]) * 1000)
    return times


def usb_text(path):
    """{(URB, submission or completion): times in order, on CLOCK_MONOTONIC}"""
    times = collections.defaultdict(list)
    for line in open(path):
        urb, us, kind, *_ = line.split()
        times[int(urb, 16), kind].append(int(us) * 1000)
    return times


def events_of(path):
    """The events of a file with their times on CLOCK_MONOTONIC."""
    dump = subprocess.run([DUMP, path], stdout=subprocess.PIPE, text=True, check=True).stdout
    mono, real = map(int, re.search(r'^\{"sync":\[(\d+),(\d+),', dump, re.M).groups())
    # Branches are decoded one by one, other events as they were recorded.
    for only in ["--source", "branch"], ["--raw", "--where", 'source != "branch"']:
        text = subprocess.run(["trawl-decode", "--json", "--bounds", *only, path], stdout=subprocess.PIPE,
                              text=True, check=True).stdout
        for line in text.splitlines():
            e = json.loads(line)
            yield e | {"mono": e["ts_ns"] - real + mono}


def said(bad, text):
    print(int(bool(bad)), text)


def check_turns(name, events, first, last):
    kind = TURN[name]
    outside, widths = [], []
    for e, one, two in zip(events, first[kind], last[kind]):
        low, high = min(one, two) - ROUNDED, max(one, two) + ROUNDED
        widths.append(high - low)
        if not low <= e["mono"] + e["bound_ns"] or not e["mono"] - e["bound_ns"] <= high:
            outside.append((e["mono"] - low, e["mono"] - high))
    times = [e["mono"] for e in events]
    said(times != sorted(times) or len(times) < 1000, f"{name}: {len(times)}, in order")
    said(outside, f"{name}: each between the two texts of its turn, {statistics.median(widths)} ns in "
         f"the median ({len(outside)} are not: {outside[:3]})")


def check_branches(events, first, last):
    """Each run of 16 branches that spells a number lies between that turn's probe and system
    call."""
    names = {e["fields"].get("to_symbol", "").split("+")[0] for e in events}
    bits, numbers, outside = "", [], []
    late = 0
    for e in events:
        f = e["fields"]
        if not f.get("from_symbol", "").startswith("spell") or f["kind"] not in ("jcc", "jmp"):
            bits = ""
            continue
        bits += "01"[f["kind"] == "jcc"]
        begin = e["mono"] if len(bits) == 1 else begin
        if len(bits) < BITS:
            continue
        number = int(bits, 2)
        numbers.append(number)
        low = min(first["spell"][number - 1], last["spell"][number - 1]) - ROUNDED - e["bound_ns"]
        high = max(first["enter"][number - 1], last["enter"][number - 1]) + ROUNDED + e["bound_ns"]
        late = max(late, f.get("late_ns", 0))
        if e["mono"] + f.get("late_ns", 0) < low or begin > high:
            outside.append((number, begin - low, e["mono"] - high))
    said("spell" not in names or len(numbers) < 1000 or
         numbers != list(range(numbers[0], numbers[0] + len(numbers))),
         f"branches: {len(numbers)} turns spelled, in order, each once")
    said(outside, f"branches: each within its turn's time, up to {late} ns stated "
         f"({len(outside)} are not: {outside[:3]})")


def check_usb(events, first, last):
    """The events that both texts have; a reader that came later or left earlier lacks some."""
    seen, outside = 0, []
    for e in events:
        key = e["fields"]["id"], e["fields"]["type"]
        if not last[key]:
            continue
        one, two = first[key][-len(last[key]):], last[key]
        time, bound = e["mono"], e["bound_ns"] + CUT
        # The last text before the event and the first after it must be those of one event.
        before = bisect.bisect_right(one, time + bound) - 1
        after = bisect.bisect_left(two, time - bound)
        if after == 0 and before < 0:
            continue
        seen += 1
        if before != after:
            outside.append((time, one[before], two[after] if after < len(two) else None))
    times = [e["mono"] for e in events]
    said(times != sorted(times) or seen < 500, f"usb: {seen} of {len(times)} have two texts, in order")
    said(outside, f"usb: each between them ({len(outside)} are not: {outside[:3]})")


def check_order(path):
    """The events of all sources are in the order of their times. A transfer without a completion is
    an exception: it is shown later, when that is known."""
    text = subprocess.run(["trawl-decode", "--json", path], stdout=subprocess.PIPE, text=True,
                          check=True).stdout
    events = [(e["ts_ns"], e["source"]) for e in map(json.loads, text.splitlines())
              if e["fields"].get("end") not in ("pending", "unanswered")]
    wrong = [two for two in zip(events, events[1:]) if two[0][0] > two[1][0]]
    turns = sum(a[1] != b[1] for a, b in zip(events, events[1:]))
    said(wrong or turns < 100, f"{path}: {len(events)} events, the source changes {turns} times, in "
         f"order of time ({len(wrong)} are not: {wrong[:3]})")


def check_sequence(events):
    """Each turn calls spell(), then sleeps: events of all sources are in this order, within
    bounds."""
    sequence = sorted(TURN, key=lambda name: ("spell", "enter", "exit").index(TURN[name]))
    wrong = [(one["name"], two["name"], two["mono"] - one["mono"])
             for turn in zip(*(events[name] for name in sequence))
             for one, two in zip(turn, turn[1:])
             if TURN[one["name"]] != TURN[two["name"]] and
             two["mono"] + two["bound_ns"] < one["mono"] - one["bound_ns"]]
    said(wrong, f"the call, the sleep and its end are in order across sources in each turn "
         f"({len(wrong)} are not: {wrong[:3]})")


def main():
    events = collections.defaultdict(list)
    for path in sys.argv[1:]:
        for e in events_of(path):
            events[e["name"] if e["name"] in TURN else e["source"]].append(e)
    first, last = trace_text("first.trace"), trace_text("last.trace")
    numbers = [e["fields"]["n"] for e in events["branchnumber:spell"]]
    said(numbers != list(range(1, len(numbers) + 1)), f"{len(numbers)} turns are in the files, each once")
    for name in TURN:
        check_turns(name, events[name], first, last)
    check_sequence(events)
    for path in sys.argv[1:]:
        check_order(path)
    check_branches(events["branch"], first, last)
    check_usb(events["usb"], usb_text("first.usb"), usb_text("last.usb"))


main()
