# SPDX-License-Identifier: MIT
# Records the kernel's own text of its events, including those of USB and its disks. The second half
# compares it with trawl-decode's text of the file.
# long: 6.1 6.12
. "$TRAWL_SRC/tests/lab/lab.sh"
modprobe usbmon
mkdir here
/usr/bin/python3 "$TRAWL_SRC/tests/cli/kerneltext.py" record here \
	"dd if=/dev/$(disks | head -1) of=/dev/null bs=64k count=4 iflag=direct"
status=$?
cp here/x.trawl here/trace here/shell here/unknown "$LAB_KEEP/"
exit $status
