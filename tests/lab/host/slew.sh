# SPDX-License-Identifier: MIT
# The times of a capture during which the clocks were slewed (in ppm). Both clocks are slewed alike,
# so
# no time is out of order by more than the bounds, and only the leap second is a step.
. "$TRAWL_SRC/tests/tap.sh"
while read -r name least most; do
	ppm=$(sed -n "s/^$name //p" slews)
	ok $((ppm < least || ppm > most)) "$name: $ppm"
done <<'END'
faster 95000 105000
slower -105000 -95000
frequency-up 400 600
frequency-down -600 -400
adjtime -600 -400
pll 2000 10000
leap -1050000000 -950000000
END
summary=$(trawl-decode --utc --summary slew.trawl)
steps=$(grep -E 'the wall clock was set|the machine slept' <<<"$summary")
same "no slewing is a step: it was set to the end of the day, and by the leap second" 2 \
	"$(wc -l <<<"$steps")"
has "by just one second" "$(tail -1 <<<"$steps")" \
	'the wall clock was set (1\.0000|0\.9999)[0-9]{5} s back'
trawl-decode --json --raw --bounds slew.trawl >slew.json
read -r checked broken worst tight < <(/usr/bin/python3 "$TRAWL_SRC/tests/lab/urbs.py" slew.json)
[ "${tight:-0}" -gt 1000 ] && [ "$tight" -gt $((checked * 9 / 10)) ]
ok $? "$checked pairs of times of the same URB, $tight within bounds of 10 us"
same "none is out of order by more than its bounds (the closest are $((-worst)) ns apart)" 0 \
	"$broken"
tap_done
