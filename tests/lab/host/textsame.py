#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""textsame.py THEIRS OURS: is every line of usbmon text THEIRS in OURS, one after the other?

Compared is everything but the time, which the kernel takes anew for each reader. OURS may hold
more lines before and after.
"""
import sys


def lines(path):
    with open(path) as f:
        return [(line.split()[0], line.split()[2:], int(line.split()[1])) for line in f]


theirs, ours = lines(sys.argv[1]), lines(sys.argv[2])
if not theirs:
    raise SystemExit(f"{sys.argv[1]} is empty")
places = [i for i, line in enumerate(ours) if line[:2] == theirs[0][:2]]
if not places:
    raise SystemExit(f"their first line is not in ours: {theirs[0]}")
start = min(places, key=lambda i: abs(ours[i][2] - theirs[0][2]))
for i, line in enumerate(theirs):
    if start + i >= len(ours):
        raise SystemExit(f"ours ends after {i} of {len(theirs)} lines")
    if ours[start + i][:2] != line[:2]:
        raise SystemExit(f"line {i + 1} differs:\n{line}\n{ours[start + i]}")
print(f"{len(theirs)} lines are the same")
