# SPDX-License-Identifier: MIT
# Device filters still apply after unplugging, on other ports and on other buses, from the first
# transfer of the enumeration on. The second half checks that nothing else is in the files.
# long: 6.1
. "$TRAWL_SRC/tests/tap.sh"
. "$TRAWL_SRC/tests/lab/lab.sh"
modprobe usbmon

record id $DISK
record serial serial=TRAWL0002
record port port=3-3
record two $SERIAL "dev=$(usb_address $KEYBOARD 1),ep=1in"
has "a filter without a matching device gives a message" "$(cat port.log)" \
	'port=3-3 is not plugged in; waiting for it. There are: .*serial TRAWL0002'
has "a filter that several devices match lists them" "$(cat id.log)" \
	"usb:$DISK is 2 devices: $DISK at 2-1 serial TRAWL0001, $DISK at 3-2 serial TRAWL0002$"

# Transfers that no filter selects; those of the keyboard only the filter of its endpoint.
host sendkey a >/dev/null
aplay -q -d 1 -t raw -f S16_LE -r 48000 -c 2 -D hw:0 /dev/zero
for d in $(disks); do
	dd if="/dev/$d" of=/dev/null bs=64k count=4 iflag=direct status=none
done
usb_address $DISK 2 >"$LAB_KEEP/before"
host device_del disk-ehci >/dev/null
wait_for usb_count $DISK 1
host device_add usb-storage,bus=xhci.0,port=5,drive=disk1,serial=TRAWL0002,id=disk-ehci >/dev/null
wait_for usb_disks_ready
ok $? "the disk comes back on another bus"
host device_add usb-mouse,bus=ehci.0,port=3,id=mouse >/dev/null
wait_for usb_count $KEYBOARD 3
for d in $(disks); do
	dd if="/dev/$d" of=/dev/null bs=64k count=4 iflag=direct status=none
done
usb_address $DISK 1 >"$LAB_KEEP/disk"
usb_address $DISK 2 >"$LAB_KEEP/after"
usb_address $KEYBOARD 1 >"$LAB_KEEP/keyboard"
usb_address $KEYBOARD 3 >"$LAB_KEEP/mouse"
usb_address $SERIAL 1 >"$LAB_KEEP/adapter"
host device_del mouse >/dev/null
host sendkey b >/dev/null
sleep 1
for name in id serial port two; do
	finish $name
	ok $? "trawl with filter $name ends well"
done
has "unplugging is reported" "$(cat id.log)" '3-2 is gone'
has "plugging in again is reported" "$(cat id.log)" "usb: [12]-5 \($DISK\) is plugged in"
has "the arrival of the awaited device is reported" "$(cat port.log)" \
	"usb: 3-3 \($KEYBOARD\) is plugged in"
host device_del disk-ehci >/dev/null
wait_for usb_count $DISK 1
host device_add usb-storage,bus=ehci.0,port=2,drive=disk1,serial=TRAWL0002,id=disk-ehci >/dev/null
usb_settled
ok $? "the disk is back where it was"
cp ./*.trawl ./*.log "$LAB_KEEP"
tap_done
