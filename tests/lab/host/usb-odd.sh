# SPDX-License-Identifier: MIT
. "$TRAWL_SRC/tests/tap.sh"

# same_events NAME: passes if this capture has all events of tcpdump's.
same_events() {
	local out
	trawl-export --to pcap --source usb "$1.trawl" -w "$1.pcap"
	out=$(/usr/bin/python3 "$TRAWL_SRC/tests/lab/host/pcapsame.py" --fields tcpdump.pcap "$1.pcap" 2>&1)
	ok $? "$1: tcpdump's events are the same: $(head -2 <<<"$out" | tr '\n' ' ')"
}
verdict() {
	trawl-decode --meta=usb/verdict "$1.trawl"
}

same_events all
out=$(/usr/bin/python3 "$TRAWL_SRC/tests/lab/host/decodesame.py" all.trawl 2>&1)
ok $? "trawl-decode reads what tshark reads: $(tail -2 <<<"$out" | head -1)"
has "by the map of the ring" "$(verdict all)" '"replayable":true.*"ring_mapped":true'
same_events copied
has "without it" "$(verdict copied)" '"replayable":true.*"ring_mapped":false'
has "truncation by a small ring is reported" "$(verdict small)" \
	'"replayable":false.*"reason":"cut_ring",[^}]*"count":1\}'

# usbmon's text has the same, as far as it shows errors and isochronous packets.
trawl-export --to usbmon all.trawl -w all.txt
out=$(/usr/bin/python3 "$TRAWL_SRC/tests/lab/host/textsame.py" saved.txt all.txt 2>&1)
ok $? "usbmon's text: $(tail -3 <<<"$out" | tr '\n' ' ')"
has "it has the refused submission" "$(cat saved.txt)" ' E Ii:[0-9]+:001:1 -22 0'
has "and packets that failed" "$(cat saved.txt)" \
	' C Zi:[0-9]+:[0-9]+:1 0:[0-9]+:[0-9]+:2 8 0:0:192 0:192:0 0:384:100 -84:576:0 '
trawl-edit import -w imported.trawl saved.txt
ok $? "it can be imported"
trawl-export --to usbmon imported.trawl -w imported.txt
cmp imported.txt saved.txt
ok $? "and comes out again as it was"

bulk=$(tshark -r all.pcap -Y usb.transfer_type==3 -T fields -e usb.urb_type \
	-e usb.urb_status 2>/dev/null)
for status in -2 -32 -62 -71 -75 -84; do
	same "a completion with status $status" 1 "$(grep -c "^'C'.$status\$" <<<"$bulk")"
done
events=$(tshark -r all.pcap -T fields -e usb.urb_type -e usb.urb_status 2>/dev/null)
has "one by unplugging" "$events" "^'C'.-108$"
same "a refused submission" 1 "$(grep -c "^'E'.-22\$" <<<"$events")"

text=$(trawl-decode all.trawl)
has "isochronous packets are read" "$text" \
	'iso .* 8 packets, 2 failed \(crc error\), 549 of 1536 bytes'
for words in 'stall .EPIPE' 'protocol error .EPROTO' 'babble .EOVERFLOW' 'crc error .EILSEQ' \
	'no response .ETIME' \
	'unlinked .ENOENT' 'shut down .ESHUTDOWN' 'not submitted, invalid .EINVAL'; do
	has "it reads: $words" "$text" "$words"
done
# Isochronous packets have their own offsets and errors; data that was not sent is a gap.
packets=$(tshark -r all.pcap -Y "usb.transfer_type == 0 && usb.urb_type == 'C'" -T fields -e usb.iso.error_count \
	-e usb.iso.iso_off -e usb.iso.iso_len -e usb.iso.iso_status 2>/dev/null)
same "each packet has its place, length and status" \
	$'2\t0,192,384,576,768,960,1152,1344\t192,0,100,0,64,0,1,192\t0,0,0,-84,0,-18,0,0' \
	"$packets"
tap_done
