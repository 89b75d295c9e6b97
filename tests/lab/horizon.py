#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""horizon.py FILE: prints how many chunks there are, how many of them after a horizon that is later
than the begin, and how many have an event from before the horizon that was stated before them;
status 1 if there are such."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
sys.dont_write_bytecode = True
import reader  # noqa: E402

with open(sys.argv[1], "rb") as f:
    sections = reader.Reader(f.read()).sections
chunks = after = early = 0
for s in sections:
    for at, _, _, first, *_ in s.chunks:
        horizon = max((sync.horizon for sync in s.syncs if sync.at < at), default=0)
        chunks += 1
        after += horizon > s.syncs[0].mono
        early += first < horizon
        if first < horizon:
            print(f"# {(horizon - first) / 1e6:.0f} ms before the horizon")
print(f"{chunks} chunks, {after} after a horizon, {early} too early")
sys.exit(1 if early else 0)
