# SPDX-License-Identifier: MIT
# The events of this kernel in its own words, those of USB and its disks among them.
. "$TRAWL_SRC/tests/lab/lab.sh"
modprobe usbmon
exec /usr/bin/python3 "$TRAWL_SRC/tests/cli/kerneltext.py" \
	"dd if=/dev/$(disks | head -1) of=/dev/null bs=64k count=4 iflag=direct"
