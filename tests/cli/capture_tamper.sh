#!/bin/bash
# SPDX-License-Identifier: MIT
# If another program changes a recording while it runs, a message and the file say so.
. "$TRAWL_SRC/tests/tap.sh"
. "$TRAWL_SRC/tests/cli/capture.sh"
f=$work/x.trawl

"$target" hits 1000000 1000 & load=$!

# record NAME: starts trawl and waits until it has read some events; $instance is its recording's.
record() {
	rm -f "$f"
	trawl -U -i "$2" -p $load -w "$f" 2>"$work/err" & trawl=$!
	wait_armed "$f"
	instance=$(ls -d $tracing/instances/trawl_${trawl}_*_$1)
	for ((n = 0; n < 100; n++)); do
		read=$(awk '/^read events/ { n += $3 } END { print n }' "$instance"/per_cpu/cpu*/stats)
		[ "$read" -gt 100 ] && return
		sleep 0.1
	done
}

# end PATTERN: waits until trawl has printed it, then ends trawl; $status is its exit status.
end() {
	for ((n = 0; n < 100; n++)); do
		grep -q "$1" "$work/err" && break
		sleep 0.1
	done
	kill $trawl
	wait $trawl
	status=$?
}

record usdt "usdt:$target:hit"
end nothing-is-said
same "left alone: status" 0 $status
has "undisturbed: no message" "$(cat "$work/err")" \
	'^[0-9]+ events? captured, 0 lost \(usdt [0-9]+\)$'
same "left alone: nothing but that and the start" 2 "$(wc -l <"$work/err")"

record usdt "usdt:$target:hit"
echo >"$instance/trace"
end emptied
same "emptied: status" 1 $status
same "emptied: said once" 1 "$(grep -c "usdt: the ring buffer was emptied" "$work/err")"
has "emptied: an unknown number is lost" "$(cat "$work/err")" \
	'[0-9]+ events? captured, ([0-9]+ and more|an unknown number) lost \(usdt [0-9]+ \(lost ([0-9]+ and more|an unknown number)\)\)'
has "emptied: the file says so" "$(trawl-decode --summary "$f")" \
	'usdt: an unknown number \(buffer emptied\) between'
has "emptied: and where it was" "$(trawl-decode "$f")" \
	'\*\*\* an unknown number of events of usdt lost in the last .*: buffer emptied'
has "emptied: the end too" "$(trawl-decode --meta=end "$f")" '"lost_more": ?true'

record event event:raw_syscalls:sys_enter
echo 0 >"$instance/events/raw_syscalls/sys_enter/enable"
end "switched off"
same "an event switched off: status" 1 $status
has "an event switched off: said" "$(cat "$work/err")" \
	'event: raw_syscalls:sys_enter was switched off'

kill $load
wait $load 2>/dev/null
tap_done
