#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""between.py: reads a capture of dd as trawl-decode --json prints it. Its Nth call of read() was
after the system call before it and before the one that it makes: status 1 if the range of time that
the capture states for it says otherwise, up to the first loss after the first call."""
import json
import sys

times, calls, lost = [], [], False
for line in sys.stdin:
    item = json.loads(line)
    fields = item["fields"]
    if item["name"] == "syscalls:sys_enter_read" and (fields["fd"], fields["count"]) == (0, 1):
        times.append(item["ts_ns"])
    elif item["name"] == "branch:lost":
        lost = bool(calls)
    elif (fields.get("from_module"), fields.get("to_symbol")) == ("dd", "read") and not lost:
        calls.append((item["ts_ns"], item["ts_ns"] + fields["late_ns"]))
wrong = [n for n, (least, most) in enumerate(calls)
         if least > times[n] or most < (times[n - 1] if n else 0)]
print(f"{len(calls)} of {len(times)} calls, {len(wrong)} at another time, {wrong[:3]}")
sys.exit(not len(calls) > 100 or bool(wrong))
