# SPDX-License-Identifier: MIT
# A proof of the bounds of times: usbmon uses CLOCK_REALTIME, the ring buffer CLOCK_MONOTONIC.
# usbmon sees a URB, the controller's driver (xhci) enqueues it and gives it back, and usbmon sees
# it again, while the wall clock is set forwards and backwards. The second half checks the order.
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
# The clock is set back by less than the time between two clock syncs, during continuous transfers:
# some times of the wall clock occur twice.
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
# Bounds are small if there is no step in a whole second between two clock syncs.
sleep 2
dd if=/dev/$disk of=/dev/null bs=64k count=16 iflag=direct status=none
sleep 2
kill -INT $pid
wait $pid
ok $? "usbmon and the controller's driver record the same URBs"
cp urbs.trawl "$LAB_KEEP/"
tap_done
