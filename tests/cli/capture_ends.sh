#!/bin/bash
# SPDX-License-Identifier: MIT
# All the ways in which a capture ends, and the part that COMMAND has in them.
. "$TRAWL_SRC/tests/tap.sh"
. "$TRAWL_SRC/tests/cli/capture.sh"
f=$work/x.trawl

end_of() { trawl-decode --summary "$1" | sed -n 's/^end *//p'; }

trawl -q -i "usdt:$target:hit" -w "$f" -- "$target" exit 42
same "a failing COMMAND does not change trawl's exit status" 0 $?
has "its exit status is in the file" "$(end_of "$f")" 'exit_status 42'
has "and on stderr" "$(trawl -i "usdt:$target:hit" -w "$f" -- "$target" exit 42 2>&1)" \
	'target: exit status 42'
has "killed by a signal" "$(trawl -i "usdt:$target:hit" -w "$f" -- "$target" abort 2>&1)" \
	'killed by SIGABRT'
has "the signal is in the file" "$(end_of "$f")" 'signal 6'

trawl -q -i "usdt:$target:hit" -c 25 -w "$f" -- "$target" wait >/dev/null
same "-c: status" 0 $?
same "-c: exactly COUNT events" 25 "$(events "$f")"
has "-c: why it ended" "$(end_of "$f")" 'why count \(the number of events of -c was reached\)'
ok "$(pgrep -f "$target wait" >/dev/null; [ $? -eq 1 ]; echo $?)" "-c: the command does not go on"
trawl -q -i "usdt:$target:hit" -c 1000 -w "$f" -- "$target" hits 100000
same "-c: exactly COUNT events at a high rate" 1000 "$(events "$f")"

trawl -q -i "usdt:$target:hit" -i "uprobe:$target:target_hits" -i event:sched:sched_switch -c 1000 \
	-w "$f" \
	-- "$target" hits 100000 20
same "-c: exactly COUNT events over all sources" 1000 "$(events "$f")"
same "-c: the metadata 'end' states the count" 1000 \
	"$(trawl-decode --meta=end "$f" | grep -o '"source":"[a-z]*","events":[0-9]*' |
	grep -v task | awk -F: '{ n += $NF } END { print n + 0 }')"

# -c: the first N events in time. Each turn of tick hits tick_step and then loop. If all sources end
# at the same moment, tick_step has as many hits as loop, or one more, whatever was drained first.
cp "$TRAWL_BUILD/samples/tick" "$work/tick"
turns() { # FILE SOURCE: prints the argument n of the source's events, in the order of the file
	trawl-decode --json "$1" | grep "\"source\":\"$2\"" | grep -oE '"(arg1|n)":[0-9]+' |
		cut -d: -f2
}
told() { # FILE: prints the number of events of each source by the metadata "end"
	trawl-decode --meta=end "$1" | grep -oE '"source":"(usdt|uprobe)","events":[0-9]*' |
		sed 's/.*"source":"\(.*\)","events":/\1 /' | tr '\n' ' '
}
for count in 1 2 20001 100000; do
	trawl -c $count -i "usdt:$work/tick:tick:loop" -i "uprobe:$work/tick:tick_step n" -w "$f" \
		-- "$work/tick" 25000 >/dev/null 2>"$work/err"
	same "-c $count of two sources: status" 0 $?
	n=$((count < 50000 ? count : 50000))
	same "-c $count: the first in time: tick_step" "$(seq 0 $(((n + 1) / 2 - 1)) | md5sum)" \
		"$(turns "$f" uprobe | md5sum)"
	same "-c $count: the first in time: loop" "$(seq 0 $((n / 2 - 1)) | md5sum)" \
		"$(turns "$f" usdt | md5sum)"
	same "-c $count: the metadata 'end' matches the file" "usdt $((n / 2)) uprobe $(((n + 1) / 2)) " \
		"$(told "$f")"
	same "-c $count: the final line matches the file" "$n 0" "$(totals "$work/err")"
done

# --duration: the file has exactly the events up to that time after its first clock sync, the start.
# On a busy machine the program may not run for so long: then it is repeated with more time.
"$target" hits 1000000 100 & pid=$!
for ms in 700 7000 70000; do
	trawl -q -i "usdt:$target:hit" -i event:sched:sched_switch -p $pid --duration ${ms}ms -w "$f"
	status=$?
	trawl-decode --json "$f" | sed -n 's/.*"ts_ns":\([0-9]*\).*/\1/p' >"$work/times"
	[ "$(wc -l <"$work/times")" -lt 100 ] || break
