# SPDX-License-Identifier: MIT
# trawl-replay device: a composite device of this kernel's gadgets (serial line, keyboard and disk
# in one), to which all drivers bind again, and a microphone.
# machine: fresh
# long: 6.1 6.12
. "$TRAWL_SRC/tests/tap.sh"
. "$TRAWL_SRC/tests/lab/lab.sh"
modprobe -a usbmon vhci_hcd dummy_hcd libcomposite cdc_acm evdev snd-usb-audio
mountpoint -q /sys/kernel/config || mount -t configfs none /sys/kernel/config
THREE=1209:0004 MICROPHONE=1209:0005
g=/sys/kernel/config/usb_gadget/three

free() {
	! grep -q ' 006 ' /sys/devices/platform/vhci_hcd.0/status*
}
# drivers FOLDER: prints the drivers of a device's interfaces.
drivers() {
	local i
	for i in "$1"/*:1.*; do
		echo "${i##*:} $(basename "$(readlink "$i/driver")")"
	done
}
bound() {
	[ "$(drivers "$1" | grep -c ' [a-z]')" -eq "$2" ]
}
event_of() {
	local e
	for e in "$1"/*/*/input/input*/event*; do
		[ -e "$e" ] && echo "/dev/input/${e##*/}" && return
	done
	return 1
}
tty_of() {
	ls "$1"/*/tty 2>/dev/null
}
# use NAME FOLDER COMMAND...: uses the three functions as a host does, while COMMAND runs, which may
# act for the device.
use() {
	local name=$1 folder=$2 disk tty reader
	shift 2
	wait_for disk_of "$folder" && wait_for event_of "$folder" && wait_for tty_of "$folder"
	disk=$(disk_of "$folder") tty=/dev/$(tty_of "$folder")
	echo 0 >"/sys/block/$disk/queue/read_ahead_kb"
	sleep 1
	/usr/bin/python3 "$TRAWL_SRC/tests/lab/evdev.py" "$(event_of "$folder")" 100 >"$name.typed" &
	reader=$!
	wait_for grep -q open "$name.typed"
	"$@"
	wait_for typed_all "$name.typed"
	kill $reader
	wait $reader 2>/dev/null
	# Without the kernel's repetitions of a held key, which depend on time alone.
	grep -v -e '^1 [0-9]* 2$' -e '^0 0 1$' "$name.typed" >"$name.events"
	stty -F "$tty" raw -echo 9600
	exec 3<>"$tty"
	for line in AT ATI "a line that would be longer than a packet is at full speed, thus two of them"; do
		echo "$line" >&3
		read -r -t 5 -u 3 answer
		echo "$answer"
	done >"$name.answers"
	exec 3>&-
	dd if="/dev/$disk" of="$name.bytes" bs=64k iflag=direct status=none
}
# typed_all FILE: whether five keys went down and up.
typed_all() {
	[ "$(grep -c '^1 [0-9]* [01]$' "$1")" -ge 10 ]
}
type_keys() {
	local key
	# In a replay the keys come as long after plugging in, when its reader must be there.
	sleep 6
	for key in 0b 08 0f 0f 12; do
		printf '\0\0\x'$key'\0\0\0\0\0' >/dev/hidg0
		sleep 0.1
		printf '\0\0\0\0\0\0\0\0' >/dev/hidg0
		sleep 0.1
	done
}

# The gadget: three functions in one configuration.
seq 30000 | head -c 131072 >disk.image
mkdir -p $g/strings/0x409 $g/configs/c.1
mkdir $g/functions/acm.0 $g/functions/hid.0 $g/functions/mass_storage.0
echo 0x1209 >$g/idVendor
echo 0x0004 >$g/idProduct
echo 0xef >$g/bDeviceClass
echo 2 >$g/bDeviceSubClass
echo 1 >$g/bDeviceProtocol
echo "three in one, 😀" >$g/strings/0x409/product
echo 000000000001 >$g/strings/0x409/serialnumber
echo 1 >$g/functions/hid.0/protocol
echo 1 >$g/functions/hid.0/subclass
echo 8 >$g/functions/hid.0/report_length
printf '\x05\x01\x09\x06\xa1\x01\x05\x07\x19\xe0\x29\xe7\x15\x00\x25\x01\x75\x01\x95\x08\x81\x02\x95\x01\x75\x08\x81\x03\x95\x05\x75\x01\x05\x08\x19\x01\x29\x05\x91\x02\x95\x01\x75\x03\x91\x03\x95\x06\x75\x08\x15\x00\x25\x65\x05\x07\x19\x00\x29\x65\x81\x00\xc0' \
	>$g/functions/hid.0/report_desc
echo 0 >$g/functions/mass_storage.0/lun.0/removable
echo 1 >$g/functions/mass_storage.0/lun.0/ro
echo "$PWD/disk.image" >$g/functions/mass_storage.0/lun.0/file
ln -s $g/functions/acm.0 $g/functions/hid.0 $g/functions/mass_storage.0 $g/configs/c.1/
record three "$THREE"
echo dummy_udc.0 >$g/UDC && wait_for usb_device $THREE
ok $? "a composite gadget is plugged in"
stty -F /dev/ttyGS0 raw -echo
while read -r line; do
	echo "said: $line"
done </dev/ttyGS0 >/dev/ttyGS0 &
talker=$!
folder=$(usb_device $THREE)
wait_for bound "$folder" 4
drivers "$folder" >drivers.first
product=$(cat "$folder/product")
use first "$folder" type_keys
same "each of the three is used" "3 $(stat -c %s disk.image)" \
	"$(grep -c said: first.answers) $(stat -c %s first.bytes)"
[ "$(grep -c . first.events)" -ge 20 ]
ok $? "with $(grep -c . first.events) events of the keyboard"
sleep 0.5
finish three
# A capture that begins after plugging in has the device's names only from sysfs.
record late "$THREE"
dd if="/dev/$(disk_of "$folder")" of=/dev/null bs=4k count=1 iflag=direct status=none
sleep 0.5
finish late
kill $talker
echo >$g/UDC
wait_for test ! -e "$folder"

# replay NAME VID:PID OPTION...: replays in the background; the device's folder is in $folder.
replay() {
	local name=$1 device=$2
	shift 2
	start "$name" trawl-replay device "$@"
	wait_for grep -q 'is plugged into' "$name.log" && wait_for usb_device "$device"
	folder=$(usb_device "$device")
}
record again "$THREE"
replay played $THREE --hold three.trawl
wait_for bound "$folder" 4
same "all drivers bind to the replayed one, as they did" "$(cat drivers.first)" "$(drivers "$folder")"
sed 's/^/# /' drivers.first
use second "$folder" true
finish played
same "the replay says that it was the same" 0 $?
sed 's/^/# /' played.out played.log
finish again
same "the serial line says the same" "$(cat first.answers)" "$(cat second.answers)"
same "the keyboard types the same" "$(cat first.events)" "$(cat second.events)"
cmp first.bytes second.bytes && cmp first.bytes disk.image
ok $? "the disk has the same bytes"
trawl-decode --diff three.trawl again.trawl >diff.out
same "--diff shows no difference" 0 $?
sed 's/^/# /' diff.out
wait_for free
replay late $THREE --hold late.trawl
same "a name of a capture that began later is the same" "$product" "$(cat "$folder/product")"
finish late
wait_for free

# A microphone.
start microphone /usr/bin/python3 "$TRAWL_SRC/tests/lab/microphone.py"
mike() {
	pcm=$(arecord -l | sed -n 's/^card \([0-9]*\): .*microphone.* device \([0-9]*\): .*/hw:\1,\2/p')
	[ -n "$pcm" ]
}
no_mike() {
	! mike
}
# listen FILE: records a second of sound.
listen() {
	# On an emulated machine a second of sound takes longer: with long periods ALSA would give
	# up.
	arecord -q -D "$pcm" -f S16_LE -c 1 -r 48000 -t raw -d 1 --buffer-time=2000000 \
		--period-time=20000 "$1"
}
wait_for mike
ok $? "a microphone is plugged in ($pcm)"
folder=$(usb_device $MICROPHONE)
names=$(cat "$folder/manufacturer" "$folder/product" "$folder/serial")
record sound "$MICROPHONE"
listen first.raw
sleep 0.5
finish sound
same "a second of it is recorded" 96000 "$(stat -c %s first.raw)"
/usr/bin/python3 -c '
import struct, sys
data = open("first.raw", "rb").read()
got = struct.unpack("<%dH" % (len(data) // 2), data)
sys.exit(any((b - a) % 65536 != 1 for a, b in zip(got, got[1:])))'
ok $? "without a gap"
# trawl-replay host: as many packets, in as many transfers at once. The samples start at 0 again.
trawl-replay host --really --device $MICROPHONE sound.trawl >host.said 2>&1
same "host: the session is the same with the microphone" 0 $?
has "all of it" "$(cat host.said)" '^same: [1-9][0-9]* recorded transfers happened again$'
sed 's/^/# /' host.said
has "which has isochronous transfers" "$(trawl-replay host sound.trawl)" 'ep1 IN iso'
wait_for mike
ok $? "its driver has it back"
finish microphone
wait_for no_mike
replay heard $MICROPHONE --partial --hold sound.trawl
wait_for mike
ok $? "snd-usb-audio binds to the replayed one ($pcm)"
same "its names, of up to 126 characters, are the same" "$names" \
	"$(cat "$folder/manufacturer" "$folder/product" "$folder/serial")"
listen second.raw
cmp first.raw second.raw
ok $? "arecord gets the same bytes"
finish heard
same "the replay says that it was the same" 0 $?
sed 's/^/# /' heard.out heard.log
wait_for free
ok $? "no port is in use after it"
for file in /sys/devices/platform/vhci_hcd.0/status*; do
	sed 's/ 004 / 006 /' "$file" >"full.${file##*/}"
	mount --bind "full.${file##*/}" "$file"
done
fails "every port is in use" 3 "vhci_hcd: no USB 2 port is free: detach a device" \
	trawl-replay device sound.trawl
umount /sys/devices/platform/vhci_hcd.0/status*
cp ./*.trawl ./*.log ./*.out ./*.answers ./*.events ./*.raw ./*.said "$LAB_KEEP"
rm $g/configs/c.1/*.0
rmdir $g/configs/c.1 $g/functions/* $g/strings/0x409 $g
modprobe -r vhci_hcd
tap_done
