# SPDX-License-Identifier: MIT
# The error bound of the timeline, proved: usbmon stamps in CLOCK_REALTIME, the ring buffer in
# CLOCK_MONOTONIC. A URB is seen by usbmon, then enqueued by the controller's driver (xhci), given
# back by it, and seen by usbmon again. While the wall clock is set forth and back, no pair of these
# may be out of order by more than the bounds that the file states.
. "$TRAWL_SRC/tests/tap.sh"
. "$TRAWL_SRC/tests/lab/lab.sh"

modprobe usbmon
disk=$(disks | head -1)
trawl -q -w urbs.trawl -i usb -i 'event:xhci-hcd:xhci_urb_enqueue' -i 'event:xhci-hcd:xhci_urb_giveback' &
pid=$!
armed() {
	grep -q 1 /sys/kernel/tracing/instances/trawl_${pid}_*_event/tracing_on
}
wait_for 10 armed
for step in '+1 hour' '-2 hours' '+0 sec'; do
	dd if=/dev/$disk of=/dev/null bs=64k count=16 iflag=direct status=none
	date -s "$step" >/dev/null
	dd if=/dev/$disk of=/dev/null bs=64k count=16 iflag=direct status=none
	sleep 0.3
done
# Bounds are tight where a whole second between two clock-sync blocks had no step.
sleep 2
dd if=/dev/$disk of=/dev/null bs=64k count=16 iflag=direct status=none
sleep 2
kill -INT $pid
wait $pid
ok $? "usbmon and the controller's driver record the same URBs"
trawl-decode --json --raw --bounds urbs.trawl >urbs.json
ok $? "and decode"
cp urbs.trawl "$LAB_KEEP/"

/usr/bin/python3 - <<'END' >result
import json
events = [json.loads(line) for line in open("urbs.json")]
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
END
read -r checked broken worst tight <result
[ "${checked:-0}" -gt 50 ]
ok $? "$checked pairs of times of the same URB"
[ "${tight:-0}" -gt 10 ]
ok $? "$tight of them within bounds of 10 us (the others are near a step)"
same "none is out of order by more than its bounds (the closest are $((-worst)) ns apart)" 0 "$broken"
tap_done