done
same "--duration: status" 0 $status
has "--duration: why" "$(end_of "$f")" 'why duration'
start=$("$TRAWL_BUILD/tests/format/dump" "$f" | sed -n 's/^{"sync":\[[0-9]*,\([0-9]*\),.*/\1/p' |
		head -1)
ok $(($(wc -l <"$work/times") < 100)) "--duration: there are events"
ok $(($(tail -1 "$work/times") > start + ms * 1000000)) "--duration: none is later"
ok $(($(head -1 "$work/times") < start)) "--duration: none is earlier than the start"

# record_ticks HOW SECONDS: records tick into $f until a signal or --duration ends the capture.
# Returns trawl's status.
record_ticks() {
	local more=() tick trawl status
	rm -f "$f"
	[ "$1" != --duration ] || more=("$1" "$2")
	"$work/tick" 2000000000 >/dev/null & tick=$!
	trawl -q -i "usdt:$work/tick:tick:loop" -i "uprobe:$work/tick:tick_step n" \
		-i "uprobe:$work/tick:tick_name n" -w "$f" "${more[@]}" & trawl=$!
	if [ "$1" != --duration ]; then
		wait_armed "$f"
		sleep "$2"
		kill -"$1" $trawl
	fi
	wait $trawl
	status=$?
	kill $tick
	wait $tick 2>/dev/null
	return $status
}

# All sources and probes begin at one moment and end at one moment. Each turn of tick hits
# tick_name, tick_step and loop, so that their numbers of hits differ by one at most.
for how in INT TERM --duration; do
	for seconds in 0.3 3 30; do
		record_ticks $how $seconds
		status=$?
		[ "$(events "$f")" -lt 3 ] || break
	done
	same "$how: status" 0 $status
	trawl-decode --json "$f" | /usr/bin/python3 -c '
import collections, json, sys
turns = collections.defaultdict(list)
for line in sys.stdin:
    e = json.loads(line)
    turns[e["name"]].append(e["fields"].get("n", e["fields"].get("arg1")))
print(len(turns), max(v[0] for v in turns.values()) - min(v[0] for v in turns.values()) <= 1,
      max(v[-1] for v in turns.values()) - min(v[-1] for v in turns.values()) <= 1,
      all(v == list(range(v[0], v[-1] + 1)) for v in turns.values()))' >"$work/turns"
	same "$how: three probes begin and end in one turn, with all in between" \
		"3 True True True" "$(cat "$work/turns")"
	has "$how: nothing is lost" "$(trawl-decode --meta=end "$f")" \
		'"incomplete":false,"begin_mono_ns":[0-9]+,"end_mono_ns":[0-9]+,.*"usdt","events":[0-9]+,"lost":0,'
	"$TRAWL_BUILD/tests/format/dump" "$f" | /usr/bin/python3 -c '
import re, sys
text = sys.stdin.read()
end = int(sys.argv[1])
start = int(re.search(r"\{\"sync\":\[(\d+),", text)[1])
stamps = [int(t) for t in re.findall(r"^\{\"event\":\{\"time\":\d+(?:,\"bound\":\d+)?,\"ts\":(\d+)", text, re.M)]
print(min(stamps) >= start, max(stamps) <= end)' \
		"$(trawl-decode --meta=end "$f" | grep -oP 'end_mono_ns":\K\d+')" >"$work/span"
	same "$how: no event is outside of the times that the file states" "True True" \
		"$(cat "$work/span")"
done

for signal in INT TERM HUP; do
	rm -f "$f"
	trawl -i "usdt:$target:hit" -w "$f" 2>"$work/err" & trawl=$!
	wait_armed "$f"
	sleep 0.3
	kill -$signal $trawl
	wait $trawl
	same "SIG$signal: status" 0 $?
	has "SIG$signal: why" "$(end_of "$f")" 'why signal'
	has "SIG$signal: final line" "$(cat "$work/err")" '^[0-9]+ events? captured, 0 lost'
	same "SIG$signal: cleaned up" "" "$(traces_of $trawl)"
done
kill $pid
wait $pid 2>/dev/null

