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
	fails "user nobody may not load vhci_hcd" 3 "modprobe vhci_hcd" \
		setpriv --reuid nobody --regid nogroup --clear-groups \
		-- trawl-replay device $samples/usb-keyboard.trawl
fi
modprobe vhci_hcd
ok $? "vhci_hcd is loaded"

# ports: prints how many of vhci's ports are in use.
ports() {
	awk '$3 == "006" {n++} END {print n + 0}' /sys/devices/platform/vhci_hcd.0/status*
}
free() {
	[ "$(ports)" -eq 0 ]
}
# replay NAME FILE OPTION...: replays the file in the background.
replay() {
	local name=$1
	shift
	start "$name" trawl-replay device "$@"
	wait_for grep -q 'is plugged into' "$name.log"
}
# virtual VID:PID: whether such a device is on vhci's bus; its folder is in $dev.
virtual() {
	for dev in $(usb_device "$1"); do
		case $(readlink -f "$dev") in */vhci_hcd.*) return 0 ;; esac
	done
	return 1
}
show() {
	sed 's/^/# /' "$1.log" "$1.out"
}

# A disk: dd reads the same, and the same commands get the same answers. Without read-ahead and
# joined requests, which depend on the disk's speed and on the file system's threads, and without
# mount's search for a file system. disk_session FOLDER DEVICE: uses the disk; writes what it reads
# to files in FOLDER.
disk_session() {
	wait_for disk_of "$2"
	disk=$(disk_of "$2")
	echo 0 >"/sys/block/$disk/queue/read_ahead_kb"
	echo 2 >"/sys/block/$disk/queue/nomerges"
	sleep 1
	mkdir "$1"
	dd if="/dev/$disk" of="$1/bytes" bs=64k count=16 iflag=direct status=none
	mount -t ext4 -o ro,no_prefetch_block_bitmaps,inode_readahead_blks=1 "/dev/$disk" /mnt ||
		return
	# Direct, because the driver may turn read-ahead on again when it checks the disk. By
	# 4 KiB, because for a larger read the file system may issue the first part before or
	# after it reads where the rest is.
	for file in NEWS README.md; do
		dd if="/mnt/$file" of="$1/$file" bs=4k iflag=direct status=none || return
	done
	umount /mnt
}
wait_for usb_disks_ready
disk=$(basename /sys/bus/usb/devices/2-1/*/host*/target*/*/block/sd?)
mke2fs -q -t ext2 -b 1024 "/dev/$disk" 8M && mount "/dev/$disk" /mnt &&
	cp "$TRAWL_SRC/NEWS" "$TRAWL_SRC/README.md" /mnt && umount /mnt
ok $? "a file system is on QEMU's disk"
host device_del disk-xhci >/dev/null
wait_for test ! -e "/sys/block/$disk"
record disk ""
host device_add usb-storage,bus=xhci.0,port=1,drive=disk0,serial=TRAWL0001,id=disk-xhci >/dev/null
wait_for usb_disks_ready
disk_session first /sys/bus/usb/devices/2-1
ok $? "its files are read while that is recorded"
sleep 0.5
finish disk
address=$(usb_address $DISK 1)
record again ""
replay played --speed 0 --linger 3s --device "$address" --timeout 20s disk.trawl || show played
wait_for virtual $DISK
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
wait_for free
ok $? "no port is in use after it"

# Keys and movements are the same for programs, which get them by evdev.
modprobe evdev
# event_node FOLDER: prints the evdev node of a USB device.
event_node() {
	local e
	for e in "$1"/*/*/input/input*/event* "$1"/*/input/input*/event*; do
		[ -e "$e" ] && echo "/dev/input/${e##*/}" && return
	done
	return 1
}
# typed NAME FOLDER LAST COMMAND...: records the device's evdev events while COMMAND runs, until a
# second after the event LAST.
typed() {
	local name=$1 folder=$2 last=$3 node reader
	shift 3
	wait_for event_node "$folder" || return
	node=$(event_node "$folder")
	/usr/bin/python3 "$TRAWL_SRC/tests/lab/evdev.py" "$node" 60 "$last" >"$name.events" &
	reader=$!
	wait_for grep -q open "$name.events"
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
# point X Y: moves the tablet's pointer.
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
# same_events NAME PATH LAST COMMAND: passes if QEMU's device on that port path and its replay give
# the same events.
same_events() {
	local name=$1 path=$2
	record "$name" "port=$path"
	typed "$name" "/sys/bus/usb/devices/$path" "$3" "$4"
	finish "$name"
	record "${name}_again" ""
	replay "${name}_played" --delay 12s --hold "$name.trawl" || show "${name}_played"
	wait_for virtual $KEYBOARD
	typed "${name}_again" "$dev" "$3" true
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
	wait_for free
}
same_events keyboard 1-2.1 "1 28 0" type_keys
# Return the pointer to where a new device has it, as another test in this guest may have moved it.
wait_for event_node /sys/bus/usb/devices/3-1
timeout 2 cat "$(event_node /sys/bus/usb/devices/3-1)" >/dev/null &
sleep 0.5
point 0 0
wait $!
same_events tablet 3-1 "1 272 0" move_pointer

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
# Set the speed of a new line, as another test may have changed it.
stty -F "/dev/$(basename "$(tty_of "$(usb_device $SERIAL)")")" 9600
record line "$SERIAL"
talk "/dev/$(basename "$(tty_of "$(usb_device $SERIAL)")")" >line.said
sleep 0.5
finish line
record line_again ""
replay line_played --hold line.trawl || show line_played
wait_for virtual $SERIAL && wait_for tty_of "$dev" >/dev/null
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
wait_for free

# A program that does something else than the recorded one.
replay other --timeout 5s line.trawl || show other
wait_for virtual $SERIAL && wait_for tty_of "$dev" >/dev/null
stty -F "/dev/$(basename "$(tty_of "$dev")")" raw -echo 9600
echo AX >"/dev/$(basename "$(tty_of "$dev")")"
wait $pid_other
same "a session that is another one: status 1" 1 $?
has "and the first difference" "$(cat other.out)" \
	'^first difference: transfer [0-9]+ of the capture'
wait_for free

# folder_of NAME: sets $dev to the sysfs folder of a device that a replay plugged in, $id to its
# ids.
folder_of() {
	local text hub nports port speed
	text=$(grep 'is plugged into' "$1.log") || return
	port=${text##* port } port=${port%%,*}
	id=${text#*: } id=${id%% *}
	# vhci numbers the ports of its USB 2 hub before those of its USB 3 hub, which has as many.
	for hub in /sys/devices/platform/vhci_hcd.0/usb[0-9]*; do
		read -r speed <"$hub/speed"
		read -r nports <"$hub/maxchild"
		[ $((speed > 480)) -eq $((port >= nports)) ] &&
			dev=/sys/bus/usb/devices/${hub##*/usb}-$((port % nports + 1))
	done
}
# All samples are replayed at once, and the driver of each device binds.
all="keyboard tablet serial audio storage hotplug errors"
for name in $all; do
	start "s_$name" trawl-replay device --speed 0 --delay 1s --hold "$samples/usb-$name.trawl"
done
for name in $all; do
	wait_for grep -q 'is plugged into' "s_$name.log" || show "s_$name"
	folder_of "s_$name"
	wait_for test -e "$dev/${dev##*/}:1.0/driver"
	bound=$?
	driver=$(readlink "$dev/${dev##*/}:1.0/driver")
	ok $bound "usb-$name.trawl: $id is bound by ${driver##*/}"
done
for name in $all; do
	finish "s_$name"
done
wait_for free

# Over TCP, with the stock usbip tool.
if command -v usbip >/dev/null; then
	start listening trawl-replay device --listen --hold "$samples/usb-keyboard.trawl"
	wait_for grep -q 'waits for' listening.log
	usbip list -r 127.0.0.1 >list.out 2>&1
	has "usbip list shows the device" "$(cat list.out)" '1-1: .*0627:0001'
	usbip attach -r 127.0.0.1 -b 1-1 && wait_for virtual $KEYBOARD
	ok $? "usbip attach plugs it in"
	finish listening
	wait_for free
	ok $? "and it goes with the replay"
else
	skip "usbip attach" "usbip is missing"
fi

# A replay leaves nothing behind, however it ends.
mkdir scratch
for signal in KILL TERM INT HUP; do
	TMPDIR=$PWD/scratch replay killed --hold "$samples/usb-keyboard.trawl"
	wait_for virtual $KEYBOARD
	finish killed $signal
	wait_for free
	ok $? "a replay that was ended by SIG$signal leaves no port behind"
done
same "and no file" "" "$(ls -A scratch)"
replay unplugged --speed 0.01 "$samples/usb-keyboard.trawl"
wait_for virtual $KEYBOARD
port=$(grep -o 'port [0-9]*' unplugged.log)
echo "${port#port }" >/sys/devices/platform/vhci_hcd.0/detach
wait "$pid_unplugged"
same "a device that is unplugged in mid-replay: status 1" 1 $?
has "which is said" "$(cat unplugged.log)" "the host unplugged the device before the capture's end"
fails "user nobody may not plug a device in" 3 "no permission" \
	setpriv --reuid nobody --regid nogroup --clear-groups \
	-- trawl-replay device $samples/usb-keyboard.trawl
# All USB 2 ports are taken by devices that never answer.
start taken python3 "$TRAWL_SRC/tests/lab/ports.py"
wait_for grep -q taken taken.out
fails "no port is free" 3 "no USB 2 port is free: detach a device" \
	trawl-replay device $samples/usb-keyboard.trawl
finish taken
wait_for free
cp ./*.trawl ./*.log ./*.out "$LAB_KEEP"
# Remove the buses, as other tests in this guest expect the usual ones.
modprobe -r vhci_hcd
ok $? "vhci_hcd can be unloaded"
tap_done
