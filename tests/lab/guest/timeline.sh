# SPDX-License-Identifier: MIT
# All sources in one capture, and the wall clock set in the middle of it: usbmon stamps in
# CLOCK_REALTIME, the ring buffer in CLOCK_MONOTONIC, and the events of one URB must stay in order.
. "$TRAWL_SRC/tests/tap.sh"
. "$TRAWL_SRC/tests/lab/lab.sh"

modprobe usbmon
disk=$(disks | head -1)
cat >load.sh <<END
for i in 1 2 3 4 5 6; do
	dd if=/dev/$disk of=/dev/null bs=64k count=16 iflag=direct status=none
	[ \$i = 2 ] && date -s '+1 hour' >/dev/null
	[ \$i = 4 ] && date -s '-2 hours' >/dev/null
	$TRAWL_BUILD/samples/tick 5 1000 >/dev/null
	sleep 0.4
done
END
trawl -w all.trawl -i usb -i 'eprobe:block.block_rq_issue dev=$dev $sector $bytes $rwbs' \
	-i "usdt:$TRAWL_BUILD/samples/tick:tick:loop" -i event:sched:sched_switch \
	-i 'event:xhci-hcd:xhci_urb_enqueue' -i 'event:xhci-hcd:xhci_urb_giveback' \
	-- bash load.sh 2>said
ok $? "usb, eprobe, usdt and events record together, through two steps of the clock"
sed 's/^/# /' said
trawl-decode --json --raw --bounds all.trawl >all.json 2>decoded
ok $? "and decode"
cp all.trawl "$LAB_KEEP/"

/usr/bin/python3 - <<'END' >result
import json
counts, last, wrong = {}, 0, 0
events = [json.loads(line) for line in open("all.json")]
waits, ahead, pairs = {}, [], [0, 0]
for e in events:
    counts[e["source"]] = counts.get(e["source"], 0) + 1
    wrong += e["ts_ns"] < last
    last = e["ts_ns"]
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
    urb = int(str(urb), 16) if isinstance(urb, str) else urb
    stamps.setdefault(urb, {}).setdefault(what, []).append((e["ts_ns"], e.get("bound_ns", 0)))
checked = worst = broken = 0
for urb, s in stamps.items():
    for first, second in (("S", "e"), ("g", "C")):
        a, b = s.get(first, []), s.get(second, [])
        if len(a) != len(b):
            continue
        for (t1, b1), (t2, b2) in zip(a, b):
            checked += 1
            worst = max(worst, t1 - t2)
            broken += t1 - t2 > b1 + b2
print(json.dumps(counts))
print(wrong, checked, broken, worst)
END
{ read -r counts; read -r wrong checked broken worst; } <result
for source in usb eprobe usdt event; do
	has "$source has its events" "$counts" "\"$source\": [1-9]"
done
same "no event is out of its order" 0 "$wrong"
[ "${checked:-0}" -gt 50 ]
ok $? "URBs seen by usbmon and by the controller's driver: $checked pairs"
same "none is out of order by more than the stated bounds (worst $worst ns)" 0 "$broken"
tap_done
