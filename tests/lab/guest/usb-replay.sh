# SPDX-License-Identifier: MIT
# trawl-replay device through vhci_hcd: drivers and programs of the kernel meet recorded devices.
# Each session is recorded with QEMU's device, played, recorded again, and compared.
# machine: fresh
# long: 6.12
. "$TRAWL_SRC/tests/tap.sh"
. "$TRAWL_SRC/tests/lab/lab.sh"
modprobe usbmon
samples=$TRAWL_SRC/samples

if [ ! -e /sys/devices/platform/vhci_hcd.0 ]; then
	fails "nobody may not load vhci_hcd" 3 "modprobe vhci_hcd" \
		setpriv --reuid nobody --regid nogroup --clear-groups \
		-- trawl-replay device $samples/usb-keyboard.trawl
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

# A disk: what dd reads, and what the same commands were answered. Without reading ahead and joining
# requests, which depend on how fast the disk is and when the file system's threads run, and without
# mount's search for a file system. disk_of DEVICE: its block device.
disk_of() {
	local d
	for d in "$1"/*/host*/target*/*/block/sd?; do
		[ -e "$d" ] && echo "${d##*/}" && return
	done
	return 1
}
# disk_session FOLDER DEVICE: a program's part of it; what it reads goes to files there.
disk_session() {
	wait_for 15 disk_of "$2"
	disk=$(disk_of "$2")
	echo 0 >"/sys/block/$disk/queue/read_ahead_kb"
	echo 2 >"/sys/block/$disk/queue/nomerges"
	sleep 1
	mkdir "$1"
	dd if="/dev/$disk" of="$1/bytes" bs=64k count=16 iflag=direct status=none
	mount -t ext4 -o ro,no_prefetch_block_bitmaps,inode_readahead_blks=1 "/dev/$disk" /mnt ||
		return
	# Direct: the driver may set how much is read ahead anew, when it looks at the disk again.
	for file in NEWS README.md; do
		dd if="/mnt/$file" of="$1/$file" bs=64k iflag=direct status=none || return
	done
	umount /mnt
}
disk=$(basename /sys/bus/usb/devices/2-1/*/host*/target*/*/block/sd?)
mke2fs -q -t ext2 "/dev/$disk" 8M && mount "/dev/$disk" /mnt &&
	cp "$TRAWL_SRC/NEWS" "$TRAWL_SRC/README.md" /mnt && umount /mnt
ok $? "a file system is on QEMU's disk"
host device_del disk-xhci >/dev/null
wait_for 10 test ! -e "/sys/block/$disk"
record disk ""
host device_add usb-storage,bus=xhci.0,port=1,drive=disk0,serial=TRAWL0001,id=disk-xhci >/dev/null
wait_for 15 usb_disks_ready
disk_session first /sys/bus/usb/devices/2-1
ok $? "its files are read while that is recorded"
sleep 0.5
finish disk
address=$(usb_address $DISK 1)
record again ""
replay played --speed 0 --linger 3s --device "$address" --timeout 20s disk.trawl || show played
wait_for 15 virtual $DISK
disk_session second "$dev"
ok $? "the replayed disk is bound by usb-storage, and mounts"
wait $pid_played
same "the replay of the disk says that it was the same" 0 $?
show played
sleep 0.5
finish again
cmp first/bytes second/bytes && cmp second/NEWS "$TRAWL_SRC/NEWS" &&
	cmp second/README.md "$TRAWL_SRC/README.md"
ok $? "dd and the files have the recorded bytes"
trawl-decode --diff disk.trawl again.trawl >diff.out
same "--diff of the two captures shows no difference" 0 $?
sed 's/^/# /' diff.out
wait_for 10 free
ok $? "no port is in use after it"

# Keys and movements, as programs get them by evdev.
modprobe evdev
# event_node FOLDER: the evdev node of a USB device.
event_node() {
	local e
	for e in "$1"/*/*/input/input*/event* "$1"/*/input/input*/event*; do
		[ -e "$e" ] && echo "/dev/input/${e##*/}" && return
	done
	return 1
}
# typed NAME FOLDER COMMAND...: what evdev gives of the device while COMMAND runs.
typed() {
	local name=$1 folder=$2 node reader
	shift 2
	wait_for 15 event_node "$folder" || return
	node=$(event_node "$folder")
	/usr/bin/python3 "$TRAWL_SRC/tests/lab/evdev.py" "$node" 12 >"$name.events" &
	reader=$!
	wait_for 20 grep -q open "$name.events"
	"$@"
	wait $reader
}
type_keys() {
	local key
	for key in shift-h e l l o ret; do
		host sendkey $key >/dev/null
		sleep 0.2
	done
}
# point X Y
point() {
	host \
		'{"execute": "input-send-event", "arguments": {"events": [{"type": "abs", "data": {"axis": "x", "value": '$1'}}, {"type": "abs", "data": {"axis": "y", "value": '$2'}}]}}' >/dev/null
}
move_pointer() {
	local i
	for ((i = 0; i < 10; i++)); do
		point $((i * 1500)) $((i * i * 80))
	done
	host \
		'{"execute": "input-send-event", "arguments": {"events": [{"type": "btn", "data": {"button": "left", "down": true}}]}}' >/dev/null
	host \
		'{"execute": "input-send-event", "arguments": {"events": [{"type": "btn", "data": {"button": "left", "down": false}}]}}' >/dev/null
}
# same_events NAME PATH COMMAND: QEMU's device on that port path, and its replay.
same_events() {
	local name=$1 path=$2
	record "$name" "port=$path"
	typed "$name" "/sys/bus/usb/devices/$path" "$3"
	finish "$name"
	record "${name}_again" ""
	replay "${name}_played" --delay 4s --hold "$name.trawl" || show "${name}_played"
	wait_for 15 virtual $KEYBOARD
	typed "${name}_again" "$dev" sleep 0
	finish "${name}_played"
	same "the replay of the $name says that it was the same" 0 $?
	show "${name}_played"
	finish "${name}_again"
	[ "$(grep -c . "$name.events")" -gt 20 ]
	ok $? "the $name gave $(grep -c . "$name.events") events"
	same "and its replay the same ones" "$(cat "$name.events")" "$(cat "${name}_again.events")"
	trawl-decode --diff "$name.trawl" "${name}_again.trawl" >diff.out
	same "--diff of the $name shows no difference" 0 $?
	sed 's/^/# /' diff.out
	wait_for 10 free
}
same_events keyboard 1-2.1 type_keys
# Where a new device's pointer is, which another test in this guest may have moved.
wait_for 15 event_node /sys/bus/usb/devices/3-1
timeout 2 cat "$(event_node /sys/bus/usb/devices/3-1)" >/dev/null &
sleep 0.5
point 0 0
wait $!
same_events tablet 3-1 move_pointer

