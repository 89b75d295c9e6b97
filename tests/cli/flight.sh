#!/bin/bash
# SPDX-License-Identifier: MIT
# The flight recorder: --ring keeps the newest events, a trigger writes them to a file.
. "$TRAWL_SRC/tests/tap.sh"
. "$TRAWL_SRC/tests/cli/capture.sh"
f=$work/x.trawl
hit=usdt:$target:hit

# said: prints what trawl printed. hits FILE: prints "first last count" of the numbers of its hits.
said() { cat "$work/err"; }
hits() {
	trawl-decode --json --name '*:hit' "$1" | sed -n 's/.*"arg1":\([0-9]*\).*/\1/p' |
		awk 'NR == 1 { a = $1 } { z = $1 } END { print a + 0, z + 0, NR }'
}
triggers() { trawl-decode --source trawl -t "$1"; }
# until_true COMMAND...: repeats the command until it succeeds, for as long as a slow machine needs.
until_true() {
	local n
	for ((n = 0; n < 200; n++)); do
		eval "$*" && return 0
		sleep 0.1
	done
	return 1
}
# command_of RECORDER: prints the PID of its COMMAND once that runs $target. The recorder has other
# children, too, which resolve names.
command_of() {
	local n pid
	for ((n = 0; n < 200; n++)); do
		for pid in $(pgrep -P "$1"); do
			[ "$(readlink "/proc/$pid/exe")" = "$(readlink -f "$target")" ] &&
				echo "$pid" && return 0
		done
		sleep 0.1
	done
	return 1
}
# record ARGS...: starts trawl in the background and waits until it records; its pid is in $trawl.
record() {
	: >"$work/err"
	trawl "$@" 2>"$work/err" &
	trawl=$!
	until_true grep -q newest "$work/err"
}

# ---- an expression
cpu=$(($(nproc --all) - 1))
trawl --ring 4m --trigger 'arg1 == 500' --after 0s -w "$f" -i "$hit" -- \
	taskset -c $cpu "$target" hits 1000 2>"$work/err"
same "an expression: status" 0 $?
has "a message names the file" "$(said)" \
	"^trawl: $f holds the last [0-9.]+ m?s: arg1 == 500 \(target:hit\)"
has "the last line states the end" "$(said)" '^1000 events captured, 0 lost .*; 1 file written$'
ok "$(trawl-edit verify "$f" >/dev/null; echo $?)" "the file is whole"
has "the trigger is an event in it" "$(triggers "$f")" \
	'target-[0-9]+ .*trawl:trigger +reason="expression" what="arg1 == 500" event="target:hit"'
same "only the first hit is a trigger" 1 "$(events "$f" trawl:trigger)"
has "on the CPU of what triggered" "$(trawl-decode --json --name trawl:trigger "$f")" \
	"\"cpu\":$cpu,"
has "at the time of what triggered" "$(trawl-decode --json "$f" | grep -A1 -E '"arg1":500[,}]' |
	sed 's/.*"ts_ns":\([0-9]*\).*/\1/' | uniq -c)" ' 2 '
has "events before the trigger are in the file" "$(hits "$f")" '^0 [0-9]+ [0-9]+$'
read -r first last n <<<"$(hits "$f")"
same "without a gap" $((last + 1)) "$n"
has "the file states the trigger" "$(trawl-decode --summary "$f")" '^end .*trigger arg1 == 500'
rm -f "${f%.trawl}"*

# The oldest events are dropped: two million are more than 1 MiB. The kernel's buffer holds them
# all, so that a busy machine does not lose the last one.
trawl --ring 1m -B 131072 --trigger 'name == "raw_syscalls:sys_enter" and id == 231' --after 0s -w "$f" \
	-i 'event:raw_syscalls:*' -- dd if=/dev/zero of=/dev/null bs=1 count=1000000 2>"$work/err"
