# SPDX-License-Identifier: MIT
. "$TRAWL_SRC/tests/tap.sh"

# meta FILE NAME: prints the metadata of that name.
meta() {
	trawl-decode --meta="$2" "$1"
}

# lengths FILE: prints URB length and captured bytes of its bulk events with data, each pair once.
lengths() {
	trawl-export --to pcap --source usb "$1.trawl" -w "$1.pcap"
	tshark -r "$1.pcap" -Y 'usb.transfer_type == 3 && usb.data_len > 0 && usb.urb_len > 1000' \
		-T fields -e usb.urb_len -e usb.data_len 2>/dev/null | sort -u
}

has "a URB of 1 MiB is whole" "$(lengths cut)" $'^1048576\t1048576$'
has "-s cuts, and the length of the transfer stays" "$(lengths snap)" $'^1048576\t64$'
has "at a length over 8,192, too" "$(lengths wide)" $'^1048576\t9999$'
has "what is whole could be replayed" "$(meta all.trawl usb/verdict)" '"replayable":true'
has "what was cut could not, and why" "$(meta snap.trawl usb/verdict)" \
	'"replayable":false.*"reason":"cut_snap"'
has "the ring has 64 MiB" "$(meta all.trawl usb/verdict)" '"ring_bytes":67108864'
disk=$(meta all.trawl usb/2-1)
has "devices are described" "$disk" '"serial":"TRAWL0001"'
has "with their drivers" "$disk" '"driver":"usb-storage"'
has "and descriptors" "$disk" '"descriptors":"1201'
keyboard=$(meta all.trawl usb/1-2.1)
has "a keyboard's report descriptor is there" "$keyboard" '"hid_report":"05010906'
trawl-export --to pcap --source usb all.trawl -w all.pcap
events=$(tshark -r all.pcap -T fields -e usb.urb_id -e usb.urb_type -e frame.time_epoch 2>/dev/null)
[ "$(wc -l <<<"$events")" -ge 12 ]
ok $? "the transfers are in the file"
same "all buses and one of them give no event twice" \
	"$(sort <<<"$events" | uniq | wc -l)" "$(wc -l <<<"$events")"
tap_done
