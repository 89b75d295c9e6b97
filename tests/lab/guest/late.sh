# SPDX-License-Identifier: MIT
# kernels: 6.12
# A source whose first event comes long after the start, and after the wall clock was set twice. The
# second half checks the times.
. "$TRAWL_SRC/tests/tap.sh"
. "$TRAWL_SRC/tests/lab/lab.sh"
modprobe usbmon
disk=$(disks | head -1)
start trawl trawl -w late.trawl -i usb -i event:sched:sched_process_exec \
	-i event:xhci-hcd:xhci_urb_enqueue \
	-i event:xhci-hcd:xhci_urb_giveback
wait_for grep -q 'capturing to' trawl.log
sleep 1.5
date -s '+1 hour' >/dev/null
sleep 2.5
date -s '-100 minutes' >/dev/null
sleep 3.5
from=$(date +%s%N)
dd if=/dev/"$disk" of=/dev/null bs=64k count=4 iflag=direct status=none
echo "first 2 $from $(date +%s%N)" >"$LAB_KEEP/marks"
sleep 1.2
finish trawl INT
ok $? "the capture is whole"
cp late.trawl "$LAB_KEEP/"
tap_done
