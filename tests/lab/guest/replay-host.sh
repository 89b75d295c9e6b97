# SPDX-License-Identifier: MIT
# trawl-replay host --really repeats recorded sessions with QEMU's devices and with a loopback
# gadget of this kernel. As many reads wait at the device as when recorded, and afterwards its
# drivers are bound again.
# machine: fresh
# long: 6.1 6.12
. "$TRAWL_SRC/tests/tap.sh"
. "$TRAWL_SRC/tests/lab/lab.sh"
modprobe usbmon
mountpoint -q /sys/kernel/config || mount -t configfs none /sys/kernel/config
LOOP=1209:0003
# Both disks have the same ids.
host device_del disk-ehci >/dev/null

# driver VID:PID: prints the driver of the device's first interface.
driver() {
	basename "$(readlink "$(usb_device "$1")"/*:1.0/driver)"
}
# queued NAME VID:PID: prints the largest number of reads that waited at once, for each endpoint.
queued() {
	trawl-decode --json --raw "$1.trawl" | /usr/bin/python3 "$TRAWL_SRC/tests/lab/queued.py" "$2"
}
# once_more NAME VID:PID [OPTION...]: replays the session of NAME.trawl with the same device.
once_more() {
	local name=$1 device=$2
	shift 2
	record "${name}_again" "$device"
	trawl-replay host --really --device "$device" "$@" "$name.trawl" >"$name.said" 2>&1
	same "host: the $name session is the same with the device" 0 $?
	sed 's/^/# /' "$name.said"
	has "all of it" "$(cat "$name.said")" '^same: [1-9][0-9]* recorded transfers happened again$'
	sleep 0.5
	finish "${name}_again"
}
# reads_as_then NAME VID:PID: passes if as many reads waited in the replay as in the session.
reads_as_then() {
	same "as many reads of the $1 session wait at the device as then" "$(queued "$1" "$2")" \
		"$(queued "$1_again" "$2")"
}

# A serial line.
tty_of() {
	ls -d "$(usb_device $SERIAL)"/*/ttyUSB* 2>/dev/null
}
tty=/dev/$(basename "$(tty_of)")
record serial "$SERIAL"
stty -F "$tty" raw -echo 115200
exec 3<>"$tty"
for line in AT ATI "and a longer line, that does not fit one packet of sixty-four bytes, thus two"; do
	echo "$line" >&3
	read -r -t 5 -u 3 answer
	echo "$answer"
done >serial.answers
exec 3>&-
sleep 0.5
finish serial
same "a serial session is recorded" 3 "$(grep -c . serial.answers)"
bound=$(driver $SERIAL)
once_more serial $SERIAL
wait_for tty_of
same "its driver has the device back" "$bound ftdi_sio" "$(driver $SERIAL) ftdi_sio"
# The device is given back if the replay is killed, too.
bound_to() {
	[ "$(driver $SERIAL)" = "$1" ]
}
for signal in HUP TERM KILL; do
	start killed trawl-replay host --really --device $SERIAL --speed 0.01 serial.trawl
	wait_for bound_to usbfs
	ok $? "a replay has the serial line"
	finish killed $signal
	wait_for bound_to ftdi_sio
	ok $? "after SIG$signal its driver has it again"
done
wait_for tty_of

# Reads of a disk.
disk=$(basename /sys/bus/usb/devices/2-1/*/host*/target*/*/block/sd?)
seq 200000 | dd of="/dev/$disk" bs=64k oflag=direct conv=notrunc status=none
echo 0 >"/sys/block/$disk/queue/read_ahead_kb"
record disk "$DISK"
dd if="/dev/$disk" of=disk.bytes bs=64k count=8 iflag=direct status=none
sleep 0.5
finish disk
same "512 KiB of a disk are recorded" 524288 "$(stat -c %s disk.bytes)"
once_more disk $DISK --speed 0
wait_for test -e /sys/bus/usb/devices/2-1/2-1:1.0/driver
same "its driver has the disk back" usb-storage "$(driver $DISK)"
has "the data came from the disk again" "$(trawl-decode disk_again.trawl)" 'READ\(10\).*65536 bytes'
# Other bytes on the disk are a difference.
disk=$(basename /sys/bus/usb/devices/2-1/*/host*/target*/*/block/sd?)
wait_for test -e "/sys/block/$disk"
echo other | dd of="/dev/$disk" bs=512 seek=3 conv=sync,notrunc oflag=direct status=none
trawl-replay host --really --device $DISK --speed 0 disk.trawl >other.said 2>&1
same "a disk with other bytes: status 1" 1 $?
has "and the first difference" "$(cat other.said)" '^first difference: .*byte 1536 is 0x6f'

# Requests to endpoint 0, one of which is refused.
record requests "port=3-1"
/usr/bin/python3 "$TRAWL_SRC/tests/lab/usbtalk.py" requests "$(cat /sys/bus/usb/devices/3-1/idVendor):$(cat /sys/bus/usb/devices/3-1/idProduct)" >requests.answers
sleep 0.5
finish requests
has "a session of requests is recorded" "$(cat requests.answers)" 'refused: 32'
sed 's/^/# /' requests.answers
# Unplug the keyboard, which has the same ids.
host device_del keyboard >/dev/null
once_more requests $KEYBOARD
wait_for test -e /sys/bus/usb/devices/3-1/3-1:1.0/driver
same "its driver has the tablet back" usbhid "$(driver $KEYBOARD)"

# A loopback gadget: reads wait there for data that is written after them.
gadget loop Loopback.0 $LOOP
ok $? "a loopback gadget is plugged in"
record loop "$LOOP"
/usr/bin/python3 "$TRAWL_SRC/tests/lab/usbtalk.py" loop $LOOP >loop.answers
sleep 0.5
finish loop
same "it sends back what it gets" "30 6f6e656f6e656f6e
200 0001020304050607
511 7878787878787878
700 7979797979797979" "$(cat loop.answers)"
has "with two reads that wait" "$(queued loop $LOOP)" '^[0-9]+ 2$'
once_more loop $LOOP
reads_as_then loop $LOOP
trawl-decode --diff loop.trawl loop_again.trawl >diff.out
same "--diff of the loopback session and its replay shows no difference" 0 $?
sed 's/^/# /' diff.out

# The device is unplugged during the replay: a message says that the rest is missing.
record_options=()
start pulled trawl-replay host --really --device $LOOP --speed 0.05 loop.trawl
sleep 4
fails "a device that another program uses" 3 "interface 0 cannot be claimed: .*the program that uses" \
	trawl-replay host --really --device $LOOP --speed 0 loop.trawl
gadget_gone loop
wait "$pid_pulled"
same "a device that is unplugged in mid-replay: status 1" 1 $?
sed 's/^/# /' pulled.out pulled.log
has "what did not happen is counted" "$(cat pulled.out)" '^different: .* not'
fails "a device that is not there" 3 "$LOOP: is not plugged in; plug it in" \
	trawl-replay host --really --device $LOOP loop.trawl
cp ./*.trawl ./*.said ./*.answers "$LAB_KEEP"
tap_done
