# SPDX-License-Identifier: MIT
# Live USB in Wireshark: the extcap program is listed by tshark -D and feeds tshark -i.
# kernels: 6.1
# long: 6.1
. "$TRAWL_SRC/tests/tap.sh"
. "$TRAWL_SRC/tests/lab/lab.sh"
modprobe usbmon

folder=$(sed -n 's/^wireshark_looks_extcapdir = //p' "$TRAWL_BUILD/Makefile")
mkdir -p "$folder"
# The only program in the folder, so that tshark calls no others: each call takes seconds here.
rm -f "$folder"/*
cp "$TRAWL_SRC/wireshark/trawl-extcap" "$folder/"

list=$(tshark -D 2>/dev/null)
has "tshark -D lists all buses as one" "$list" 'trawl_usb \(trawl: all USB buses\)'
has "and each" "$list" 'trawl_usb3 \(trawl: USB bus 3 \(EHCI Host Controller\)\)'

trawl-extcap() { "$folder/trawl-extcap" "$@"; }
config=$(trawl-extcap --extcap-config --extcap-interface trawl_usb)
for port in 2-1 3-2; do
	has "each of two of a kind can be chosen: $port" "$config" \
		"^value \{arg=0\}\{value=$DISK,port=$port\}\{display=QEMU QEMU USB HARDDRIVE at $port\}"
done
has "the link type is USB" "$(trawl-extcap --extcap-dlts --extcap-interface trawl_usb)" \
	'^dlt \{number=220\}'
fails "an unknown option is refused with its name" 2 "--nonsense is not" \
	"$folder/trawl-extcap" --nonsense
has "an invalid capture filter is reported before the capture" \
	"$(trawl-extcap --extcap-interface trawl_usb --extcap-capture-filter 46f4:1)" \
	'four hex digits'
same "a valid one is accepted" "" \
	"$(trawl-extcap --extcap-interface trawl_usb --extcap-capture-filter "$DISK,ep=1in")"

# If a capture is impossible, Wireshark shows the cause and nothing else.
mkfifo fifo
capture=("$folder/trawl-extcap" --capture --fifo fifo --extcap-interface)
fails "a missing device is reported" 3 'usb:dev=1:99,?.*there is no such device' \
	"${capture[@]}" trawl_usb \
	--extcap-capture-filter dev=1:99
same "in one line" 1 "$("${capture[@]}" trawl_usb --extcap-capture-filter dev=1:99 2>&1 | wc -l)"
fails "two filters that exclude each other" 2 'one of each kind' \
	"${capture[@]}" trawl_usb --device "$DISK" \
	--extcap-capture-filter "$KEYBOARD"
fails "and another bus than that of the interface" 2 'this bus differs' "${capture[@]}" trawl_usb1 \
	--extcap-capture-filter dev=3:2
fails "a user without permission gets a remedy" 3 \
	'/dev/usbmon0: permission denied.*SUBSYSTEM=="usbmon"' \
	setpriv --reuid nobody --regid nogroup --clear-groups -- "${capture[@]}" trawl_usb

# Every option as Wireshark passes it, on the interface of all buses.
disk=$(basename /sys/bus/usb/devices/2-1/*/host*/target*/*/block/sd?)
start options tshark -l -i trawl_usb -o "extcap.trawl_usb.device:$DISK,port=2-1" \
	-o extcap.trawl_usb.port:2-1 \
	-o extcap.trawl_usb.serial:TRAWL0001 -o extcap.trawl_usb.endpoint:1in \
	-o extcap.trawl_usb.snaplen:40 \
	-a duration:60 -T fields -e usb.src -e usb.dst -e usb.urb_len -e usb.data_len
wait_for pgrep -f 'trawl .*-s 40 .*-i usb:.*ep=1in' >/dev/null
ok $? "the options reach trawl"
for ((try = 0; try < 20; try++)); do
	dd if="/dev/$disk" of=/dev/null bs=4k count=1 iflag=direct status=none
	dd if="/dev/$(disks | tail -1)" of=/dev/null bs=4k count=1 iflag=direct status=none
	sleep 1
	grep -q . options.out && break
done
finish options INT
has "data is cut" "$(cat options.out)" '2\.[0-9]+\.1.*	4096	40$'
same "no other endpoint or device is there, but for the descriptors" "" \
	"$(grep -vE '2\.[0-9]+\.1	|	2\.[0-9]+\.1	|\.0	|	[0-9.]+\.0	' options.out)"

# A key press on bus 1 while tshark captures live, with a filter as a Wireshark user would type it.
# The data is known to be a HID report because of the descriptors that come first.
start tshark tshark -l -i trawl_usb1 -f "$KEYBOARD" -a duration:90 -T fields \
	-e usb.bus_id -e usb.device_address -e usb.urb_type -e usbhid.data
wait_for pgrep -f 'trawl .*-i usb:bus=1' >/dev/null
ok $? "trawl runs under tshark"
for ((try = 0; try < 30; try++)); do
	host sendkey a >/dev/null
	sleep 1
	grep -q 0000040000000000 tshark.out && break
done
finish tshark INT
has "tshark shows the key press live, as a HID report" "$(cat tshark.out)" "'C'.0000040000000000"
same "of bus 1 only" 1 "$(cut -f1 tshark.out | sort -u | tr -d '\n')"
wait_for eval '! pgrep -f "trawl .*-i usb:bus=1"'
ok $? "trawl ends with tshark"
cp tshark.out tshark.log "$LAB_KEEP"
tap_done
