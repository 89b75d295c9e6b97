# SPDX-License-Identifier: MIT
# A .trawl file in programs that know pcapng only: they show the sentence at the front that tells
# what the file is, and find nothing wrong.
. "$TRAWL_SRC/tests/tap.sh"
golden=$TRAWL_SRC/tests/golden

for file in events meta kinds two; do
	if ! command -v tshark >/dev/null; then
		skip "$file in tshark" "tshark is not installed"
		continue
	fi
	out=$(tshark -r "$golden/$file.trawl" 2>/dev/null)
	same "$file: tshark finds nothing wrong" 0 "$?"
	has "$file: tshark shows what it is" "$out" 'This is a trawl capture'
	err=$(tshark -r "$golden/$file.trawl" 2>&1 >/dev/null | grep -v 'Running as user')
	same "$file: tshark has nothing to say" "" "$err"
done
if command -v capinfos >/dev/null; then
	has "capinfos lists the sources as interfaces" "$(capinfos -I "$golden/events.trawl")" \
		'Number of interfaces in file: 2'
else
	skip "capinfos lists the sources as interfaces" "capinfos is not installed"
fi
if command -v tcpdump >/dev/null; then
	tcpdump -r "$golden/events.trawl" >/dev/null 2>&1
	ok $? "tcpdump reads it as a capture without packets"
else
	skip "tcpdump reads it as a capture without packets" "tcpdump is not installed"
fi
tap_done
