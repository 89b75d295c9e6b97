#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""textsame.py [--old] THEIRS OURS: checks that OURS has every line of the usbmon text THEIRS, in
order.

Compares everything but the time, which the kernel reads again for each reader. OURS may have more
lines before and after. With --old, compares only what the form with two colons has: no number of
the bus, no interval, start frame and error count after the status, no isochronous packets.
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


def same_from(start):
    """How many of their lines equal ours from this place on."""
    return next((i for i, line in enumerate(theirs)
                 if [line[:2]] != [o[:2] for o in ours[start + i:start + i + 1]]), len(theirs))


# A line may occur again, and times cannot tell which it is: take the place from which most lines
# are equal.
start = max(places, key=same_from)
n = same_from(start)
if start + n >= len(ours) and n < len(theirs):
    raise SystemExit(f"ours ends after {n} of {len(theirs)} lines")
if n < len(theirs):
    raise SystemExit(f"line {n + 1} differs:\n{theirs[n]}\n{ours[start + n]}")
print(f"{n} lines are the same")