# A serial line: a program that writes and reads.
talk() {
	local line answer
	stty -F "$1" raw -echo 115200
	exec 3<>"$1"
	for line in AT ATI AT+CSQ \
		"and a longer line, that does not fit one packet of sixty-four bytes, thus two"; do
		echo "$line" >&3
		read -r -t 5 -u 3 answer
		echo "$answer"
	done
	exec 3>&-
}
tty_of() {
	ls -d "$1"/*/ttyUSB* 2>/dev/null
}
# What a new line has, which another test may have changed.
stty -F "/dev/$(basename "$(tty_of "$(usb_device $SERIAL)")")" 9600
record line "$SERIAL"
talk "/dev/$(basename "$(tty_of "$(usb_device $SERIAL)")")" >line.said
sleep 0.5
finish line
record line_again ""
replay line_played --hold line.trawl || show line_played
wait_for 15 virtual $SERIAL && wait_for 15 tty_of "$dev" >/dev/null
talk "/dev/$(basename "$(tty_of "$dev")")" >line-again.said
sleep 1
finish line_played
same "the replay of the serial line says that it was the same" 0 $?
show line_played
finish line_again
[ "$(grep -c . line.said)" -eq 4 ]
ok $? "the serial line gave $(grep -c . line.said) lines"
same "and its replay the same ones" "$(cat line.said)" "$(cat line-again.said)"
trawl-decode --diff line.trawl line_again.trawl >diff.out
same "--diff of the serial line shows no difference" 0 $?
sed 's/^/# /' diff.out
wait_for 10 free

# A program that does something else.
replay other --timeout 5s line.trawl || show other
wait_for 15 virtual $SERIAL && wait_for 15 tty_of "$dev" >/dev/null
stty -F "/dev/$(basename "$(tty_of "$dev")")" raw -echo 9600
echo AX >"/dev/$(basename "$(tty_of "$dev")")"
wait $pid_other
same "a session that is another one: status 1" 1 $?
has "and the first difference" "$(cat other.out)" \
	'^first difference: transfer [0-9]+ of the capture'
wait_for 10 free

# Every sample replays: its driver binds.
for name in keyboard tablet serial audio storage hotplug errors; do
	file=$samples/usb-$name.trawl
	replay "s_$name" --speed 0 --delay 1s --hold "$file" || show "s_$name"
	id=$(grep -o '[0-9a-f]*:[0-9a-f]* is plugged' "s_$name.log" | cut -d' ' -f1)
	wait_for 10 virtual "$id" && wait_for 15 test -e "$dev/$(basename "$dev"):1.0/driver"
	ok $? \
		"usb-$name.trawl: $id is bound by $(basename "$(readlink "$dev/$(basename "$dev"):1.0/driver")")"
	finish "s_$name"
	wait_for 10 free
done

# Over TCP, with the stock usbip tool.
if command -v usbip >/dev/null; then
	start listening trawl-replay device --listen --hold "$samples/usb-keyboard.trawl"
	wait_for 20 grep -q 'waits for' listening.log
	usbip list -r 127.0.0.1 >list.out 2>&1
	has "usbip list tells the device" "$(cat list.out)" '1-1: .*0627:0001'
	usbip attach -r 127.0.0.1 -b 1-1 && wait_for 15 virtual $KEYBOARD
	ok $? "usbip attach plugs it in"
	finish listening
	wait_for 10 free
	ok $? "and it goes with the replay"
else
	skip "usbip attach" "usbip is missing"
fi

# A killed replay leaves nothing behind.
replay killed --hold "$samples/usb-keyboard.trawl"
wait_for 10 virtual $KEYBOARD
finish killed KILL
wait_for 10 free
ok $? "a replay that was killed leaves no port behind"
cp ./*.trawl ./*.log ./*.out "$LAB_KEEP"
# Other tests of this guest know which buses there are.
modprobe -r vhci_hcd
ok $? "vhci_hcd can be unloaded"
tap_done
