# SPDX-License-Identifier: MIT
. "$TRAWL_SRC/tests/tap.sh"
# sample NAME PATTERN: passes if it is small and complete, and a line of its text matches.
sample() {
	[ "$(stat -c %s "usb-$1.trawl")" -le 200000 ]
	ok $? "$1 has $(stat -c %s "usb-$1.trawl") bytes"
	has "$1 is decoded" "$(trawl-decode --show-keys "usb-$1.trawl")" "$2"
	has "$1 is complete and lost nothing" \
		"$(trawl-decode --summary "usb-$1.trawl" | tr '\n' ' ')" \
		'complete.*losses +none'
}
sample storage 'READ\(10\) lba 0 \+ 32 passed'
sample keyboard 'HID keys LeftShift\+H,'
sample tablet 'HID X=28500 Y=28880 '
sample serial 'text "AT\+CSQ'
sample audio 'usb:iso .* out +[0-9]+ packets, [1-9][0-9]* bytes'
sample hotplug 'GET_DESCRIPTOR device: 0627:0001'
sample errors 'stall \(EPIPE -32\)'
has "and so is the unplugging" "$(trawl-decode usb-errors.trawl)" \
	'\((ESHUTDOWN|EPROTO|ENODEV|EILSEQ) -'
tap_done
