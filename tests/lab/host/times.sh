# SPDX-License-Identifier: MIT
# Each event of a system call lies between the event of its begin, or of the end before, and the next one.
. "$TRAWL_SRC/tests/tap.sh"
trawl-decode --json --raw --bounds times.trawl >times.json
ok $? "it decodes"
"$TRAWL_BUILD/tests/format/dump" times.trawl >dump
/usr/bin/python3 "$TRAWL_SRC/tests/lab/calls.py" times.json dump kernel.* >result
ok $? "calls and their events are found"
while read -r good text; do
	ok "$good" "$text"
done <result
tap_done
