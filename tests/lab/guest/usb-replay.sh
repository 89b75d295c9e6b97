# SPDX-License-Identifier: MIT
# trawl-replay device through vhci_hcd: drivers and programs of the kernel meet recorded devices. Each session is
# recorded with QEMU's device, played, recorded again, and compared.
. "$TRAWL_SRC/tests/tap.sh"
. "$TRAWL_SRC/tests/lab/lab.sh"
modprobe usbmon
samples=$TRAWL_SRC/samples

if [ ! -e /sys/devices/platform/vhci_hcd.0 ]; then
	fails "nobody may not load vhci_hcd" 3 "modprobe vhci_hcd" \
		setpriv --reuid nobody --regid nogroup --clear-groups -- trawl-replay device $samples/usb-keyboard.trawl
fi
modprobe vhci_hcd
ok $? "vhci_hcd is loaded"

# ports: how many of vhci's ports are in use.
ports() {
	awk '$3 == "006" {n++} END {print n + 0}' /sys/devices/platform/vhci_hcd.0/status*
}
free() {
	[ "$(ports)" -eq 0 ]
}
# replay NAME FILE OPTION...: plays it in the background.
replay() {
	local name=$1
	shift
	start "$name" trawl-replay device "$@"
	wait_for 20 grep -q 'is plugged into' "$name.log"
}
# virtual VID:PID: there is such a device on vhci's bus; its folder is in $dev.
virtual() {
	for dev in $(usb_device "$1"); do
		case $(readlink -f "$dev") in */vhci_hcd.*) return 0 ;; esac
	done
	return 1
}
show() {
	sed 's/^/# /' "$1.log" "$1.out"
}

# A disk: what dd reads, and what the same commands were answered.
disk=$(basename /sys/bus/usb/devices/2-1/*/host*/target*/*/block/sd?)
mke2fs -q -t ext2 "/dev/$disk" 8M && mount "/dev/$disk" /mnt && cp "$TRAWL_SRC/NEWS" "$TRAWL_SRC/README.md" /mnt && umount /mnt
ok $? "a file system is on QEMU's disk"
host device_del disk-xhci >/dev/null
wait_for 10 test ! -e "/sys/block/$disk"
record disk ""
host device_add usb-storage,bus=xhci.0,port=1,drive=disk0,serial=TRAWL0001,id=disk-xhci >/dev/null
wait_for 15 usb_disks_ready
sleep 1
disk=$(basename /sys/bus/usb/devices/2-1/*/host*/target*/*/block/sd?)
dd if="/dev/$disk" of=first bs=64k count=16 iflag=direct status=none
mount -o ro "/dev/$disk" /mnt && cp /mnt/NEWS news && umount /mnt
cmp -s news "$TRAWL_SRC/NEWS"
ok $? "its file is read while that is recorded"
sleep 0.5
finish disk
address=$(usb_address $DISK 1)
replay played --speed 0 --device "$address" --timeout 20s disk.trawl || show played
wait_for 15 virtual $DISK
record again "$(basename "$(readlink "$dev/driver/..")" >/dev/null; echo "port=$(basename "$dev")")"
wait_for 15 ls "$dev"/*/host*/target*/*/block/ >/dev/null
ok $? "the replayed disk is bound by usb-storage"
sleep 1
disk=$(basename "$dev"/*/host*/target*/*/block/sd?)
dd if="/dev/$disk" of=second bs=64k count=16 iflag=direct status=none
cmp -s first second
ok $? "dd reads the recorded bytes"
mount -o ro "/dev/$disk" /mnt && cmp -s /mnt/NEWS "$TRAWL_SRC/NEWS"
ok $? "it mounts, and the recorded file is there"
umount /mnt
finish again
finish played
same "the replay of the disk says that it was the same" 0 $?
show played
trawl-decode --diff disk.trawl again.trawl >diff.out
same "--diff of the two captures shows no difference" 0 $?
sed 's/^/# /' diff.out
wait_for 10 free
ok $? "no port is in use behind it"

# Every sample replays: its driver binds.
for name in keyboard tablet serial audio storage hotplug errors; do
	file=$samples/usb-$name.trawl
	replay "s_$name" --speed 0 --delay 1s --hold "$file" || show "s_$name"
	id=$(grep -o '[0-9a-f]*:[0-9a-f]* is plugged' "s_$name.log" | cut -d' ' -f1)
	wait_for 10 virtual "$id" && wait_for 15 test -e "$dev/$(basename "$dev"):1.0/driver"
	ok $? "usb-$name.trawl: $id is bound by $(basename "$(readlink "$dev/$(basename "$dev"):1.0/driver")")"
	finish "s_$name"
	wait_for 10 free
done

# A killed replay leaves nothing behind.
replay killed --hold "$samples/usb-keyboard.trawl"
wait_for 10 virtual $KEYBOARD
finish killed KILL
wait_for 10 free
ok $? "a replay that was killed leaves no port behind"
cp ./*.trawl ./*.log ./*.out "$LAB_KEEP"
tap_done
