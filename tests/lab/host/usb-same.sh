# SPDX-License-Identifier: MIT
. "$TRAWL_SRC/tests/tap.sh"
same_events=$TRAWL_SRC/tests/lab/host/pcapsame.py

trawl-export --to pcap --source usb trawl.trawl -w trawl.pcap
ok $? "the capture exports to pcap"
trawl-export --to pcapng --source usb trawl.trawl -w trawl.pcapng
ok $? "the capture exports to pcapng"
# compare NAME THEIRS OURS: compares all events, and all that tshark shows of them.
compare() {
	local out field
	out=$(/usr/bin/python3 "$same_events" --fields "$2" "$3" 2>&1)
	ok $? \
		"$1 events are the same, byte by byte and field by field: $(head -2 <<<"$out" |
			tr '\n' ' ')"
	for field in usb.urb_status usb.setup.bRequest usb.idVendor usb.iso.iso_len usbms.dCBWTag \
		usbms.dCSWStatus scsi_sbc.opcode scsi.inquiry.vendor_id usbhid.data \
		usbhub.setup.Port; do
		has "$1 events have $field" "$out" "\\b$field=[1-9]"
	done
}
compare "tcpdump's" tcpdump.pcap trawl.pcap
compare "dumpcap's" dumpcap.pcapng trawl.pcapng
out=$(/usr/bin/python3 "$TRAWL_SRC/tests/lab/host/decodesame.py" trawl.trawl 2>&1)
ok $? "trawl-decode reads what tshark reads: $(tail -2 <<<"$out" | head -1)"

# The compared captures have all that the guest did.
shown() {
	tshark -r tcpdump.pcap -Y "$1" -T fields -e usb.urb_len 2>/dev/null
}
for way in "'S' && usb.endpoint_address.direction == 0" \
	"'C' && usb.endpoint_address.direction == 1"; do
	bytes=$(($(shown "usb.transfer_type == 3 && usb.urb_type == $way && usb.urb_len == 65536" |
			paste -sd+)))
	[ "$bytes" -ge $((16 << 20)) ]
	ok $? "of storage there are $((bytes >> 20)) MiB, $way"
done
for what in "usb.bDescriptorType == 1" "usbhid.data != 00:00:00:00:00:00:00:00" \
	"usb.iso.iso_len == 192" \
	"usb.urb_type == 'C' && usb.transfer_type == 3 && usb.urb_status < 0"; do
	n=$(shown "$what" | wc -l)
	[ "$n" -gt 0 ]
	ok $? "there are $n of $what"
done
tap_done
