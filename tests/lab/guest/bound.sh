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

/usr/bin/python3 "$TRAWL_SRC/tests/lab/urbs.py" urbs.json >result
read -r checked broken worst tight <result
[ "${checked:-0}" -gt 50 ]
ok $? "$checked pairs of times of the same URB"
[ "${tight:-0}" -gt 10 ]
ok $? "$tight of them within bounds of 10 us (the others are near a step)"
same "none is out of order by more than its bounds (the closest are $((-worst)) ns apart)" 0 "$broken"
tap_done