captured=$(sed -n 's/^\([0-9]*\) events* captured.*/\1/p' "$work/err")
ok $((captured < 2000000)) "all of it was captured"
n=$(events "$f")
ok $((n < 100000 || n >= captured / 2)) "the file holds the newest of them ($n of $captured)"
same "the newest event is in the file" 1 \
	"$(trawl-decode --json --where 'name == "raw_syscalls:sys_enter" and id == 231' "$f" |
		wc -l)"
same "the oldest event is not" 0 "$(trawl-decode --json --where 'id == 59' "$f" | wc -l)"
size=$(stat -c %s "$f")
ok $((size > 1200000)) "the file is no larger than the ring and what describes it ($size)"
has "names of tasks that started long before are in the file" "$(trawl-decode "$f" | tail -n 1)" \
	' dd-[0-9]+ '
ok "$(trawl-edit verify "$f" >/dev/null; echo $?)" "it is whole"
rm -f "${f%.trawl}"*

# ---- --after
trawl --ring 4m --trigger 'arg1 == 10' --after 300ms -w "$f" -i "$hit" -- \
	"$target" hits 300 10000 2>"$work/err"
read -r first last n <<<"$(hits "$f")"
ok $((last <= 10 || last >= 299)) \
	"--after: what came after the trigger is there ($last), and not all of it"
same "without a gap" "0 $((last + 1))" "$first $n"
trawl --ring 4m --trigger 'arg1 == 10' --after 1h -w "$f.end" -i "$hit" -- \
	"$target" hits 50 2>"$work/err"
same "the end comes first: status" 0 $?
timeout 100 trawl --ring 4m --trigger 'arg1 == 10' --after 1h -w "$work/late.trawl" -i "$hit" -- \
	sh -c '"$0" hits 50; sleep 1' "$target" 2>/dev/null
same "also if the trigger occurred long before" "0 0 49 50" "$? $(hits "$work/late.trawl")"
rm -f "$work/late.trawl"
same "the file has all events up to the end" "0 49 50" "$(hits "$f.end")"
has "--summary: the last ten before the trigger" \
	"$(trawl-decode --summary "$f.end" | grep -c 'target:hit target')" '^10$'
rm -f "${f%.trawl}"*

# ---- the kernel's symbols
record --ring 4m --after 0s -w "$f" -i event:kmem:kmalloc
sleep 0.3
kill -USR1 $trawl
until_true grep -q holds "$work/err"
has "a file in mid-capture has the kernel's symbols" "$(trawl-decode "$f" | sed -n 1p)" \
	'call_site=[a-z_]\w*\+0x'
kill -INT $trawl
wait $trawl
rm -f "${f%.trawl}"*

# ---- SIGUSR1, several files
"$target" wait >/dev/null & pid=$!
record --ring 4m --after 0s -w "$f" -i "$hit" -p $pid
has "a message says how to get a file" "$(said)" "newest 4.0 MiB; kill -USR1 $trawl writes them"
same "nothing is written before" "" "$(ls "${f%.trawl}"* 2>/dev/null)"
for i in 1 2 3; do
	sleep 0.3
	kill -USR1 $trawl
	until_true '[ "$(grep -c holds "$work/err")" = '$i' ]'
done
kill -INT $trawl
wait $trawl
same "SIGUSR1: status" 0 $?
same "a file for each, none overwritten" "${f%.trawl}.1.trawl ${f%.trawl}.2.trawl $f" \
	"$(ls "${f%.trawl}"*.trawl | paste -sd' ')"
has "SIGUSR1 is the trigger" "$(triggers "${f%.trawl}.1.trawl")" \
	'bash-.*reason="signal" what="SIGUSR1" event=""'
read -r _ last _ <<<"$(hits "$f")"
read -r first _ _ <<<"$(hits "${f%.trawl}.1.trawl")"
same "the next begins where the one before ended" $((last + 1)) "$first"
has "the last line states the number of files" "$(said)" '; 3 files written$'
cat "$f" "${f%.trawl}.1.trawl" "${f%.trawl}.2.trawl" >"$work/all.trawl"
read -r first last n <<<"$(hits "$work/all.trawl")"
same "one after the other they are one capture" $((last - first + 1)) "$n"

