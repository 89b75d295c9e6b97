# SPDX-License-Identifier: MIT
# kernels: 6.1
# The flight recorder on USB: the trigger is a stall, which is known only when submission and
# completion are joined. The file has the events before it, and the devices described at the
# beginning. The files are made in the host's folder by 9p, which has no unnamed files and no rename
# to a free name in one
# step.
. "$TRAWL_SRC/tests/tap.sh"
. "$TRAWL_SRC/tests/lab/lab.sh"

# Asks the keyboard for an unknown kind of descriptor, which it stalls.
stall() {
	/usr/bin/python3 - \
		"$(printf '/dev/bus/usb/%03d/%03d' $(usb_address $KEYBOARD 1 | tr : ' '))" <<'END'
import ctypes, fcntl, os, struct, sys
data = ctypes.create_string_buffer(255)
fd = os.open(sys.argv[1], os.O_RDWR)
request = struct.pack("BBHHHIP", 0x80, 6, 0x9900, 0, 255, 1000, ctypes.addressof(data))
try:
    fcntl.ioctl(fd, 0xc0185500, request)
except BrokenPipeError:
    sys.exit(0)
sys.exit("no stall")
END
}

modprobe usbmon
fly=$LAB_KEEP/fly.trawl
disk=$(disks | head -1)
fails "a field that USB does not have is known at once" 2 "no event has a field 'colour'" \
	trawl -i usb --ring 4m -w none.trawl --trigger 'colour == 1'
fails "and so is a word that a field never has" 2 'never .stal.; did you mean stall' \
	trawl -i usb --ring 4m -w none.trawl --trigger 'status_name == "stal"'
start fly trawl -i usb -i event:block:block_rq_issue --ring 4m --after 300ms -w $fly \
	--trigger 'status_name == "stall"'
wait_for grep -q newest fly.log
dd if=/dev/$disk of=/dev/null bs=64k count=8 iflag=direct status=none
sleep 1.5
same "transfers that end well trigger nothing" "" "$(ls $fly* 2>/dev/null)"
stall
ok $? "the device stalls"
wait_for grep -q 'fly.trawl holds' fly.log
ok $? "and that writes a file"
stall
wait_for grep -q 'fly.1.trawl holds' fly.log
ok $? "the next one, another"
finish fly
ok $? "the capture ends well"
sed 's/^/# /' fly.log

ok "$(trawl-edit verify $fly >/dev/null; echo $?)" "the file is whole"
has "the stall is the trigger" "$(trawl-decode --source trawl $fly)" \
	'reason="expression" what="status_name == .*stall.*" event="usb:control"'
when() {
	trawl-decode --json "$@" $fly | sed 's/.*"ts_ns":\([0-9]*\).*/\1/'
}
late=$(($(when --source trawl) - $(when --raw --where 'name == "usb:complete" and status == -32')))
[ ${late#-} -lt 100000 ]
ok $? "at the time of its completion, but for what reading two clocks may be off: $late ns"
same "and in the file" 1 "$(trawl-decode --json --where 'status_name == "stall"' $fly | wc -l)"
has "with the disk's reads before it" "$(trawl-decode $fly)" 'READ\(10\) lba 0'
has "and the block layer's requests" "$(trawl-decode $fly)" 'block:block_rq_issue'
same "the second file has only its own" 0 \
	"$(trawl-decode ${fly%.trawl}.1.trawl | grep -c 'READ(10)')"
has "and its own stall" "$(trawl-decode ${fly%.trawl}.1.trawl)" 'GET_DESCRIPTOR.*stall'
same "nothing else is there" "fly.1.trawl fly.trawl" "$(ls "$LAB_KEEP" | paste -sd' ')"
cp fly.log "$LAB_KEEP"
tap_done
