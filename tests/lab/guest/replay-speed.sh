# SPDX-License-Identifier: MIT
# kernels: alone
# The speed of reading a replayed disk at --speed 0 beside QEMU's usb-storage in the same guest, for
# make replay-bench, in two ways: each command waits for the one before it (dd with direct input),
# and through an empty page cache with the kernel's readahead, as programs read. Prints figures; the
# only test is that the bytes are the same.
# machine: fresh
. "$TRAWL_SRC/tests/tap.sh"
. "$TRAWL_SRC/tests/lab/lab.sh"
modprobe -a usbmon vhci_hcd
MB=24
# best COMMAND...: prints the MB/s, times 100, of the best of five runs, each with an empty cache.
best() {
	local i begin end now best=0
	for i in 1 2 3 4 5; do
		echo 1 >/proc/sys/vm/drop_caches
		begin=$(date +%s%N)
		"$@" bs=64k count=$((MB * 16)) status=none
		end=$(date +%s%N)
		now=$((MB * 100000000000 / (end - begin)))
		[ $now -gt $best ] && best=$now
	done
	echo $best
}
# read_all FOLDER: reads the disk; prints the speeds without and with readahead.
read_all() {
	local disk
	wait_for disk_of "$1"
	disk=$(disk_of "$1")
	echo 0 >"/sys/block/$disk/queue/read_ahead_kb"
	best dd if="/dev/$disk" of=/dev/null iflag=direct
	echo 128 >"/sys/block/$disk/queue/read_ahead_kb"
	best dd if="/dev/$disk" of=/dev/null
}
# report WAY QEMU REPLAY: prints a figure; the speeds are MB/s, times 100.
report() {
	printf '# %d MB by dd, %s: QEMU %d.%02d MB/s, ' $MB "$1" $(($2 / 100)) $(($2 % 100))
	printf 'replay at --speed 0 %d.%02d MB/s: %d %% (50 asked)\n' $(($3 / 100)) \
		$(($3 % 100)) $(($3 * 100 / $2))
}
folder=/sys/bus/usb/devices/2-1
disk=$(disk_of $folder)
dd if=/lib/x86_64-linux-gnu/libc.so.6 of="/dev/$disk" bs=64k oflag=direct conv=notrunc status=none
mapfile -t qemu < <(read_all $folder)
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
mapfile -t replayed < <(read_all "$dev")
dd if="/dev/$(disk_of "$dev")" of=second bs=64k count=$((MB * 16)) iflag=direct status=none
finish played KILL
cmp first second
ok $? "the replayed disk has the same bytes"
report "one command at a time" "${qemu[0]}" "${replayed[0]}"
report "with readahead" "${qemu[1]}" "${replayed[1]}"
cp played.log "$LAB_KEEP"
tap_done