# ---- a report of what a recorder holds
record --ring 4m --after 0s -w "$work/report.trawl" -i "$hit" -p $pid
timeout 120 trawl-report --recorder $trawl --yes -o "$work/report.zip" >/dev/null 2>"$work/told"
same "trawl-report --recorder: status" 0 $?
has "it packs what the recorder held" "$(trawl-decode --summary "$work/report.zip")" \
	'trawl:trigger'
ok "$(test -s "$work/report.trawl"; echo $?)" "and the recorder's own file stays"
kill -INT $trawl
wait $trawl
same "the recorder goes on until it is ended" 0 $?

# trawl-report does not take other files that appear in the folder for the recorder's.
record --ring 4m --after 2s -w "$work/busy.trawl" -i "$hit" -p $pid
while :; do
	: >"$work/other"
	rm "$work/other"
done & busy=$!
timeout 120 trawl-report --recorder $trawl --yes -o "$work/busy.zip" >/dev/null 2>"$work/told"
same "trawl-report --recorder in a busy folder: status" 0 $?
kill $busy
wait $busy 2>/dev/null
rm -f "$work/other"
kill -INT $trawl
wait $trawl

trawl-report --recorder $pid --yes -o "$work/none.zip" 2>"$work/told"
same "another process: status" 2 $?
has "the message states the reason" "$(cat "$work/told")" "--recorder: $pid is not one of your flight recorders"

record --ring 4m --after 0s -W 2 -w "$f" -i "$hit" -p $pid
kill -USR1 $trawl
until_true grep -q holds "$work/err"
kill -USR1 $trawl
wait $trawl
same "-W: status" 0 $?
same "-W 2: two more files, under names that are free" 5 "$(ls "${f%.trawl}"* | wc -l)"
has "-W: why it ended" "$(trawl-decode --summary "${f%.trawl}.4.trawl")" '^end .*why trigger'

record --ring 4m --after 0s -w "$work/%Y.trawl" -i "$hit" -p $pid
kill -USR1 $trawl
until_true grep -q holds "$work/err"
kill -INT $trawl
wait $trawl
same "FILE may have strftime's conversions" "$work/$(date +%Y).trawl" "$(ls "$work"/2*.trawl)"

# A trigger during the writing of a file is the reason of the next file, not of that one.
mkfifo "$work/fifo"
timeout 60 trawl --ring 4m --trigger 'arg1 == 60000' --after 0s -i "$hit" -w - -- \
	sh -c '"$1" hits 60001; exec "$1" wait' x "$target" >"$work/fifo" 2>"$work/err" & trawl=$!
exec 8<"$work/fifo"
until_true 'grep -q ready "$work/err"'
child=$(pgrep -P $trawl -x trawl)
dd bs=100 count=1 <&8 >"$work/both" 2>/dev/null # now the writer waits for its reader
kill -USR1 "$child"
sleep 0.3
cat <&8 >>"$work/both" & reader=$!
exec 8<&-
until_true '[ "$(grep -c holds "$work/err")" = 2 ]'
same "each file is reported with its own trigger" "arg1 == 60000 (target:hit) SIGUSR1" \
	"$(sed -n 's/.*holds the last [^:]*: //p' "$work/err" | paste -sd' ')"
kill -TERM "$child"
wait $trawl
wait $reader

# ---- no trigger, no file
record --ring 4m -w "$work/none.trawl" -i "$hit" -p $pid
kill -INT $trawl
wait $trawl
same "no trigger: status" 0 $?
has "no trigger: message" "$(said)" \
	'^[0-9]+ events? captured, 0 lost .*; no trigger: nothing was written$'
record --ring 4m -w "$work/none.trawl" -i "$hit" -p $pid
kill -KILL $trawl
wait $trawl 2>/dev/null
same "killed: neither a file nor a temporary file" "" "$(ls "$work"/none* 2>/dev/null)"
# Other captures clean up at the same time, and cannot remove what this one has open.
until_true 'trawl --gc >/dev/null; [ -z "$(traces_of $trawl)" ]'
same "killed: nothing stays in the kernel" "" "$(traces_of $trawl)"

