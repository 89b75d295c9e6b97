# SPDX-License-Identifier: MIT
# Messages for USB on machines without it, and for filters that make no sense. Machines with USB are
# tested in the lab: tests/lab/guest/usb-*.sh.
. "$TRAWL_SRC/tests/tap.sh"
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT

fails "an invalid filter is reported before the machine is examined" 2 \
	'four hex digits' trawl -i usb:46f4:1 -w /dev/null
has "with a caret under the place" \
	"$(trawl -i usb:1,vid=3 -w /dev/null 2>&1 | tail -2 | tr '\t' ' ')" '^ +\^$'
fails "a port that there cannot be" 2 'BUS-PORT' trawl -i usb:port=xyz -w /dev/null
fails "an address without its word: what is meant" 2 'usb:dev=1:4' trawl -i usb:1:4 -w /dev/null
fails "both forms at once are refused" 2 'cannot be combined' trawl -i usb -i usb:text -w /dev/null
if [ -e /sys/bus/usb ]; then
	skip "a kernel without USB" "this one has it"
else
	fails "a kernel without USB" 3 'this kernel has no USB' trawl -i usb -w /dev/null
	has "-D says why it cannot be used" "$(trawl -D)" 'not usable: usb: this kernel has no USB'
fi
fails "no text form either" 3 '/sys/kernel/debug/usb/usbmon/77u is missing' trawl -i usb:text:77 \
	-w /dev/null

# A bus whose device node is missing, in a fake sysfs and /dev.
cat >"$dir/fake.sh" <<'EOF'
mount -t tmpfs none /sys/bus && mkdir -p /sys/bus/usb/devices/usb3 || exit 99
mount -t tmpfs none /sys/class && mkdir -p /sys/class/usbmon/usbmon0 || exit 99
echo 248:0 >/sys/class/usbmon/usbmon0/dev
mount -t tmpfs none /dev || exit 99
mknod -m 600 /dev/usbmon0 c 248 0 && mknod -m 666 /dev/null c 1 3 || exit 99
exec trawl -i "$1" -w /dev/null
EOF
if unshare -m true 2>/dev/null; then
	fails "a bus without its node" 3 "make it by 'mknod -m 600 /dev/usbmon3 c 248 3'" \
		unshare -m sh "$dir/fake.sh" usb:3
	fails "no such bus" 3 'usb:4: there is no such bus; this machine has: 3' \
		unshare -m sh "$dir/fake.sh" usb:4
else
	skip "a bus without its node" "needs root"
fi
tap_done
