# SPDX-License-Identifier: MIT
# The times of a capture during which the machine slept.
. "$TRAWL_SRC/tests/tap.sh"
sed 's/^/# /' said.suspend
has "the capture went on and lost nothing" "$(cat said.suspend)" '^[0-9]+ events? captured, 0 lost'
summary=$(trawl-decode --utc --summary suspend.trawl)
has "the summary says that the machine slept, and for how long" "$summary" \
	'the machine slept [1-9][0-9]*\.[0-9]{9} s: from here it is [1-9][0-9]*\.[0-9]{9} s ahead of the times shown'
same "once" 1 "$(grep -c 'the machine slept' <<<"$summary")"
trawl-decode --json --raw --bounds suspend.trawl >suspend.json
read -r checked broken worst tight < <(/usr/bin/python3 "$TRAWL_SRC/tests/lab/urbs.py" suspend.json)
[ "${tight:-0}" -gt 10 ]
ok $? "$checked pairs of times of the same URB, $tight within bounds of 10 us"
same "none is out of order by more than its bounds (the closest are $((-worst)) ns apart)" 0 \
	"$broken"
# Both xhci events are joined with the transfer by its URB.
trawl-decode --json --join suspend.trawl >joined.json
result=$(sed -n 's/.*"how":"urb","tid":[0-9]*,"comm":"[^"]*","name":"\([^"]*\)".*/\1/p' joined.json | sort | uniq -c)
has "--join names the task that submitted a URB, not who ran when it completed" "$result" \
	'^ *[1-9][0-9]* xhci-hcd:xhci_urb_enqueue$'
same "ever" 1 "$(wc -l <<<"$result")"
same "the text has as many" \
	"$(grep -o '"how":' joined.json | wc -l)" "$(trawl-decode --join suspend.trawl |
		grep -c '^        <- ')"
result=$(/usr/bin/python3 "$TRAWL_SRC/tests/lab/marks.py" marks.suspend suspend.json <<<"$summary")
sed 's/^/# /' <<<"$result"
for name in before woken after; do
	has "$name: what ran and what was read is where the wall clock says, within 10 us" \
		"$result" \
		"^$name [1-9][0-9]* [0-9]{2,} [0-9]{1,4}$"
done

# The clocks already differed when this capture began.
summary=$(trawl-decode --utc --summary late.trawl)
same "a capture that begins after that: nothing slept" 0 \
	"$(grep -c 'the machine slept' <<<"$summary")"
trawl-decode --json --raw --bounds late.trawl >late.json
result=$(/usr/bin/python3 "$TRAWL_SRC/tests/lab/marks.py" marks.late late.json <<<"$summary")
has "late: what ran and what was read is where the wall clock says, within 10 us" "$result" \
	'^late [1-9][0-9]* [0-9]{2,} [0-9]{1,4}$'
apart=$("$TRAWL_BUILD/tests/format/dump" late.trawl |
		sed -n 's/^{"sync":\[\([0-9]*\),[0-9]*,\([0-9]*\),.*/\2 - \1/p' | head -1)
ok $((apart < 1000000000)) "its clocks are $((apart / 1000000)) ms apart, as the file says"
tap_done