# ---- COMMAND crashes
# After the crash no event can come, so the file is written without waiting for --after.
timeout 100 trawl --ring 4m --after 1h -w "$work/crash.trawl" -i "$hit" -- "$target" abort \
	2>"$work/err"
same "a crash: status" 0 $?
has "a crash is a trigger" "$(triggers "$work/crash.trawl")" \
	'target-.*reason="crash" what=".*target: killed by SIGABRT, status 134"'
same "with what came before it" 1 "$(events "$work/crash.trawl" target:hit)"
# The trigger is the thread's that aborted: not the first one's, nor that of a child before.
timeout 100 trawl --ring 4m -w "$work/thread.trawl" -i "$hit" -- "$target" thread-abort \
	>"$work/tid" 2>"$work/err"
same "a crash of a thread is that thread's" "$(grep '^[1-9]' "$work/tid" || echo "no TID")" \
	"$(trawl-decode --json --source trawl "$work/thread.trawl" | sed -n 's/.*"tid":\([0-9]*\).*/\1/p')"
timeout 100 trawl --ring 4m --after 1h -w "$work/left.trawl" -i "$hit" -- \
	sh -c '{ sleep 1; "$0" hits 5; } & kill -SEGV $$' "$target" 2>"$work/err"
same "processes left behind by a crashed command are recorded to their end" "0 0 4 5" \
	"$? $(hits "$work/left.trawl")"
# The recorder sleeps while the command dies: the trigger's time is that of the signal.
trawl --ring 4m --after 0s -w "$work/late.trawl" -i "$hit" -- \
	"$target" wait >/dev/null 2>"$work/err" & trawl=$!
child=$(command_of $trawl)
kill -STOP $trawl
before=$(date +%s%N)
kill -ABRT "$child"
until_true "grep -q '^State:.Z' /proc/$child/status"
after=$(date +%s%N)
sleep 0.3
kill -CONT $trawl
wait $trawl
at=$(trawl-decode --json --source trawl "$work/late.trawl" | sed -n 's/.*"ts_ns":\([0-9]*\).*/\1/p')
same "a crash has the time of its signal" yes \
	"$([ "$at" -ge "$before" ] && [ "$at" -le "$after" ] && echo yes ||
		echo "$before $at $after")"
same "its status is a shell's" 134 \
	"$(trawl-decode --meta=end "$work/late.trawl" |
		sed -n 's/.*"exit_status": *\([0-9]*\).*/\1/p')"
# A shell only passes on, as its status, that its last command crashed.
timeout 100 trawl --ring 4m -w "$work/shell.trawl" -i "$hit" -- \
	sh -c '"$0" abort; exit $?' "$target" >/dev/null 2>"$work/err"
has "a crash of a shell's command is a trigger" "$(triggers "$work/shell.trawl")" \
	'sh-.*reason="crash" what="sh: exit status 134"'
trawl --ring 4m -w "$work/fine.trawl" -i "$hit" -- "$target" exit 42 2>"$work/err"
has "a failed command has not crashed" "$(said)" 'no trigger: nothing was written'
trawl --ring 4m --after 0s -w "$work/fine.trawl" -i "$hit" -- \
	"$target" wait >/dev/null 2>"$work/err" & trawl=$!
command_of $trawl >/dev/null
sleep 0.5
kill -TERM $trawl
wait $trawl
has "nor has one that was terminated by a signal from trawl" "$(said)" 'no trigger: nothing was written'

# ---- other outputs
trawl --ring 4m --trigger 'arg1 == 3' --after 0s -w - -i "$hit" -- \
	"$target" hits 10 2>/dev/null >"$work/pipe.trawl"
