#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""textsame.py [--old] THEIRS OURS: is every line of usbmon text THEIRS in OURS, one after the other?

Compared is everything but the time, which the kernel takes anew for each reader. OURS may hold
more lines before and after. With --old, only what the form with two colons has: no number of the
bus, no interval, start frame and error count after the status, no isochronous packets.
"""
import sys


def older(words):
    event, address, status, *rest = words
    kind, _, dev, ep = address.split(":")
    if kind[0] == "Z":
        rest = [word for word in rest[1:] if ":" not in word]
    return [event, kind, dev, ep, status.split(":")[0], *rest]


def lines(path):
    with open(path) as f:
        return [(w[0], older(w[2:]) if old else w[2:], int(w[1])) for w in map(str.split, f)]


old = sys.argv[1] == "--old"
del sys.argv[1:1 + old]
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
