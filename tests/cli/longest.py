#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""trawl-decode --summary: the longest spans between pairs of events are those computed from the
events themselves, and the page has the same spans."""
import json
import os
import re
import subprocess
import sys
import tempfile

src, build = os.environ["TRAWL_SRC"], os.environ["TRAWL_BUILD"]
sys.path.insert(0, f"{src}/tests")
import tap

if os.geteuid() or not os.path.exists("/sys/kernel/tracing/events/syscalls"):
    sys.exit(tap.skip_all("needs root and tracefs"))
tmp = tempfile.TemporaryDirectory()
file = f"{tmp.name}/x.trawl"
names = ("clock_nanosleep", "read", "wait4")
sources = [a for n in names for w in ("enter", "exit")
           for a in ("-i", f"event:syscalls:sys_{w}_{n}")]
script = "for i in 1 2 3; do sleep 0.0$i; done; sleep 0.2 & sleep 0.1; wait; cat /proc/self/status /etc/passwd"
p = subprocess.run(["trawl", "-w", file, *sources, "--", "sh", "-c", script], capture_output=True,
                   text=True)
tap.same(0, p.returncode, f"recorded: {p.stderr[-200:]}")
events = [json.loads(l) for l in subprocess.run(["trawl-decode", "--json", file],
                                                capture_output=True).stdout.splitlines()]
text = subprocess.run(["trawl-decode", "--summary", file], capture_output=True, text=True).stdout
section = text.split("the longest of each kind")[1].split("\nlosses")[0].splitlines()[1:]

open_, spans = {}, {}
for e in events:
    what, name = e["name"].split(":sys_")[1].split("_", 1)
    if what == "enter":
        open_[e["tid"], name] = e["ts_ns"]
    elif (e["tid"], name) in open_:
        spans.setdefault(name, []).append(e["ts_ns"] - open_.pop((e["tid"], name)))
tap.ok(len(spans["clock_nanosleep"]) == 5, "five sleeps are in it",
       {k: len(v) for k, v in spans.items()})
order = sorted(spans, key=lambda n: -max(spans[n]))
tap.same([f"syscalls:sys_exit_{n}" for n in order],
         [l.split(" to ")[1] for l in section if " from " in l], "in the order of the longest")
for n in order:
    i = next(i for i, l in enumerate(section)
             if l.endswith(f"from syscalls:sys_enter_{n} to syscalls:sys_exit_{n}"))
    number, unit = section[i].split()[:2]
    ns = float(number) * {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}[unit]
    tap.ok(abs(ns / max(spans[n]) - 1) < 0.01, f"{n}: the longest", section[i], max(spans[n]))
    tap.ok(f"; {len(spans[n])} in all" in section[i + 1], f"{n}: how many", section[i + 1],
           len(spans[n]))
    line = section[i + 2].strip()
    field = {"clock_nanosleep": "which_clock=", "read": "fd=", "wait4": "upid="}[n]
    tap.ok(line.startswith("began with ") and field in line, f"{n}: the fields of its beginning",
           line, field)
    if len(spans[n]) > 1:
        number, unit = section[i + 1].split("median about ")[1].split()
        half = sorted(spans[n])[(len(spans[n]) - 1) // 2]
        tap.ok(
            abs(float(number) * {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}[unit] / half - 1) < 0.07,
            f"{n}: the median", number, unit, half)
    slow = [l for l in section[i + 3:i + 9] if re.match(r"    (then |     )\S+ \w+ (of .*; )?ended ", l)]
    slow = slow[:min(4, len(spans[n]) - 1)]
    took = [float(a) * {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}[u]
            for a, u in (l.replace("then", "").split()[:2] for l in slow)]
    tap.ok(len(took) == min(4, len(spans[n]) - 1) and
           all(abs(x / y - 1) < 0.01 for x, y in zip(took, sorted(spans[n])[-2::-1])),
           f"{n}: the next longest, with time and task", slow, sorted(spans[n])[-5:])
    tap.ok(all(re.search(r" (in|while this ran:) .+-\d+$", l) for l in slow), f"{n}: whose", slow)

# ---- the task that woke another one ended its wait
p = subprocess.run(["trawl", "-w", file, "-i", "event:syscalls:sys_enter_read", "-i",
                    "event:syscalls:sys_exit_read", "-i", "event:sched:sched_waking", "--", "bash",
                    "-c", "sleep 0.3 | cat; true"],
                   capture_output=True, text=True)
events = [json.loads(l) for l in subprocess.run(["trawl-decode", "--json", file],
                                                capture_output=True).stdout.splitlines()]
text = subprocess.run(["trawl-decode", "--summary", file], capture_output=True, text=True).stdout
line = re.search(r"slept until .* before its end, when it was woken while this ran: (\S+)", text)
cat = {e["tid"] for e in events if e["name"].endswith("read") and e["comm"] == "cat"}
by = [f"{e['comm']}-{e['tid']}" for e in events
      if e["name"] == "sched:sched_waking" and e["fields"]["pid"] in cat]
tap.ok(line and line[1] in by, "the longest read was ended by what woke its task", line, by, text)
# A sleep is ended by the timer's interrupt: the task that it interrupts has nothing to do with it.
call = "event:syscalls:sys_{}_clock_nanosleep"
subprocess.run(["trawl", "-w", file, "-i", call.format("enter"), "-i", call.format("exit"), "-i",
                "event:sched:sched_waking", "--", "sleep", "0.2"], capture_output=True)
text = subprocess.run(["trawl-decode", "--summary", file], capture_output=True, text=True).stdout
tap.ok(re.search("before its end, when it was woken in hardirq, while this ran: ", text),
       "who was interrupted is not said to have woken a task", text)
two = f"{tmp.name}/two.trawl"
subprocess.run(["trawl", "-w", two, "-i", "event:syscalls:sys_enter_read", "-i",
                "event:block:block_rq_issue", "--", "cat", "/etc/passwd"],
               capture_output=True, check=True)
text = subprocess.run(["trawl-decode", "--summary", two], capture_output=True, text=True).stdout
lines = [l for l in text.splitlines() if ", resolution " in l]
tap.ok(lines and len(lines) == len(set(lines)), "each clock is mentioned once", lines)
sys.exit(tap.finish())
