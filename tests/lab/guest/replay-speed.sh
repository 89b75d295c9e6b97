# SPDX-License-Identifier: MIT
# kernels: alone
# The speed of reading a replayed disk at --speed 0 beside QEMU's usb-storage in the same guest, for
# make replay-bench. Prints figures; the only test is that the bytes are the same.
# machine: fresh
. "$TRAWL_SRC/tests/tap.sh"
. "$TRAWL_SRC/tests/lab/lab.sh"
modprobe -a usbmon vhci_hcd
MB=24
# read_all FOLDER FILE: prints the MB/s of the best of three runs.
read_all() {
	local disk i begin end best=0 now
	wait_for disk_of "$1"
	disk=$(disk_of "$1")
	echo 0 >"/sys/block/$disk/queue/read_ahead_kb"
	for i in 1 2 3; do
		begin=$(date +%s%N)
		dd if="/dev/$disk" of="$2" bs=64k count=$((MB * 16)) iflag=direct status=none
		end=$(date +%s%N)
		now=$((MB * 100000000000 / (end - begin)))
		[ $now -gt $best ] && best=$now
	done
	echo $best
}
folder=/sys/bus/usb/devices/2-1
disk=$(disk_of $folder)
dd if=/lib/x86_64-linux-gnu/libc.so.6 of="/dev/$disk" bs=64k oflag=direct conv=notrunc status=none
qemu=$(read_all $folder /dev/null)
record disk port=2-1
dd if="/dev/$disk" of=first bs=64k count=$((MB * 16)) iflag=direct status=none
sleep 1
finish disk
host device_del disk-xhci >/dev/null
wait_for test ! -e $folder
start played trawl-replay device --speed 0 --hold --partial disk.trawl
wait_for grep -q 'is plugged into' played.log
# virtual: whether the disk is on vhci's bus; its folder is in $dev.
virtual() {
	for dev in $(usb_device $DISK); do
		case $(readlink -f "$dev") in */vhci_hcd.*) return 0 ;; esac
	done
	return 1
}
wait_for virtual
replayed=$(read_all "$dev" second)
finish played KILL
cmp first second
ok $? "the replayed disk has the same bytes"
printf '# %d MB by dd: QEMU %d.%02d MB/s, replay at --speed 0 %d.%02d MB/s: %d %% (50 asked)\n' \
	$MB $((qemu / 100)) $((qemu % 100)) $((replayed / 100)) $((replayed % 100)) \
	$((replayed * 100 / qemu))
cp played.log "$LAB_KEEP"
tap_done
