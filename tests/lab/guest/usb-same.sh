# SPDX-License-Identifier: MIT
# trawl, tcpdump and dumpcap record all buses at once during transfers of all kinds. The second half
# compares event by event.
# long: 6.1 6.12
. "$TRAWL_SRC/tests/tap.sh"
. "$TRAWL_SRC/tests/lab/lab.sh"
modprobe usbmon

record trawl ""
ok $? "trawl records"
start tcpdump tcpdump -i usbmon0 -w tcpdump.pcap
wait_for grep -q listening tcpdump.log
ok $? "tcpdump records"
start dumpcap dumpcap -i usbmon0 -w dumpcap.pcapng
wait_for test -s dumpcap.pcapng
ok $? "dumpcap records"
sleep 1

# Enumeration of a mouse, and of the keyboard behind its hub.
host device_add usb-mouse,bus=ehci.0,port=3,id=mouse >/dev/null
wait_for usb_count $KEYBOARD 3
host device_del mouse >/dev/null
wait_for usb_count $KEYBOARD 2
host device_del keyboard >/dev/null
wait_for usb_count $KEYBOARD 1
host device_add usb-kbd,bus=xhci.0,port=2.1,id=keyboard >/dev/null
wait_for usb_count $KEYBOARD 2
ok $? "a mouse comes and goes, and the keyboard again"
# Storage: URBs that fit tcpdump's ring of 1200 KiB, in bursts that fit it as a whole, as it may not
# get a CPU for a while.
mapfile -t disk < <(disks)
dd if=/dev/urandom of=data bs=64k count=128 status=none
for d in "${disk[@]}"; do
	for ((i = 0; i < 128; i += 16)); do
		dd if=data of="/dev/$d" bs=64k skip=$i seek=$i count=16 oflag=direct conv=notrunc \
			status=none
		sleep 0.1
		dd if="/dev/$d" bs=64k skip=$i count=16 iflag=direct status=none
		sleep 0.1
	done | cmp - data
	ok $? "8 MiB to $d and back"
done
for key in h e l l o; do
	host sendkey $key >/dev/null
done
aplay -q -d 1 -t raw -f S16_LE -r 48000 -c 2 -D hw:0 /dev/zero
unplugged_in_transfer
ok $? "a disk goes in mid-transfer"
has "which its reader is told" "$(cat dd.log)" 'error reading'
usb_settled
ok $? "the disk is back"
sleep 1

finish dumpcap
finish tcpdump
finish trawl
ok $? "trawl ends well"
has "tcpdump lost nothing" "$(cat tcpdump.log)" '^0 packets dropped by kernel'
cp ./*.trawl ./*.pcap ./*.pcapng ./*.log "$LAB_KEEP"
tap_done
