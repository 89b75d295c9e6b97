# SPDX-License-Identifier: MIT
# No pair of times of a URB is out of order by more than the bounds that the file states.
. "$TRAWL_SRC/tests/tap.sh"
trawl-decode --json --raw --bounds urbs.trawl >urbs.json
ok $? "it decodes"
read -r checked broken worst tight < <(/usr/bin/python3 "$TRAWL_SRC/tests/lab/urbs.py" urbs.json)
[ "${checked:-0}" -gt 1000 ]
ok $? "$checked pairs of times of the same URB"
[ "${tight:-0}" -gt 500 ]
ok $? "$tight of them within bounds of 10 us (the others are near a step)"
same "none is out of order by more than its bounds (the closest are $((-worst)) ns apart)" 0 \
	"$broken"
steps=$(trawl-decode --utc --summary urbs.trawl | grep -c 'the wall clock was set')
ok $((steps < 7)) "the summary has $steps steps of the wall clock"
doubtful=$(grep -c '"bound_ns":[0-9]\{8,\}[,}]' urbs.json)
ok $((doubtful < 1)) \
	"$doubtful events are where a time of the wall clock may be either of two, and say so"
cmp -s <("$TRAWL_BUILD/tests/format/dump" urbs.trawl) \
	<(/usr/bin/python3 "$TRAWL_SRC/tests/reader.py" urbs.trawl)
ok $? "the independent reader has every event at the same time"
tap_done
