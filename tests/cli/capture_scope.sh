#!/bin/bash
# SPDX-License-Identifier: MIT
# A capture of user probes has the events of COMMAND or of -p and of all tasks that they start,
# however short they live, and of no others. The kernel leaves out other tasks after their first
# event.
. "$TRAWL_SRC/tests/tap.sh"
. "$TRAWL_SRC/tests/cli/capture.sh"
f=$work/x.trawl

# pids FILE: prints the pids of the events in the file, each once.
pids() { trawl-decode --json "$1" | grep -o '"pid":[0-9]*' | sort -u; }

# left_out PID: prints the tasks that the kernel leaves out for the probes of this recorder.
left_out() { cat $tracing/instances/trawl_"$1"_*_usdt/set_event_notrace_pid; }

# If no other task hits the probe, all is recorded, and the kernel leaves out no task.
cat >"$work/children" <<-'CHILDREN'
	#!/bin/bash
	for ((i = 0; i < 200; i++)); do "$1" hits 3 & done
	wait
	( ( ( "$1" tree 20 ) ) )
	[ -z "$2" ] || sleep "$2"
CHILDREN
chmod +x "$work/children"
rm -f "$f"
trawl -i "usdt:$target:hit" -w "$f" -- "$work/children" "$target" 2 2>"$work/err" & trawl=$!
wait_armed "$f"
sleep 1.5
same "no other process hits the probe: no filter in the kernel" "" "$(left_out $trawl)"
wait $trawl
same "children that live shortly: every hit" "660 0" "$(totals "$work/err")"
same "of 202 processes" 202 "$(pids "$f" | wc -l)"

# Another process hits the probe all the time, before and during the capture.
"$target" hits 100000000 20 & other=$!
rm -f "$f"
trawl -v -i "usdt:$target:hit" -w "$f" -- "$work/children" "$target" 2 2>"$work/err" & trawl=$!
wait_armed "$f"
sleep 1.5
same "others hit it, too: the kernel leaves them out" $other "$(left_out $trawl)"
wait $trawl
same "with others: every hit, none of theirs" "660 0" "$(totals "$work/err")"
same "with others: 202 processes" 202 "$(pids "$f" | wc -l)"
has "-v: how many hits are not in the file" "$(cat "$work/err")" \
	'^trawl: usdt: [0-9]+ hits are not in the file: of processes that are not recorded'
same "none is the other" 0 "$(pids "$f" | grep -c ":$other\$")"

# A thread that calls execve() takes the TID of the first thread, whose end another CPU records.
for ((i = 0; i < 3; i++)); do
	trawl -i "usdt:$target:hit" -w "$f" -- "$target" takeover 10 2>"$work/err"
	same "the program that a thread executes is followed ($i)" "10 0" "$(totals "$work/err")"
done

# Other processes start and end all the time.
while [ ! -e "$work/enough" ]; do "$target" hits 2; done & churn=$!
trawl -i "usdt:$target:hit" -w "$f" -- "$target" tasks 1000 2 2>"$work/err"
touch "$work/enough"
wait $churn
same "many tasks, with others that come and go: every hit" "4000 0" "$(totals "$work/err")"
same "all in 1,001 processes" 1001 "$(pids "$f" | wc -l)"

# -p: processes that a process of -p starts from now on are followed; those of others are not.
cat >"$work/later" <<-'LATER'
	#!/bin/bash
	read -r
	for ((i = 0; i < 50; i++)); do "$1" hits 2; done
	sleep 1
LATER
chmod +x "$work/later"
mkfifo "$work/go"
"$work/later" "$target" <"$work/go" & parent=$!
exec 9>"$work/go"
rm -f "$f"
trawl -i "usdt:$target:hit" -p $parent -w "$f" 2>"$work/err" & trawl=$!
wait_armed "$f"
echo >&9
exec 9>&-
wait $trawl
kill $other
same "-p: the children's hits" "100 0" "$(totals "$work/err")"
same "-p: 50 processes" 50 "$(pids "$f" | wc -l)"
wait

# After starts of tasks were lost, hits of undetermined tasks are reported as losses.
trawl -B 4 -i "usdt:$target:hit" -w "$work/few.trawl" -- \
	sh -c '"$0" tasks 4000 2; : >"$1"' "$target" "$work/done" 2>"$work/err" & trawl=$!
wait_armed "$work/few.trawl"
kill -STOP $trawl
while [ ! -e "$work/done" ]; do sleep 0.1; done
kill -CONT $trawl
wait $trawl
same "starts of tasks were lost: status" 1 $?
read -r captured lost <<<"$(totals "$work/err")"
same "starts of tasks were lost: captured + lost = hits" 16000 $((captured + lost))
has "a message states it" "$(cat "$work/err")" '; of tasks: lost [0-9]+\)'
# The scheduler's events have two tasks; they are recorded if either is followed. All runs on CPU 0:
# the kernel's filter has been seen to drop these events from the idle task of another CPU.
trawl -q -i event:sched:sched_switch -i event:sched:sched_waking -w "$f" -- taskset -c 0 \
	"$target" hits 50 1000
