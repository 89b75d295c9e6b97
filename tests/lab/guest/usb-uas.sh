# SPDX-License-Identifier: MIT
# A disk that speaks UAS: commands, statuses and data on four pipes, several at once.
# tests/lab/host/usb-uas.sh compares trawl-decode's fields with Wireshark's.
# kernels: 6.12
. "$TRAWL_SRC/tests/tap.sh"
. "$TRAWL_SRC/tests/lab/lab.sh"
modprobe -a usbmon uas

record uas ""
host \
	'{"execute": "blockdev-add", "arguments": {"driver": "null-co", "node-name": "nothing", "size": 16777216, "read-zeroes": true}}' >/dev/null
host device_add usb-uas,bus=xhci.0,port=5,id=uas >/dev/null
host device_add scsi-hd,bus=uas.0,drive=nothing,id=uasdisk >/dev/null
# The device is plugged in only after it has its disk.
host \
	'{"execute": "qom-set", "arguments": {"path": "/machine/peripheral/uas", "property": "attached", "value": true}}' >/dev/null
uas_disk() {
	disk=$(basename /sys/bus/usb/drivers/uas/*/host*/target*/*/block/sd?)
	[ -b "/dev/$disk" ]
}
wait_for uas_disk
ok $? "a UAS disk appears ($disk)"
dd if=/dev/zero of="/dev/$disk" bs=4k seek=16 count=3 oflag=direct status=none
ok $? "it is written to"
readers=()
for at in 8 24 40; do
	dd if="/dev/$disk" of=/dev/null bs=4k skip=$at count=2 iflag=direct status=none &
	readers+=($!)
done
for pid in "${readers[@]}"; do
	wait "$pid"
	ok $? "it is read, by three at once"
done
sleep 1
finish uas
ok $? "the capture ends well"
host device_del uas >/dev/null
cp uas.trawl "$LAB_KEEP"
tap_done