# -p: the capture ends when all its processes have ended, in whatever order.
sleep 1000 & first=$!
sleep 1000 & last=$!
rm -f "$f"
timeout 60 trawl -i "usdt:$target:hit" -p $last -p $first -w "$f" 2>"$work/err" & trawl=$!
wait_armed "$f"
kill $first
wait $first 2>/dev/null
sleep 0.5
ok "$(kill -0 $trawl; echo $?)" "-p: one process ends, the capture goes on"
kill $last
wait $last 2>/dev/null
wait $trawl
same "-p: the other ends: status" 0 $?
has "-p: why" "$(end_of "$f")" 'why process'
has "-p: a message states it" "$(cat "$work/err")" 'all processes of -p have ended'

# A signal is passed on to the command; the capture ends when the command ends.
rm -f "$f"
trawl -i "usdt:$target:hit" -w "$f" -- "$target" wait >"$work/out" 2>"$work/err" & trawl=$!
wait_armed "$f"
until grep -q ready "$work/out"; do sleep 0.1; done
kill -TERM $trawl
wait $trawl
same "a forwarded signal: status" 0 $?
has "a forwarded signal: the command ended by it, in its own way" "$(end_of "$f")" 'exit_status 7'

# A command that ignores the signal: a note says so, and the next signal ends the capture.
rm -f "$f"
trawl -i "usdt:$target:hit" -w "$f" -- \
	bash -c 'trap "" TERM; : >"$2"; while sleep 0.1; do [ ! -e "$1" ] || exit; done' \
	x "$work/enough" "$work/deaf" 2>"$work/err" & trawl=$!
until [ -e "$work/deaf" ]; do sleep 0.1; done
kill -TERM $trawl
for ((n = 0; n < 100; n++)); do
	! grep -q 'goes on' "$work/err" || break
	sleep 0.1
done
has "a signal that COMMAND ignores is reported" "$(cat "$work/err")" \
	'^trawl: bash was interrupted and goes on; another interrupt ends the capture$'
kill -TERM $trawl
wait $trawl
has "the second signal ends the capture" "$(end_of "$f")" 'why signal'
touch "$work/enough"

# Processes that a process of -p started before the capture are not recorded, and a line says so.
bash -c 'sleep 1000 & sleep 1000 & wait' & pid=$!
until [ "$(pgrep -c -P $pid)" = 2 ]; do sleep 0.1; done
mapfile -t children < <(pgrep -P $pid)
trawl -i "usdt:$target:hit" -p $pid --duration 10ms -w "$f" 2>"$work/err"
has "-p: existing children are not followed" "$(cat "$work/err")" \
	"-p $pid: it had 2 children before, not recorded; name those with -p, too"
trawl -i "usdt:$target:hit" -p "4194303,$pid,$pid" --duration 10ms -w "$f" 2>"$work/err"
same "-p: of processes that are there, once each" \
	"trawl: -p 4194303: no such process: left out
trawl: -p $pid: it had 2 children before, not recorded; name those with -p, too" \
	"$(grep -- -p "$work/err")"
trawl -i "usdt:$target:hit" -p "$pid,${children[0]}" --duration 10ms -w "$f" 2>"$work/err"
has "-p: an existing child is followed if it is named" "$(cat "$work/err")" \
	"-p $pid: it had 1 child before, not recorded; name that with -p, too"
trawl -i "usdt:$target:hit" -p "$pid ${children[0]} ${children[1]}" --duration 10ms \
	-w "$f" 2>"$work/err"
ok "$(! grep -q 'not recorded' "$work/err"; echo $?)" "-p: all are named"
kill "${children[@]}"
wait $pid 2>/dev/null

# The reader of a pipe exits.
"$target" hits 1000000 100 & pid=$!
timeout 120 trawl -i "usdt:$target:hit" -p $pid -w - 2>"$work/err" | head -c 1000 >/dev/null
same "the reader of -w - exits: status" 0 "${PIPESTATUS[0]}"
timeout 120 trawl -q -i "usdt:$target:hit" -p $pid 2>"$work/err" | head -3 >"$work/out"
same "the reader of the printed events exits: status" 0 "${PIPESTATUS[0]}"
same "the reader got its lines" 3 "$(wc -l <"$work/out")"
kill $pid
wait $pid 2>/dev/null

# A command that cannot be run is reported, and the end report is always printed.
{ sleep 0.3; trawl -i "usdt:$target:hit" -w - -- touch \
	"$work/ran" 2>"$work/err"; echo $? >"$work/status"; } | true
same "-w - without a reader: status" 3 "$(cat "$work/status")"
has "-w - without a reader: message" "$(cat "$work/err")" \
	'^trawl: the reader of the output has exited: nothing was recorded, and touch was not run$'
