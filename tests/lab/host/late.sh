# SPDX-License-Identifier: MIT
# The times of a source whose first event came late.
. "$TRAWL_SRC/tests/tap.sh"
summary=$(trawl-decode --utc --summary late.trawl)
same "the summary has both steps" 2 \
	"$(grep -cE 'the wall clock was set [0-9]+\.[0-9]{9} s (ahead|back): from here' <<<"$summary")"
has "the error at the start is that of reading the clocks, whatever comes later" "$summary" \
	'usb: realtime, resolution 1000 ns, error at the start at most [0-9]{1,5} ns'
trawl-decode --json --raw --bounds late.trawl >late.json
first() { grep -m1 "\"source\":\"$1\"" late.json | sed 's/{"ts_ns":\([0-9]*\).*/\1/'; }
[ $(($(first usb) - $(first event))) -gt 6000000000 ]
ok $? \
	"the first event of usb comes $((($(first usb) - $(first event)) / 1000000)) ms after another's"
result=$(/usr/bin/python3 "$TRAWL_SRC/tests/lab/marks.py" marks late.json <<<"$summary")
has "it is where the wall clock says, within 10 us" "$result" \
	'^first [1-9][0-9]* [0-9]{2,} [0-9]{1,4}$'
read -r checked broken worst tight < <(/usr/bin/python3 "$TRAWL_SRC/tests/lab/urbs.py" late.json)
[ "${tight:-0}" -gt 10 ]
ok $? "$checked pairs of times of the same URB, $tight within bounds of 10 us"
same "none is out of order by more than its bounds (the closest are $((-worst)) ns apart)" 0 \
	"$broken"
tap_done