trawl-decode --json --source event --source task "$f" | /usr/bin/python3 -c '
import json, sys
events = [json.loads(line) for line in sys.stdin]
begun = {e["tid"] for e in events if e["name"] == "sched:sched_process_exec"}
# The leak sanitizer looks from a task of its own, at the end.
ours = begun | {e["fields"]["pid"] for e in events
                if e["name"] == "task:task_newtask" and e["tid"] in begun}
seen = [e for e in events if e["source"] == "event"]
others = [e for e in seen if e["tid"] not in ours]
in_it = [e for e in seen if ours & {e["fields"].get(k) for k in ("prev_pid", "next_pid", "pid")}]
wrong = [e for e in seen if e not in in_it and e["tid"] not in ours]
to_us = sum(e["fields"].get("next_pid") in ours for e in others)
woken = sum(e["name"] == "sched:sched_waking" and e["fields"]["pid"] in ours for e in seen)
print(len(begun), len(wrong), to_us > 10, woken > 10)
' >"$work/result"
same "the switches of others to the scope are there, and who wakes it; nothing else of theirs" \
	"1 0 True True" "$(cat "$work/result")"
# Without a scope, no metadata is written for a task that only starts others.
trawl -q -i "usdt:$target:hit" -w "$work/idle.trawl" & trawl=$!
wait_armed "$work/idle.trawl"
for i in 1 2 3; do ( : ); done
"$target" hits 1 500000
kill -INT $trawl
wait $trawl
# (The task is named twice if the hit was drained before the event of its execve().)
same "the file names the task of the event, not the one that started it" "0 0" "$(
	told=$("$TRAWL_BUILD/tests/format/dump" "$work/idle.trawl" | grep '"task/')
	hit=$(trawl-decode --json "$work/idle.trawl" | sed 's/.*"tid":\([0-9]*\).*/\1/')
	grep -q "\"task/$hit\"" <<<"$told"
	echo "$? $(grep -c "\"task/$$\"" <<<"$told")")"
# A task that existed at the start and ended before its metadata was read.
"$target" hits 1000000 1000 & pid=$!
trawl -q -i event:sched:sched_switch -w "$work/gone.trawl" & trawl=$!
wait_armed "$work/gone.trawl"
kill -STOP $trawl
sleep 0.2
kill $pid
wait $pid 2>/dev/null
kill -INT $trawl
kill -CONT $trawl
wait $trawl
same "one that ended before anybody looked has its name" target \
	"$(trawl-decode --json --pid $pid "$work/gone.trawl" | sed 's/.*"comm":"\([^"]*\)".*/\1/' |
		uniq)"
# Command lines of other processes, which may have passwords, are not in the file.
cmdlines() {
	trawl-decode --meta='task/*' "$work/args.trawl" |
		sed -n 's/.*"comm":"target",.*"exe":"[^"]*target",\(.*\)"time_ns".*/\1/p'
}
trawl -q -i event:sched:sched_switch -w "$work/args.trawl" -- "$target" hits 10 1000
same "the arguments of COMMAND" "\"cmdline\":[\"$target\",\"hits\",\"10\",\"1000\"]," "$(cmdlines)"
"$target" hits 1000000 1000 & pid=$!
trawl -q -i event:sched:sched_switch --duration 1s -w "$work/args.trawl"
same "no one else's" 0 "$(cmdlines | grep -c cmdline)"
ok \
	"$(trawl-decode --meta='task/*' "$work/args.trawl" |
		grep -q "\"tid\":$pid,.*\"comm\":\"target\""; echo $?)" "but their names"
kill $pid
wait $pid 2>/dev/null

# In a container the kernel's events have other pids than /proc.
inside() { unshare -pf --mount-proc --kill-child "$@"; }
if inside true 2>/dev/null; then
	rm -f "$f"
	fails "COMMAND in a PID namespace" 3 'hits: this is a PID namespace' \
		inside trawl -i "usdt:$target:hit" -w "$f" -- hits
	fails "-p in a PID namespace" 3 '^trawl: -p: this is a PID namespace' \
		inside trawl -i "usdt:$target:hit" -p 1 -w "$f"
	"$target" hits 100000000 20 & pid=$!
	inside trawl -i "usdt:$target:hit" -c 5 -w "$f" 2>"$work/err"
	kill $pid
	wait $pid 2>/dev/null
	same "the whole machine in a PID namespace: numbers from outside" "\"tid\":$pid" \
		"$(trawl-decode --json "$f" | grep -o '"tid":[0-9]*' | sort -u)"
	same "no task is looked up by these numbers" "" "$(trawl-decode --meta='task/*' --meta='maps/*' "$f")"
	has "a message states it" "$(cat "$work/err")" '^trawl: this is a PID namespace'
else
	skip "PID namespaces" "there are none here"
fi
# A process of -p that does not exist is named and left out.
sleep 100 & alive=$!
true & ended=$!
wait $ended
rm -f "$f"
for input in event:sched:sched_switch branch:ptrace; do
	trawl -i $input -p "$ended $alive" --duration 0.2s -w "$f" 2>"$work/err"
	same "$input: one of two processes has ended" "0 -p $ended: no such process: left out" \
		"$? $(sed -n 's/^trawl: \(-p .*\)/\1/p' "$work/err")"
done
kill $alive

tap_done
