# SPDX-License-Identifier: MIT
# Foreign devices and drivers, recorded by trawl and tcpdump at once: this kernel's gadgets of
# networks (NCM, ECM, EEM, RNDIS), a serial port, a keyboard and a disk; QEMU's network adapter,
# card reader and drawing tablet. The second half compares trawl's export with tcpdump's capture,
# and trawl-decode's fields with those of Wireshark's dissectors.
# kernels: 6.12
. "$TRAWL_SRC/tests/tap.sh"
. "$TRAWL_SRC/tests/lab/lab.sh"
modprobe -a usbmon cdc_ncm cdc_ether cdc_eem rndis_host cdc_acm usbhid hid-generic wacom \
	usb-storage libcomposite
mountpoint -q /sys/kernel/config || mount -t configfs none /sys/kernel/config

record gadgets ""
ok $? "trawl records"
start tcpdump tcpdump -i usbmon0 -w tcpdump.pcap
wait_for grep -q listening tcpdump.log
ok $? "tcpdump records"

# links N: whether there are N network interfaces on USB, including the gadget's own.
links() {
	local all
	mapfile -t all < <(ls /sys/class/net | grep -v '^lo$')
	[ ${#all[@]} -ge $((before + $1)) ]
}
# speaks IF: whether IPv6 has an address there, after it asked whether others have the same one.
speaks() {
	local address
	address=$(ip -6 addr show dev "$1" scope link)
	[[ $address == *inet6* && $address != *tentative* ]]
}
# connected IF: whether the link of the interface IF is up within 5 s.
connected() {
	local tries=50
	until [ "$(cat "/sys/class/net/$1/carrier")" = 1 ]; do
		[ $((tries -= 1)) -gt 0 ] || return 1
		sleep 0.1
	done
}
# connect IF...: waits until each link is up. A gadget tells the host that it is connected when its
# own interface, which is the first one, goes up; a message that meets the one before it is lost.
connect() {
	local i tries
	for i in "$@"; do
		for tries in 1 2 3 4 5; do
			connected "$i" && break
			ip link set "$1" down
			ip link set "$1" up
		done
	done
}
# find_disk: prints the name of the gadget's disk once it has its size.
find_disk() {
	local model disk
	model=$(grep -l File-Stor /sys/block/sd*/device/model) || return 1
	disk=$(sed 's,/sys/block/\([^/]*\)/.*,\1,' <<<"$model")
	[ "$(cat "/sys/block/$disk/size")" -gt 0 ] && [ -b "/dev/$disk" ] && echo "$disk"
}
# talk: makes each interface send what IPv6 sends by itself, and look for an unused address.
talk() {
	local i links
	mapfile -t links < <(ls /sys/class/net | grep -v '^lo$')
	for i in "${links[@]}"; do
		ip link set "$i" up
		ip addr add "10.7.$((++net)).1/24" dev "$i"
	done
	connect "${links[@]}"
	for i in "${links[@]}"; do
		wait_for speaks "$i"
		ok $? "IPv6 speaks on $i"
	done
	for i in $(seq "$net"); do
		timeout 1 bash -c "echo text >/dev/udp/10.7.$i.9/9" 2>/dev/null
	done
	sleep 1
}
mapfile -t before < <(ls /sys/class/net | grep -v '^lo$')
before=${#before[@]}
net=0
product=0110
for kind in ncm ecm eem rndis; do
	gadget $kind $kind.usb0 1d6b:$product
	wait_for links 2
	ok $? "a network gadget of kind $kind has an interface on both sides"
	talk
	gadget_gone $kind
	product=$(printf %04x $((0x$product + 1)))
done

gadget serial acm.0 1d6b:0120
wait_for test -c /dev/ttyACM0 -a -c /dev/ttyGS0
ok $? "a serial gadget is plugged in"
stty -F /dev/ttyACM0 raw -echo 57600 parenb cstopb
stty -F /dev/ttyGS0 raw -echo
timeout 2 cat /dev/ttyACM0 >from_gadget &
echo 'from the device' >/dev/ttyGS0
timeout 2 bash -c 'echo "from the host" >/dev/ttyACM0'
wait $!
gadget_gone serial

g=/sys/kernel/config/usb_gadget/keys
mkdir -p $g/functions/hid.0
# A boot keyboard (HID 1.11, appendix B.1). One write, because each write replaces the one before.
{
	printf '\x05\x01\x09\x06\xa1\x01\x05\x07\x19\xe0\x29\xe7\x15\x00\x25\x01'
	printf '\x75\x01\x95\x08\x81\x02\x95\x01\x75\x08\x81\x03\x95\x05\x75\x01'
	printf '\x05\x08\x19\x01\x29\x05\x91\x02\x95\x01\x75\x03\x91\x03\x95\x06'
	printf '\x75\x08\x15\x00\x25\x65\x05\x07\x19\x00\x29\x65\x81\x00\xc0'
} >report_desc
cat report_desc >$g/functions/hid.0/report_desc
gadget keys hid.0 1d6b:0121 protocol=1 subclass=1 report_length=8
wait_for test -c /dev/hidg0
ok $? "a keyboard gadget is plugged in"
sleep 1
for report in '\x02\0\x04\0\0\0\0\0' '\0\0\0\0\0\0\0\0'; do
	timeout 2 bash -c "printf '$report' >/dev/hidg0"
done
gadget_gone keys

truncate -s 4M /tmp/gadget.img
gadget disk mass_storage.0 1d6b:0122 lun.0/file=/tmp/gadget.img
wait_for find_disk
disk=$(find_disk)
dd if=/dev/zero of="/dev/$disk" bs=4k count=8 oflag=direct status=none &&
	dd if="/dev/$disk" of=/dev/null bs=4k count=8 iflag=direct status=none
ok $? "a disk gadget is written and read"
gadget_gone disk

host device_add usb-net,bus=xhci.0,port=5,id=net >/dev/null
wait_for usb_device 0525:a4a2 >/dev/null
ok $? "QEMU's network adapter is plugged in"
wait_for links 1
talk
host device_del net >/dev/null
host device_add usb-ccid,bus=xhci.0,port=6,id=ccid >/dev/null
wait_for usb_device 08e6:4433 >/dev/null
ok $? "QEMU's card reader is plugged in"
/usr/bin/python3 "$TRAWL_SRC/tests/lab/usbtalk.py" card 08e6:4433 >card.txt
ok $? "it answers ($(wc -l <card.txt))"
host device_del ccid >/dev/null
host device_add usb-wacom-tablet,bus=xhci.0,port=7,id=wacom >/dev/null
wait_for usb_device 056a:0000 >/dev/null
ok $? "QEMU's drawing tablet is plugged in"
sleep 1
host device_del wacom >/dev/null
sleep 1
finish tcpdump
ok $? "tcpdump ends well"
finish gadgets
ok $? "the capture ends well"
cp gadgets.trawl tcpdump.pcap "$LAB_KEEP"
tap_done
