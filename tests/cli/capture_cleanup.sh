#!/bin/bash
# SPDX-License-Identifier: MIT
# However a capture ends, nothing of it stays in the kernel; after kill -9 the next run or --gc
# removes it. Probes of other programs stay.
. "$TRAWL_SRC/tests/tap.sh"
. "$TRAWL_SRC/tests/cli/capture.sh"
f=$work/x.trawl

# A probe of another program, which must outlast the whole test.
other=trawltest_$$
echo "p:$other/mine $target:0x1000" >>$tracing/uprobe_events
mkdir $tracing/instances/$other
others() { grep -c ":$other/" $tracing/uprobe_events; ls -d $tracing/instances/$other; }
before=$(others)

"$target" hits 1000000 500 & pid=$!

# start FILE: starts a capture in the background and waits until it records; its pid is in $trawl.
start() {
	rm -f "$1"
	trawl -q -i "usdt:$target:hit" -i event:sched:sched_process_exit -p $pid -w "$1" & trawl=$!
	wait_armed "$1"
	sleep 0.3
}

start "$f"
has "while it runs: its instances" "$(traces_of $trawl)" "instances/trawl_${trawl}_[0-9]+_usdt"
has "while it runs: its probes" "$(traces_of $trawl)" "^p:trawl_${trawl}_[0-9]+_usdt/target_hit "
said=$(trawl-decode --summary "$f" 2>&1)
same "during a capture: its file is reported as incomplete" 1 $?
has "the reason is that it is still being written" "$said" \
	'^file .*: still being written: all up to byte [0-9]+ is here$'
has "no losses so far" "$said" '^losses +none so far$'
kill $trawl
wait $trawl
has "once it has ended: it is whole, without a loss" \
	"$(trawl-decode --summary "$f" | grep -E '^(file|losses)' |
	xargs)" ': complete losses none$'
same "after SIGTERM: nothing" "" "$(traces_of $trawl)"

start "$f"
kill -9 $trawl
wait $trawl 2>/dev/null
has "after kill -9: all of it" "$(traces_of $trawl)" "instances/trawl_${trawl}_"
said=$(trawl-decode --summary "$f" 2>&1)
has "its file can be read" "$said" 'no end block'
has "losses known so far are in the file" "$said" '^losses +none as far as is known'
dead=$trawl
start "$work/y.trawl"
same "the next run removes it" "" "$(traces_of $dead)"
first=$trawl

# Two captures at once: neither the second one nor --gc removes or disturbs the first.
trawl -q -i "usdt:$target:hit" -p $pid -w "$work/z.trawl" -c 20
same "two captures at once: the second has its events" 20 "$(events "$work/z.trawl")"
has "two captures at once: the first continues" "$(traces_of $first)" "_usdt"
trawl --gc >/dev/null
has "--gc keeps running captures" "$(traces_of $first)" "_usdt/target_hit"
kill $first
wait $first
has "two captures at once: the first has its events" "$(trawl-decode --summary "$work/y.trawl")" 'complete$'
ok $(($(events "$work/y.trawl") < 20)) "two at once: the first has as many as the second at least"

# Other tests run at the same time, and each run of trawl removes what dead captures left: one of
# them may be quicker than --gc here, or leave more, but not five times in a row.
removed='removed ([3-9]|[1-9][0-9]+) instances and [1-9][0-9]* probes? of'
for _ in 1 2 3 4 5; do
	start "$f"
	kill -9 $trawl
	wait $trawl 2>/dev/null
	said=$(trawl --gc)
	same "--gc removes what killed captures left" "" "$(traces_of $trawl)"
	[[ $said =~ $removed ]] && break
done
has "--gc states what it removed" "$said" "$removed"

# Another program holds an instance open for a moment, as another trawl does while it removes it.
start "$f"
kill -9 $trawl
wait $trawl 2>/dev/null
exec 3<"$(echo $tracing/instances/trawl_${trawl}_*_usdt)/trace_pipe"
sleep 0.3 &
exec 3<&-
same "--gc waits for a short look: no error" "" "$(trawl --gc 2>&1 >/dev/null)"
same "--gc waits for a short look: nothing is left" "" "$(traces_of $trawl)"

# A capture in another pid namespace: its pid means nothing here, but its lock does.
if unshare -pf --mount-proc true 2>/dev/null; then
	rm -f "$f"
	unshare -pf --mount-proc --kill-child trawl -q -i "event:sched:sched_switch" -w "$f" &
	outer=$!
	wait_armed "$f"
	trawl --gc >/dev/null
	same "--gc leaves captures of other pid namespaces" 1 \
		"$(ls -d $tracing/instances/trawl_[0-9]_*_event | wc -l)"
	kill -9 $outer
	wait $outer 2>/dev/null
	sleep 0.2
	trawl --gc >/dev/null
	same "and removes them when their recorder has ended" 0 \
		"$(ls -d $tracing/instances/trawl_[0-9]_*_event 2>/dev/null | wc -l)"
else
	skip "--gc leaves captures of other pid namespaces" "no pid namespaces here"
fi

# The instance goes before the probes: otherwise the kernel resets its buffers at each removal.
rm -f "$f"
inputs=()
for ((i = 0; i < 60; i++)); do inputs+=(-i "uprobe:$target:target_hits a$i=%di"); done
trawl "${inputs[@]}" -p $pid -w "$f" 2>"$work/err" & trawl=$!
wait_armed "$f"
instance=$(ls -d $tracing/instances/trawl_${trawl}_*_uprobe)
kill $trawl
early=0
while n=$(grep -c ":${instance##*/}/" $tracing/uprobe_events); [ "$n" -gt 0 ]; do
	[ "$n" -eq 60 ] || [ ! -e "$instance" ] || early=$((early + 1))
done
wait $trawl
same "no probe is removed before the instance" 0 $early
has "many probes: a line says why trawl goes on" "$(cat "$work/err")" \
	'^trawl: removing 60 probes, one by one; an interrupt does not stop this$'
same "many probes: nothing is left" "" "$(traces_of $trawl)"

# An error after the first source has been set up.
fails "the second source is wrong" 2 'no such event' sh -c 'echo $$ >"$0.pid"; exec "$@"' "$f" \
	trawl -i "usdt:$target:hit" -i event:sched:none -p $pid -w "$f"
same "nothing is left of the first" "" "$(traces_of "$(cat "$f.pid")")"

# Another program switches the recording off in tracefs.
rm -f "$f"
trawl -i "usdt:$target:hit" -p $pid -w "$f" 2>"$work/err" & trawl=$!
wait_armed "$f"
sleep 0.3
echo 0 >"$(ls -d $tracing/instances/trawl_${trawl}_*_usdt)/tracing_on"
sleep 2.2
kill $trawl
wait $trawl
same "switched off by another program: status" 1 $?
has "switched off by another program: message" "$(cat "$work/err")" 'another program switched the recording off'

kill $pid
wait $pid 2>/dev/null
same "others' probes are as they were" "$before" "$(others)"
rmdir $tracing/instances/$other
echo "-:$other/mine" >>$tracing/uprobe_events
tap_done
