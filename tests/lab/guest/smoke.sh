# SPDX-License-Identifier: MIT
# The lab itself has what other tests rely on.
. "$TRAWL_SRC/tests/tap.sh"
. "$TRAWL_SRC/tests/lab/lab.sh"

modprobe usbmon
nodes=$(echo /dev/usbmon*)
has "usbmon has a node for every bus and one for all" "$nodes" \
	'/dev/usbmon0 /dev/usbmon1 /dev/usbmon2 /dev/usbmon3'

list=$(lsusb)
for device in $DISK $KEYBOARD $SERIAL $AUDIO $HUB; do
	has "lsusb lists $device" "$list" "ID $device "
done

# A key of the keyboard behind the hub: the interrupt transfer holds usage 0x04 ("a").
timeout 10 cat /sys/kernel/debug/usb/usbmon/0u >usbmon.txt &
sleep 0.5
host sendkey a >/dev/null
ok $? "the monitor takes a key press"
wait_for grep -q '00000400 00000000' usbmon.txt
ok $? "usbmon sees the key press"
kill %1

host device_add usb-mouse,bus=ehci.0,port=3,id=mouse >/dev/null
wait_for usb_count $KEYBOARD 3
ok $? "a device appears when the monitor plugs it in"
host device_del mouse >/dev/null
wait_for usb_count $KEYBOARD 2
ok $? "and goes when it is unplugged"

tty=$(echo /sys/bus/usb/devices/*/ttyUSB* | head -1)
stty -F "/dev/${tty##*/}" raw -echo 9600
exec 3<>"/dev/${tty##*/}"
echo "some text" >&3
read -r -t 5 -u 3 line
exec 3>&-
same "the serial adapter's other end echoes" "some text" "$line"

disk=$(disks | head -1)
dd if=/dev/urandom of=data bs=64k count=4 status=none
dd if=data of="/dev/$disk" bs=64k oflag=direct status=none
dd if="/dev/$disk" bs=64k count=4 iflag=direct status=none | cmp - data
ok $? "a USB disk keeps what is written"

aplay -q -d 1 -t raw -f S16_LE -r 48000 -c 2 -D hw:0 /dev/zero
ok $? "the USB sound card plays"

cd /sys/kernel/tracing || exit 1
echo 'e:lab_smoke/open syscalls.sys_enter_openat file=+0($filename):ustring' >>dynamic_events
ok $? "an eprobe can be defined"
echo '-:lab_smoke/open' >>dynamic_events
echo 'lab_latency u64 delta; pid_t pid' >>synthetic_events
ok $? "a synthetic event can be defined"
echo 'hist:keys=prev_state' >events/sched/sched_switch/trigger
ok $? "a hist trigger can be set"
echo '!hist:keys=prev_state' >events/sched/sched_switch/trigger
echo '!lab_latency' >>synthetic_events

gadget zero SourceSink.0 0525:a4a0
ok $? "a gadget on dummy_hcd appears on the host side"
gadget_gone zero
wait_for usb_count 0525:a4a0 0
ok $? "and goes"
tap_done
