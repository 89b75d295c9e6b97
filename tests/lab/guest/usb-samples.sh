# SPDX-License-Identifier: MIT
# Records a small capture of each kind of device, like those in samples/. To make those again, copy
# the
# results of this test there.
# kernels: 6.1
# long: 6.1
. "$TRAWL_SRC/tests/tap.sh"
. "$TRAWL_SRC/tests/lab/lab.sh"
modprobe usbmon

# begin NAME FILTER, end NAME: start and end the capture usb-NAME.trawl.
begin() {
	record "$1" "$2"
	sleep 0.3
}
end() {
	sleep 0.5
	finish "$1"
	ok $? "usb-$1 is recorded"
}

disk=$(basename /sys/bus/usb/devices/2-1/*/host*/target*/*/block/sd?)
begin storage $DISK
dd if="$TRAWL_SRC/docs/format.md" of="/dev/$disk" bs=4k count=4 oflag=direct status=none
sync
dd if="/dev/$disk" of=/dev/null bs=16k count=1 iflag=direct status=none
end storage

begin keyboard port=1-2.1
for key in shift-h e l l o ret; do
	host sendkey $key >/dev/null
	sleep 0.2
done
end keyboard

begin tablet port=3-1
# The driver polls the device only while a program reads its events.
modprobe evdev
for e in /sys/class/input/event*; do
	[ "$(cat "$e/device/name")" = "QEMU QEMU USB Tablet" ] && exec 4<"/dev/input/${e##*/}"
done
for ((i = 0; i < 20; i++)); do
	host \
		'{"execute": "input-send-event", "arguments": {"events": [{"type": "abs", "data": {"axis": "x", "value": '$((i * 1500))'}}, {"type": "abs", "data": {"axis": "y", "value": '$((i * i * 80))'}}]}}' >/dev/null
done
host \
	'{"execute": "input-send-event", "arguments": {"events": [{"type": "btn", "data": {"button": "left", "down": true}}]}}' >/dev/null
host \
	'{"execute": "input-send-event", "arguments": {"events": [{"type": "btn", "data": {"button": "left", "down": false}}]}}' >/dev/null
sleep 0.5
exec 4<&-
end tablet

tty=$(echo /sys/bus/usb/devices/*/ttyUSB*)
begin serial $SERIAL
stty -F "/dev/${tty##*/}" raw -echo 115200
exec 3<>"/dev/${tty##*/}"
for line in "AT" "ATI" "AT+CSQ"; do
	echo "$line" >&3
	read -r -t 5 -u 3 _
done
exec 3>&-
end serial

/usr/bin/python3 -c 'import math, struct, sys
for i in range(4800):
    v = int(8000 * math.sin(2 * math.pi * 440 * i / 48000))
    sys.stdout.buffer.write(struct.pack("<hh", v, v))' >tone
begin audio $AUDIO
aplay -q -t raw -f S16_LE -r 48000 -c 2 -D hw:0 tone
end audio

begin hotplug ""
host device_add usb-mouse,bus=ehci.0,port=3,id=mouse >/dev/null
wait_for usb_count $KEYBOARD 3
sleep 1
host device_del mouse >/dev/null
wait_for usb_count $KEYBOARD 2
end hotplug

# A request that the device refuses (a string that it lacks), and unplugging during a transfer.
begin errors 3
lsusb -v -d $DISK >/dev/null 2>&1
unplugged_in_transfer
ok $? "a disk goes in mid-transfer"
end errors
for name in *.trawl; do
	cp "$name" "$LAB_KEEP/usb-$name"
done
tap_done