has "-w - without a reader: final line" "$(cat "$work/err")" '^0 events captured, 0 lost'
ok "$([ ! -e "$work/ran" ]; echo $?)" "nobody reads -w -: the command did not run"
"$target" hits 1000000 100 & pid=$!
timeout 120 trawl -i "usdt:$target:hit" -p $pid -w - 2>"$work/err" | head -c 100 >/dev/null
same "the reader exits at once: status" 0 "${PIPESTATUS[0]}"
has "the reader exits at once: final line" "$(cat "$work/err")" '^[0-9]+ events? captured, 0 lost'
kill $pid
wait $pid 2>/dev/null

# SIGUSR1 prints the state of the capture.
trawl -i "usdt:$target:hit" -w "$work/asked" -- "$target" hits 1000000 1000 2>"$work/err" & trawl=$!
wait_armed "$work/asked"
kill -USR1 $trawl
for ((i = 0; i < 100; i++)); do grep -q 'so far' "$work/err" && break; sleep 0.1; done
kill -TERM $trawl
wait $trawl
has "SIGUSR1 without --ring" "$(cat "$work/err")" '^trawl: [0-9]+ events? captured so far$'
has "the capture continues to its end" "$(trawl-decode --summary "$work/asked")" 'complete$'

# COMMAND leaves a process running when it ends.
trawl -i "usdt:$target:hit" -w "$work/left" \
	-- sh -c "sleep 60 & $target hits 3; echo \$!" >"$work/out" 2>"$work/err"
same "processes left behind by COMMAND: status" 0 $?
has "they are reported" "$(cat "$work/err")" \
	"^trawl: sh has ended and left 1 process behind, no longer recorded; -p $(cat "$work/out") records it\$"
ok "$(kill "$(cat "$work/out")"; echo $?)" "and goes on"

# Without -w, events are printed.
trawl -v -i "usdt:$target:hit" -- "$target" hits 3 >"$work/out" 2>"$work/err"
same "-v and printed events: status" 0 $?
same "-v and printed events: all" 3 "$(grep -c 'target:hit' "$work/out")"
mkdir "$work/bin"
cp "$TRAWL_BUILD/trawl" "$work/bin/trawl"
for death in 'exit 2' 'kill -SEGV $$' 'cat >/dev/null; exit 3'; do
	printf '#!/bin/sh\n%s\n' "$death" >"$work/bin/trawl-decode"
	chmod 755 "$work/bin/trawl-decode"
	fails "the printer dies ($death)" 3 \
		'^trawl: trawl-decode .*(status [23]|SIGSEGV): events were not printed' \
		"$work/bin/trawl" -i "usdt:$target:hit" -- "$target" hits 3
done

trawl -q -i "usdt:$target:hit" -w - -- "$target" hits 9 | trawl-decode --json - >"$work/out"
same "-w - through a pipe" 9 "$(wc -l <"$work/out")"
same "COMMAND's output does not go into -w -" 1 \
	"$(trawl -q -i "usdt:$target:hit" -w - -- sh -c "echo hello; $target hits 1" 2>"$work/err" |
	trawl-decode --json - | wc -l)"
has "but to stderr" "$(cat "$work/err")" hello
trawl -q --json -i "usdt:$target:hit" \
	-- sh -c "echo hello; $target hits 3" >"$work/out" 2>"$work/err"
same "--json to stdout: status" 0 $?
same "COMMAND's output does not go into it" "3 0" \
	"$(grep -c '^{.*}$' "$work/out") $(grep -vc '^{.*}$' "$work/out")"
has "but to stderr" "$(cat "$work/err")" hello

# -G and -W: a row of files.
"$target" hits 1000000 500 & pid=$!
trawl -q -i "usdt:$target:hit" -p $pid -G 1 -W 2 -w "$work/g-%s.trawl"
same "-G -W: status" 0 $?
same "-G -W: number of files" 2 "$(ls "$work"/g-*.trawl | wc -l)"
for file in "$work"/g-*.trawl; do
	has "-G: each is complete" "$(trawl-decode --summary "$file")" 'complete$'
	ok $(($(events "$file") < 1)) "-G: each has events and can show them"
done
kill $pid
wait $pid 2>/dev/null

# With -G, a name that occurs again gets a number.
"$target" hits 1000000 500 & pid=$!
trawl -q -i "usdt:$target:hit" -p $pid -G 1 -W 3 -w "$work/same"
same "-G without a conversion: names" "same same.1 same.2" "$(cd "$work" && echo same*)"
for file in "$work"/same*; do
	has "-G: each is complete" "$(trawl-decode --summary "$file")" 'complete$'
