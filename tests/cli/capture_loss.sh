#!/bin/bash
# SPDX-License-Identifier: MIT
# Losses are exact: the events in the file and the reported losses add up to all hits.
. "$TRAWL_SRC/tests/tap.sh"
. "$TRAWL_SRC/tests/cli/capture.sh"
f=$work/x.trawl
hits=300000

lost_in_file() {
	trawl-decode --summary "$1" | sed -n 's/^ .* cpu [0-9]*: \([0-9]*\) (.*/\1/p' | awk \
		'{ n += $1 } END { print n + 0 }'
}

# The smallest buffer, and a recorder that is stopped for a while.
rm -f "$f"
trawl -v -i "usdt:$target:hit" -B 4 -w "$f" -- "$target" hits $hits 2>"$work/err" & trawl=$!
wait_armed "$f"
kill -STOP $trawl
sleep 1
kill -CONT $trawl
wait $trawl
same "events were lost: status" 1 $?
read -r captured lost <<<"$(totals "$work/err")"
ok $((lost == 0)) "a small buffer loses events ($lost)"
same "captured + lost = hits" $hits $((captured + lost))
same "the file holds what was captured" "$captured" "$(events "$f")"
same "the file has the same losses" "$lost" "$(lost_in_file "$f")"
has "-v: by CPU" "$(cat "$work/err")" "usdt: CPU [0-9]+ lost [0-9]+ events"

# The kernel counts lost companions (capture/tracefs/longtext.h) of a probe with a string like
# events. So the file says "at most", and fewer events may be lost, but not more.
cp "$TRAWL_BUILD/samples/tick" "$work/tick"
rm -f "$f"
trawl -i "uprobe:$work/tick:tick_name%return s=\$retval:string" -B 4 -w "$f" -- \
	"$work/tick" 100000 >/dev/null 2>"$work/err" & trawl=$!
wait_armed "$f"
kill -STOP $trawl
sleep 1
kill -CONT $trawl
wait $trawl
read -r captured lost <<<"$(totals "$work/err")"
ok $((lost == 0 || captured + lost < 100000 || captured > 100000)) \
	"with strings: $captured captured, at most $lost lost"
same "with strings: the file has the same number of losses" "$lost" "$(lost_in_file "$f")"
has "with strings: and that it is the most" "$(trawl-decode --summary "$f")" \
	' cpu [0-9]+: [0-9]+ \(overrun, at most\)'
has "in text, too" "$(trawl-decode "$f" | grep -F '***' | head -1)" \
	' [0-9]+ events of uprobe on cpu [0-9]+ lost .*: overrun, at most'

# The default buffer holds the hits of a third of the run while the recorder is stopped, however
# fast or slow the machine is.
rm -f "$f"
trawl -i "usdt:$target:hit" -w "$f" -- "$target" hits $((hits / 3)) 2>"$work/err" & trawl=$!
wait_armed "$f"
kill -STOP $trawl
sleep 1
kill -CONT $trawl
wait $trawl
same "the default buffer loses none in a short stop" "$((hits / 3)) 0" "$(totals "$work/err")"
same "and all are in the file" "$((hits / 3))" "$(events "$f")"

# A slow output (here a pipe) loses no event, although there are more than the buffers of two CPUs
# hold.
trawl -B 16384 -i "usdt:$target:hit" -w - -- "$target" hits $((3 * hits)) 2>"$work/err" |
	{ head -c 4096; sleep 2; cat; } >"$f"
same "a slow reader of a pipe loses none" "$((3 * hits)) 0" "$(totals "$work/err")"
same "and gets all" $((3 * hits)) "$(events "$f")"
tap_done
