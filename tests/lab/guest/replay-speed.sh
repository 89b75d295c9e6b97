# SPDX-License-Identifier: MIT
# kernels: alone
# The speed of reading a replayed disk at --speed 0 beside QEMU's usb-storage in the same guest, for
# make replay-bench, in two ways: each command waits for the one before it (dd with direct input),
# and through an empty page cache with the kernel's readahead, as programs read. The two disks are
# read in turns, because the processor's speed changes while the test runs. Prints figures; the only
# test is that the bytes are the same.
# machine: fresh
. "$TRAWL_SRC/tests/tap.sh"
. "$TRAWL_SRC/tests/lab/lab.sh"
modprobe -a usbmon vhci_hcd
MB=24 TURNS=9
# speed DISK OPTION...: prints the MB/s, times 100, of reading a disk with dd's options.
speed() {
	local disk=$1 begin end
	shift
	echo 1 >/proc/sys/vm/drop_caches
	begin=$(date +%s%N)
	dd if="/dev/$disk" of=/dev/null bs=64k count=$((MB * 16)) status=none "$@"
	end=$(date +%s%N)
	echo $((MB * 100000000000 / (end - begin)))
}
# median: prints the middle one of the numbers in its input, of which there are TURNS.
median() {
	sort -n | sed -n $((TURNS / 2 + 1))p
}
# decimal N: prints N hundredths.
decimal() {
	printf '%d.%02d' $(($1 / 100)) $(($1 % 100))
}
# compare WAY READAHEAD OPTION...: reads both disks in turns; prints the middle speeds and the
# middle ratio of a turn.
compare() {
	local way=$1 kb=$2 i disk
	shift 2
	for disk in "$real" "$copy"; do
		echo "$kb" >"/sys/block/$disk/queue/read_ahead_kb"
	done
	: >turns
	for ((i = 0; i < TURNS; i++)); do
		echo "$(speed "$real" "$@") $(speed "$copy" "$@")" >>turns
	done
	printf '# %d MB by dd, %s: QEMU %s MB/s, replay at --speed 0 %s MB/s: %d %% (50 asked)\n' \
		$MB "$way" "$(decimal "$(cut -d' ' -f1 turns | median)")" \
		"$(decimal "$(cut -d' ' -f2 turns | median)")" \
		"$(while read -r a b; do echo $((b * 100 / a)); done <turns | median)"
}
folder=/sys/bus/usb/devices/2-1
real=$(disk_of $folder)
dd if=/lib/x86_64-linux-gnu/libc.so.6 of="/dev/$real" bs=64k oflag=direct conv=notrunc status=none
record disk port=2-1
dd if="/dev/$real" of=first bs=64k count=$((MB * 16)) iflag=direct status=none
sleep 1
finish disk
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
wait_for disk_of "$dev"
copy=$(disk_of "$dev")
compare "one command at a time" 0 iflag=direct
compare "with readahead" 128
dd if="/dev/$copy" of=second bs=64k count=$((MB * 16)) iflag=direct status=none
finish played KILL
cmp first second
ok $? "the replayed disk has the same bytes"
cp played.log turns "$LAB_KEEP"
tap_done