same "-w -: to standard output" "0 9 10" "$(hits "$work/pipe.trawl")"
if mkdir "$work/small" && mount -t tmpfs -o size=1m none "$work/small"; then
	head -c 1100000 /dev/zero >"$work/small/fill"
	"$target" hits 100000 100 & load=$!
	record --ring 4m --after 0s -w "$work/small/x.trawl" -i "$hit" -p $load
	kill -USR1 $trawl
	until_true "grep -q 'disk is full' $work/err"
	same "a full disk: a file without events is removed" "fill" "$(ls "$work/small")"
	kill -USR1 $trawl
	sleep 0.2
	same "a full disk: one message" 1 "$(grep -c 'disk is full' "$work/err")"
	rm "$work/small/fill"
	kill -USR1 $trawl
	until_true grep -q holds "$work/err"
	kill -INT $trawl
	wait $trawl
	same "a full disk: status" 1 $?
	has "a full disk: a message, and the recording continues" "$(said)" \
		'disk is full.*is lost, the recording goes on: SIGUSR1'
	has "the next trigger has its file" "$(said)" 'holds the last'
	has "the last line states both" "$(said)" \
		'; 1 file written; [12] files? could not be written, or not the whole of (it|them)$'
	kill $load
	umount "$work/small"
else
	skip "a full disk" "no tmpfs can be mounted"
fi

# ---- a trigger whose condition can never hold, as the first event shows
trawl --ring 1m --trigger 'arg1 == "500"' --after 0s -w "$work/never.trawl" -i "$hit" -- \
	"$target" hits 100 2>"$work/err"
same "a number compared with a text: one message" 1 \
	"$(grep -c '^trawl: --trigger: target:hit has a number here, which cannot be compared with a text' "$work/err")"

# ---- memory, with ten times the data that the ring holds
trawl --ring 2m --after 0s -w "$work/mem.trawl" -i 'event:raw_syscalls:*' -- \
	bash -c 'dd if=/dev/zero of=/dev/null bs=1 count=1000000 2>/dev/null; grep VmHWM /proc/$PPID/status' >"$work/mem" 2>/dev/null
peak=$(awk '{ print int($2 / 1024) }' "$work/mem")
ok $((peak < 1 || peak > 2 + 64)) "memory: the ring and at most 64 MiB ($peak MiB)"

# ---- bad input
bad() { fails "$1" 2 "$2" trawl -i "$hit" "${@:3}" -- "$target" exit 0; }
bad "an unknown field" \
	"--trigger: no event has a field 'arg9'; did you mean arg1, arg2 or arg3" --ring 4m \
	-w "$f" --trigger 'arg9 == 1'
bad "its place" '^ {14,16}\^' --ring 4m -w "$f" --trigger 'cpu > 0 and arg9 == 1'
bad "an unknown event" \
	"--trigger: no event that is recorded is called 'target:hot'; there are target:hit" \
	--ring 4m -w "$f" --trigger 'name == "target:hot"'
bad "a pattern that no event has" "is called 'sched:\*'" --ring 4m -w "$f" \
	--trigger 'name ~ "sched:*"'
bad "a bad expression" '--trigger: something is missing' --ring 4m -w "$f" --trigger 'arg1 =='
bad "no file" '--ring: needs a name' --ring 4m
bad "--trigger alone" '--trigger is for a flight recorder' -w "$f" --trigger 'arg1 == 1'
bad "--after alone" '--after is for a flight recorder' -w "$f" --after 1s
bad "-C" '-C: cannot be combined with --ring' --ring 4m -w "$f" -C 1
bad "-G" '-G: cannot be combined with --ring' --ring 4m -w "$f" -G 1
bad "-c" '-c: cannot be combined with --ring' --ring 4m -w "$f" -c 10
bad "-U" '-U: cannot be combined with --ring' --ring 4m -w "$f" -U
bad "a ring too small" '--ring: too small; give 1m or more' --ring 1k -w "$f"
bad "no size" '--ring xyz: give a size' --ring xyz -w "$f"
fails "more memory than there is" 3 'this machine has [0-9]+ MiB' trawl --ring 900000g -w "$f" \
	-i "$hit" -- "$target" exit 0
fails "a missing folder is reported at once" 3 '/no/x.trawl: No such file' trawl --ring 4m \
	-w "$work/no/x.trawl" -i "$hit" -- "$target" exit 0
kill $pid
wait $pid 2>/dev/null
tap_done
