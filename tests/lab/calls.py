# SPDX-License-Identifier: MIT
"""Compares the times of events about openat() with those of sys_enter_openat and sys_exit_openat,
and the times of other events with the kernel's text of the same buffers.

    calls.py FILE.json DUMP KERNEL.SOURCE...

The load counts up `dfd`, which identifies a call. An event at the begin of a call must lie between
the end of the task's previous call and the end of this one, an event at its end between its begin
and the begin of the task's next call. Times may differ by their bounds. Prints a line "STATUS TEXT"
for each kind of event."""
import collections
import json
import re
import sys

LOAD = range(1000000, 3000000)  # dfd of the load's calls
OF_BEGIN = "at:plain", "at:chosen"
OF_END = "at:exit", "at:some", "synth:open"

events = [json.loads(line) for line in open(sys.argv[1])]
by_task = {}
for e in events:
    if e["name"] in ("syscalls:sys_enter_openat", "syscalls:sys_exit_openat"):
        by_task.setdefault(e["tid"], []).append(e)

calls = {}
for list_ in by_task.values():
    list_.sort(key=lambda e: e["ts_ns"])
    for at, e in enumerate(list_):
        if e["name"] == "syscalls:sys_enter_openat" and e["fields"]["dfd"] in LOAD:
            calls[e["fields"]["dfd"]] = [
                list_[at - 1]["ts_ns"] if at else 0, e["ts_ns"],
                list_[at + 1]["ts_ns"] if at + 1 < len(list_) else 1 << 63,
                next((x["ts_ns"] for x in list_[at + 1:] if x["name"] == e["name"]), 1 << 63)]

for name in OF_BEGIN + OF_END:
    own = [e for e in events if e["name"] == name and e["fields"]["dfd"] in LOAD]
    early = late = 0
    for e in own:
        before, begin, end, following = calls[e["fields"]["dfd"]]
        low, high = (before, end) if name in OF_BEGIN else (begin, following)
        slack = e.get("bound_ns", 0)
        early = max(early, low - slack - e["ts_ns"])
        late = max(late, e["ts_ns"] - high - slack)
    wanted = [dfd for dfd in calls if name != "at:some" or dfd & 16]
    print(int(sorted(e["fields"]["dfd"] for e in own) != sorted(wanted)),
          f"{name}: one event for each of {len(wanted)} calls ({len(own)})")
    print(int(early > 0), f"{name}: none is earlier than it can be ({early} ns)")
    print(int(late > 0), f"{name}: none is later than it can be ({late} ns)")
for source in sorted({e["source"] for e in events}):
    times = [e["ts_ns"] for e in events if e["source"] == source]
    print(int(times != sorted(times)), f"{source}: in order")

# The kernel's text has rounded microseconds. Some kernels lose the time before a discarded record,
# so that the next event is too early in the text. A probe on an event runs before the event is
# recorded, and has its own buffer: a text that is earlier than the probe of the same call is wrong.
stamps, probed = collections.Counter(), {}  # probed: {(probe, dfd): microseconds}
for line in open(sys.argv[2]):
    if line.startswith('{"event"'):
        e = json.loads(line)["event"]
        us = (e["ts"] + 500) // 1000
        stamps[e["cpu"], e["common"]["common_pid"], us] += 1
        if e["type"] in ("at:plain", "at:exit"):
            probed[e["type"], e["fields"]["dfd"]] = us


def text_lines(path):
    """(CPU, task, microseconds) of each line, and whether it is earlier than its call's probe."""
    calling = {}  # {task: its current call}
    for line in open(path):
        m = re.match(r" *\S.*-(\d+) +\[(\d+)\] \S+ +(\d+)\.(\d{6}): (.*)", line)
        if not m:
            continue
        pid, us = int(m[1]), int(m[3] + m[4])
        entry = re.match(r"sys_openat\(dfd: ([0-9a-f]+),", m[5])
        if entry:
            calling[pid] = int(entry[1], 16)
        probe = "at:plain" if entry else "at:exit" if m[5].startswith("sys_openat ->") else None
        yield (int(m[2]), pid, us), us < probed.get((probe, calling.get(pid)), 0)


for path in sys.argv[3:]:
    lines = dict(text_lines(path))
    missing = [line for line in lines if not stamps[line]]
    early = sum(lines[line] for line in missing)
    print(int(len(lines) < 100 or len(missing) > early),
          f"{path}: each of {len(lines)} times of the kernel's text is an event's ({len(missing)} "
          f"are not, {early} of them before the probe on their own event)")
