# SPDX-License-Identifier: MIT
# kernels: 6.1
# Triggers on fields of USB transfers: each fires at the first transfer that matches. One that
# nothing matches writes nothing, and one that can never match is refused.
. "$TRAWL_SRC/tests/tap.sh"
. "$TRAWL_SRC/tests/lab/lab.sh"

# never NAME EXPR PATTERN: passes if trawl refuses the trigger before it opens a device or a file.
never() {
	fails "$1" 2 "$3" trawl -i usb --ring 1m -w none.trawl --trigger "$2"
}

# get_descriptor VID:PID KIND: asks the device for a kind of descriptor; fails when it stalls.
get_descriptor() {
	/usr/bin/python3 - \
		"$(printf '/dev/bus/usb/%03d/%03d' $(usb_address $1 1 | tr : ' '))" $2 <<'END'
import ctypes, fcntl, os, struct, sys
data = ctypes.create_string_buffer(18)
fd = os.open(sys.argv[1], os.O_RDWR)
request = struct.pack("BBHHHIP", 0x80, 6, int(sys.argv[2], 0) << 8, 0, 18, 1000,
                      ctypes.addressof(data))
try:
    fcntl.ioctl(fd, 0xc0185500, request)
except BrokenPipeError:
    sys.exit(1)
END
}

# watch NAME EXPR [SOURCE]: starts a recorder that ends after the file of its first trigger.
watch() {
	start $1 trawl -i ${3:-usb} --ring 1m --after 0s -W 1 -w $1.trawl --trigger "$2"
	wait_for grep -q newest $1.log
}

# fired NAME EXPR: passes if the recorder has written a file in which EXPR holds for the transfer
# nearest to the trigger.
fired() {
	local pid=pid_$1
	wait "${!pid}"
	ok $? "$2: a file is written"
	same "$2: it is in the file, once" "$2" \
		"$(trawl-decode --json --source trawl $1.trawl | jq -r .fields.what)"
	trawl-decode --json --source usb --where "$2" $1.trawl | jq .ts_ns >$1.such
	same "$2: it fired at such a transfer" "$(nearest $1)" \
		"$(nearest $1 | grep -xFf $1.such)"
}

# nearest NAME: prints the time of the transfer that is nearest to the file's trigger, other than
# those that are pending at the end of the file.
nearest() {
	trawl-decode --json $1.trawl | jq -s '(map(select(.source == "trawl"))[0].ts_ns) as $at |
		map(select(.source == "usb" and .fields.end != "pending")) |
		min_by((.ts_ns - $at) | fabs) | .ts_ns'
}

modprobe usbmon
disk=$(disks | head -1)
never "an errno without its sign" 'status == 32' 'status is never 32: errors are negative'
never "a vendor of three digits" 'vid == "46d"' 'vid is never .46d.: it is four'
never "an endpoint as a text" 'ep == "0x81"' 'ep is a number: write one, without quotes'
never "a field by another name" 'transfer == "bulk"' "field 'transfer'; it is called xfer here"
same "none of them made a file" "" "$(ls none.trawl* 2>/dev/null)"

watch keys 'ep == 0x81' usb:$KEYBOARD
watch stall 'status == "stall"'
watch serial 'vid == 0x0403'
watch bulk 'xfer == "bulk"'
watch idle 'status == "babble" or vid == 0x046d or ep == 0x8f'
get_descriptor $KEYBOARD 1
ok $? "a request to the keyboard, which nothing waits for"
host sendkey a >/dev/null
get_descriptor $KEYBOARD 0x99
same "a stall" 1 $?
get_descriptor $SERIAL 1
ok $? "a request to the serial adapter"
dd if=/dev/$disk of=/dev/null bs=64k count=1 iflag=direct status=none
ok $? "a read of the disk"
fired keys 'ep == 0x81'
fired stall 'status == "stall"'
fired serial 'vid == 0x0403'
fired bulk 'xfer == "bulk"'
for name in stall serial bulk; do
	[ "$(trawl-decode --where 'vid == 0x0627 and descriptor == "device"' $name.trawl | wc -l)" -ge 1 ]
	ok $? "$name: the request to the keyboard is before it in the file"
done
finish idle
ok $? "the capture whose trigger nothing meets ends well"
has "without a file" "$(cat idle.log)" 'no trigger: nothing was written'
same "there is none" "" "$(ls idle.trawl* 2>/dev/null)"
cp ./*.log ./*.trawl "$LAB_KEEP"
tap_done
