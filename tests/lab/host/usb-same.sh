# SPDX-License-Identifier: MIT
. "$TRAWL_SRC/tests/tap.sh"
same_events=$TRAWL_SRC/tests/lab/host/pcapsame.py

trawl-export --to pcap --source usb trawl.trawl -w trawl.pcap
ok $? "the capture exports to pcap"
trawl-export --to pcapng --source usb trawl.trawl -w trawl.pcapng
ok $? "the capture exports to pcapng"
# compare NAME THEIRS OURS: all events, and all that tshark shows of them.
compare() {
	local out field
	out=$(/usr/bin/python3 "$same_events" --fields "$2" "$3" 2>&1)
	ok $? "$1 events are the same, byte by byte and field by field: $(head -2 <<<"$out" | tr '\n' ' ')"
	for field in usb.urb_status usb.setup.bRequest usb.idVendor usb.iso.iso_len usbms.dCBWTag \
		usbms.dCSWStatus scsi_sbc.opcode scsi.inquiry.vendor_id usbhid.data usbhub.setup.Port; do
		has "$1 events have $field" "$out" "\\b$field=[1-9]"
	done
}
compare "tcpdump's" tcpdump.pcap trawl.pcap
compare "dumpcap's" dumpcap.pcapng trawl.pcapng
tap_done