done
kill $pid
wait $pid 2>/dev/null

# -G, -C and -W together: -W limits the files of each period.
trawl -q -i "usdt:$target:hit" -C 16k -G 1 -W 2 --duration 2500ms -w "$work/all" -- \
	"$target" hits 100000000
names=$(cd "$work" && echo all*)
has "-C -G -W: names" "$names" '^all0 all0\.1 all0\.2 all1 all1\.1( all1\.2)?$'
for file in "$work"/all*; do
	has "-C -G -W: each is complete" "$(trawl-decode --summary "$file")" 'complete$'
done

# -C: files of nearly that size; each event is in one of them. The buffer holds all events, so that
# none is lost on a busy machine.
trawl -i "usdt:$target:hit" -B 32768 -C 64k -w "$work/c" -- "$target" hits 400000 2>"$work/err"
n=$(ls "$work"/c* | wc -l)
ok $((n < 4)) "-C: several files ($n)"
same "-C: names" "c c1 c2" \
	"$(cd "$work" && echo c c1 c2 | xargs ls 2>/dev/null | tr '\n' ' ' | sed 's/ $//')"
for ((i = 0; i < n; i++)); do
	file=$work/c${i#0}
	# not sed, which takes 5 times as long
	trawl-decode --json "$file" | grep -oE '"arg1":[0-9]+' | cut -d: -f2
	has "-C: each is complete" "$(trawl-decode --summary "$file")" 'complete$'
	[ $((i + 1)) -eq "$n" ] || echo $(($(stat -c %s "$file") / 1024)) >>"$work/sizes"
done >"$work/seen"
grep -E '^(not )?ok' "$work/seen"
same "-C: all events, each in one of them" "$(seq 0 399999 | md5sum)" \
	"$(grep -E '^[0-9]+$' "$work/seen" | sort -n | md5sum)"
# The manual promises at most an eighth more. It promises no lower limit.
ok $(($(sort -n "$work/sizes" | tail -1) > 72)) "-C: no file is larger than it should be"
ok $(($(sort -n "$work/sizes" | head -1) < 48)) "-C: nor much smaller"
same "-C: the final line has the sum of all files" 400000 "$(totals "$work/err" | cut -d' ' -f1)"

# Each file of a row has the kernel symbols that its events need.
if [ -e $tracing/events/kmem/kfree ]; then
	trawl -q -i event:kmem:kfree -C 64k -w "$work/k" \
		-- sh -c 'for i in 1 2 3 4 5 6 7 8 9; do ls -lR /usr/share/doc /proc/sys >/dev/null 2>&1; done'
	bare=0
	for file in "$work"/k*; do
		trawl-decode --print "$file" >"$work/out"
		[ -s "$work/out" ] && grep -qvE 'call_site=[a-z_]' "$work/out" && bare=$((bare + 1))
	done
	ok $(($(ls "$work"/k* | wc -l) < 3)) "-C: several files of kernel events"
	same "-C: each shows the kernel's symbols" 0 $bare
else
	skip "-C: each shows the kernel's symbols" "this kernel has no kmem:kfree"
fi
# A signal that arrives while events are being switched on, of which there may be hundreds.
rm -f "$f"
python3 - "$work/begun" "$f" 2>"$work/err" <<-'END'
	import os, signal, sys
	signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
	os.kill(os.getpid(), signal.SIGTERM)
	os.execvp("trawl", ["trawl", "-i", "event:sched:sched_process_exit", "-w", sys.argv[2], "--",
	                    "touch", sys.argv[1]])
END
same "a signal before the capture begins: status" 3 $?
same "it says so" "trawl: capture: interrupted before anything was recorded" "$(cat "$work/err")"
ok "$([ ! -e "$work/begun" ] && [ ! -e "$f" ]; echo $?)" "COMMAND is not started, no file is left"

trawl -i "usdt:$target:hit" -C 32k -W 2 -w "$work/w" -- "$target" hits 100000 2>"$work/err"
has "-C -W: a message states that older files were removed" "$(cat "$work/err")" \
	'^100000 events captured, 0 lost \(usdt 100000\); the files hold the newest of them$'
same "-C -W: the same names in turn" "w0 w1" "$(cd "$work" && ls w* | tr '\n' ' ' | sed 's/ $//')"
tap_done
