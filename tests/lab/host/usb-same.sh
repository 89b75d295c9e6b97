# SPDX-License-Identifier: MIT
. "$TRAWL_SRC/tests/tap.sh"
same_events=$TRAWL_SRC/tests/lab/host/pcapsame.py

trawl-export --to pcap --source usb trawl.trawl -w trawl.pcap
ok $? "the capture exports to pcap"
trawl-export --to pcapng --source usb trawl.trawl -w trawl.pcapng
ok $? "the capture exports to pcapng"
out=$(/usr/bin/python3 "$same_events" tcpdump.pcap trawl.pcap 2>&1)
ok $? "tcpdump's events are the same: $(tail -1 <<<"$out")"
out=$(/usr/bin/python3 "$same_events" dumpcap.pcapng trawl.pcapng 2>&1)
ok $? "dumpcap's events are the same: $(tail -1 <<<"$out")"
tap_done
