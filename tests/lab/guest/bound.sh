# SPDX-License-Identifier: MIT
# The error bound of the timeline, proved: usbmon stamps in CLOCK_REALTIME, the ring buffer in
# CLOCK_MONOTONIC. A URB is seen by usbmon, then enqueued by the controller's driver (xhci), given
# back by it, and seen by usbmon again, while the wall clock is set forth and back. The second half
# looks at the times.
# long: 6.12
. "$TRAWL_SRC/tests/tap.sh"
. "$TRAWL_SRC/tests/lab/lab.sh"

modprobe usbmon
disk=$(disks | head -1)
trawl -w urbs.trawl -i usb -i 'event:xhci-hcd:xhci_urb_enqueue' \
	-i 'event:xhci-hcd:xhci_urb_giveback' 2>said &
pid=$!
armed() {
	grep -q 'capturing to' said
}
wait_for armed
for step in '+1 hour' '-2 hours' '+0 sec'; do
	dd if=/dev/$disk of=/dev/null bs=64k count=16 iflag=direct status=none
	date -s "$step" >/dev/null
	dd if=/dev/$disk of=/dev/null bs=64k count=16 iflag=direct status=none
	sleep 0.3
done
# Set back by less than what lies between two clock-sync blocks, while URBs come and go all the
# time: times of the wall clock come twice.
/usr/bin/python3 - "/dev/$disk" <<'PY'
import mmap
import os
import sys
import time
disk = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT)
memory = mmap.mmap(-1, 4096)
for step in -0.4, -0.02, 0.3, -1.2, -0.7:
    end = time.monotonic() + 0.6
    while time.monotonic() < end:
        os.preadv(disk, [memory], 0)
    time.clock_settime(time.CLOCK_REALTIME, time.time() + step)
    for i in range(100):
        os.preadv(disk, [memory], 0)
PY
ok $? "the wall clock is set by fractions of a second while the disk is read"
# Bounds are tight where a whole second between two clock-sync blocks had no step.
sleep 2
dd if=/dev/$disk of=/dev/null bs=64k count=16 iflag=direct status=none
sleep 2
kill -INT $pid
wait $pid
ok $? "usbmon and the controller's driver record the same URBs"
cp urbs.trawl "$LAB_KEEP/"
tap_done
