# SPDX-License-Identifier: MIT
. "$TRAWL_SRC/tests/tap.sh"
# sample NAME PATTERN: it is small and whole, and its decoded text has such a line.
sample() {
	[ "$(stat -c %s "usb-$1.trawl")" -le 200000 ]
	ok $? "$1 has $(stat -c %s "usb-$1.trawl") bytes"
	has "$1 is decoded" "$(trawl-decode --show-keys "usb-$1.trawl")" "$2"
	has "$1 is complete and lost nothing" "$(trawl-decode --summary "usb-$1.trawl" | tr '\n' ' ')" \
		'complete.*losses +none'
}
sample storage 'READ\(10\)'
sample keyboard 'Shift'
sample tablet '1:|3:'
sample serial 'AT\+CSQ'
sample audio 'iso'
sample hotplug 'GET_DESCRIPTOR|Get Descriptor|get descriptor'
sample errors 'ESHUTDOWN|shutdown|EPIPE|stall|ENODEV|EPROTO'
tap_done
