# SPDX-License-Identifier: MIT
"""The URBs of a capture with usbmon, xhci_urb_enqueue and xhci_urb_giveback (trawl-decode --json
--raw --bounds): prints how many pairs of times of one URB there are, how many of them are out of
order by more than their bounds, the closest in ns (below 0: in order), and how many have bounds
below 10 us."""
import json
import sys
events = [json.loads(line) for line in open(sys.argv[1])]
# Of one URB: submission (usbmon), enqueue (xhci), giveback (xhci), completion (usbmon).
stamps = {}
for e in events:
    f = e["fields"]
    if e["source"] == "usb" and "id" in f:
        urb, what = f["id"], f["type"]
    elif e["name"] in ("xhci-hcd:xhci_urb_enqueue", "xhci-hcd:xhci_urb_giveback"):
        urb, what = f["urb"], "e" if e["name"].endswith("enqueue") else "g"
    else:
        continue
    urb = int(urb, 16) if isinstance(urb, str) else urb
    stamps.setdefault(urb, {}).setdefault(what, []).append((e["ts_ns"], e["bound_ns"]))
checked = broken = tight = 0
worst = -1 << 62
for urb, s in stamps.items():
    for first, second in (("S", "e"), ("g", "C")):
        a, b = s.get(first, []), s.get(second, [])
        if len(a) != len(b):
            continue
        for (t1, b1), (t2, b2) in zip(a, b):
            checked += 1
            tight += b1 + b2 < 10000
            worst = max(worst, t1 - t2)
            broken += t1 - t2 > b1 + b2
print(checked, broken, worst, tight)
