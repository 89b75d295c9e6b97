# SPDX-License-Identifier: MIT
"""queued.py VID:PID: prints "ENDPOINT N" for each endpoint of that device in a capture
(trawl-decode --json --raw on standard input): N is the largest number of reads that waited at once.
Control transfers and reads that the host cancelled do not count."""
import json
import sys

vid, pid = sys.argv[1].split(":")
GIVEN_UP = -2, -104, -108
begun, ended = {}, []
for n, line in enumerate(sys.stdin):
    f = json.loads(line)["fields"]
    if (f.get("vid"), f.get("pid")) != (vid, pid) or f["xfer"] == "control" or f["dir"] != "in":
        continue
    key = f["bus"], f["dev"], f["ep"], f["id"]
    if f["type"] == "S":
        begun[key] = n
    elif key in begun:
        since = begun.pop(key)
        if f["status"] not in GIVEN_UP:
            ended += [(f["ep"], since, 1), (f["ep"], n, -1)]
now, most = {}, {}
for ep, _, by in sorted(ended, key=lambda x: x[1]):
    now[ep] = now.get(ep, 0) + by
    most[ep] = max(most.get(ep, 0), now[ep])
for ep, n in sorted(most.items()):
    print(ep, n)
