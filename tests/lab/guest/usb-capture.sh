# SPDX-License-Identifier: MIT
# Messages and refusals of captures of USB, and the limits of usbmon's data.
# long: 6.1
. "$TRAWL_SRC/tests/tap.sh"
. "$TRAWL_SRC/tests/lab/lab.sh"

nobody() {
	setpriv --reuid nobody --regid nogroup --clear-groups -- "$@"
}

rmmod usbmon 2>/dev/null
fails "without usbmon and without the right to load it" 3 "modprobe usbmon" \
	nobody trawl -i usb -w /dev/null
record all "" 1
ok $? "root has usbmon loaded"
has "a warning about a keyboard comes first" "$(head -1 all.log)" 'is a keyboard: what is typed'
same "a capture is for its owner only" 600 "$(stat -c %a all.trawl)"
fails "no permission: which file, and what would help" 3 \
	'/dev/usbmon0: permission denied.*SUBSYSTEM=="usbmon"' nobody trawl -i usb -w /dev/null
fails "no such bus: those that there are" 3 \
	'usb:9: there is no such bus; this machine has: 1, 2, 3' \
	trawl -i usb:9 -w /dev/null
fails "no such device: those that there are" 3 \
	"there is no such device; plugged in are: .*$DISK at 2-1" \
	trawl -i usb:dev=1:99 -w /dev/null
fails "an invalid filter" 2 'four hex digits' trawl -i usb:46f4:1 -w /dev/null

list=$(trawl -D)
has "-D lists every bus" "$list" '^usb:3 '
has "-D lists a device with its name and the rest" "$list" \
	"^usb:$DISK  *QEMU QEMU USB HARDDRIVE at port 2-1, address 2:[0-9]+, serial TRAWL0001, 5000 Mb/s, driver usb-storage"
has "-D gives this to any user, in JSON" \
	"$(nobody trawl -D --json | jq -c '.[] | select(.port == "2-1") |
	[.usable, .bus, .vid, .pid, .serial, .product, .speed, .drivers]')" \
	'^\[false,2,18164,1,"TRAWL0001","QEMU USB HARDDRIVE","5000",\["usb-storage"\]\]$'
has "a message states that -p does not limit USB" "$(trawl -i usb -p $$ --duration 1ms -w /dev/null 2>&1)" \
	'transfers belong to no process: -p limits only'

disk=$(basename /sys/bus/usb/devices/2-1/*/host*/target*/*/block/sd?)
# 1 MiB in one URB: more than 1200 KiB / 5, the most that tcpdump gets.
dd if=/dev/urandom of=/dev/$disk bs=1M count=2 oflag=direct status=none
record cut dev="$(usb_address $DISK 1)"
dd if=/dev/$disk of=/dev/null bs=1M count=2 iflag=direct status=none
finish cut
finish all
ok $? "the capture ends well"
start snap trawl -i usb:2 -s 64 -w snap.trawl
start wide trawl -i usb:2 -s 9999 -w wide.trawl
wait_for grep -q 'capturing to' snap.log
wait_for grep -q 'capturing to' wide.log
dd if=/dev/$disk of=/dev/null bs=1M count=1 iflag=direct status=none
finish snap
finish wide

fails "usbmon without its nodes, as in a container" 3 \
	"mknod -m 600 /dev/usbmon0 c [1-9][0-9]* 0', or -i usb:text" \
	unshare -m sh -c 'mount -t tmpfs none /dev && exec trawl -i usb -w x.trawl'

# The controller of bus 3 disappears during captures of that bus, and comes back.
record bus 3
record textbus text:3
# One capture by a user who may not open the device node that it needs then.
chmod 777 .
chmod 644 /dev/usbmon3
start lonely setpriv --reuid nobody --regid nogroup --clear-groups -- trawl -i usb:3 -w lonely.trawl
wait_for grep -q 'capturing to' lonely.log
pci=$(basename "$(readlink -f /sys/bus/usb/devices/usb3/..)")
echo "$pci" >/sys/bus/pci/drivers/ehci-pci/unbind
wait_for grep -q 'usb3 is gone' bus.log
ok $? "the removal of a bus is reported"
echo "$pci" >/sys/bus/pci/drivers/ehci-pci/bind
usb_settled
ok $? "the bus is back"
dd if="/dev/$(basename /sys/bus/usb/devices/3-2/*/host*/target*/*/block/sd?)" of=/dev/null bs=4k \
	skip=1234 count=1 \
	iflag=direct status=none
dd if="/dev/$disk" of=/dev/null bs=4k skip=4321 count=1 iflag=direct status=none
finish lonely
ok $? "a capture that may not go on ends well, too"
has "and the reason is reported" "$(cat lonely.log)" \
	'when bus 3 comes back, it will not be recorded: /dev/usbmon0: permission denied'
for name in bus textbus; do
	finish $name
	ok $? "capture $name, whose bus went away, ends well"
	text=$(trawl-decode $name.trawl)
	has "it has the devices' enumeration of later" "$text" 'GET_DESCRIPTOR configuration'
	has "and what they do then" "$text" 'READ\(10\) lba 9872 '
	same "but nothing of other buses" "" "$(grep -E ' [124-9][0-9]*:[0-9]+ ep' <<<"$text")"
done
has "with no other devices" \
	"$(trawl-decode --meta='usb/*' bus.trawl | grep -Eo '"path":"[^"]*"' | sort -u |
		tr '\n' ' ')" \
	'^"path":"3-1" "path":"3-2" "path":"usb3" $'
cp ./*.trawl ./*.log "$LAB_KEEP"
tap_done
