# SPDX-License-Identifier: MIT
. "$TRAWL_SRC/tests/tap.sh"
for name in small bulk; do
	zstd -q -3 -f "$name.pcap"
	ours=$(stat -c %s "$name.trawl") theirs=$(stat -c %s "$name.pcap.zst")
	[ "$ours" -le "$theirs" ]
	ok $? \
		"$name: $ours bytes of trawl, $theirs of tcpdump and zstd -3: $((ours * 1000 / theirs)) per mille"
	rm "$name.pcap"
done
tap_done
