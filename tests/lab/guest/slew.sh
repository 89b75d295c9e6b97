# SPDX-License-Identifier: MIT
# The clocks are slewed in every way of adjtimex(2) up to its limits, and end with a leap second,
# during USB transfers: usbmon uses CLOCK_REALTIME, the ring buffer CLOCK_MONOTONIC. The second half
# checks the times.
# long: 6.1 6.12
. "$TRAWL_SRC/tests/tap.sh"
. "$TRAWL_SRC/tests/lab/lab.sh"

modprobe usbmon
disk=$(disks | head -1)
start trawl trawl -w slew.trawl -i usb -i event:xhci-hcd:xhci_urb_enqueue \
	-i event:xhci-hcd:xhci_urb_giveback
wait_for grep -q 'capturing to' trawl.log
/usr/bin/python3 "$TRAWL_SRC/tests/lab/slew.py" "/dev/$disk" >"$LAB_KEEP/slews"
ok $? "the clocks are slewed and a leap second is inserted while the disk is read"
finish trawl INT
ok $? "the capture is whole"
cp slew.trawl "$LAB_KEEP/"
tap_done
