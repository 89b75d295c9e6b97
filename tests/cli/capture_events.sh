#!/bin/bash
# SPDX-License-Identifier: MIT
# All events are recorded, with the right values, and as many as other tools count.
. "$TRAWL_SRC/tests/tap.sh"
. "$TRAWL_SRC/tests/cli/capture.sh"
f=$work/x.trawl

trawl -i "usdt:$target:hit arg3:string" -w "$f" -- "$target" hits 1000 2>"$work/err"
same "usdt: exit status" 0 $?
same "usdt: final line" "1000 events captured, 0 lost (usdt 1000)" "$(cat "$work/err")"
trawl -c 1 -i "usdt:$target:hit" -w "$work/one.trawl" -- "$target" hits 3 2>"$work/err"
has "a single event is recorded once" "$(cat "$work/err")" '^1 event captured, 0 lost \(usdt 1\)'
same "usdt: events in the file" 1000 "$(events "$f" target:hit)"
has "usdt: the kernel counted as many hits" "$(trawl-decode --meta=end "$f")" '"hits": ?1000[,}]'
trawl-decode --json "$f" >"$work/json"
same "usdt: values of all events" "" "$(/usr/bin/python3 - "$work/json" <<'PY'
import json, sys
last = 0
for i, line in enumerate(open(sys.argv[1])):
    e = json.loads(line)
    f = e["fields"]
    if (f["arg1"], f["arg2"], f["arg3"]) != (i, i * i, "target") or e["comm"] != "target" or \
       e["source"] != "usdt" or e["ts_ns"] < last or e["pid"] != e["tid"]:
        print(i, line)
        break
    last = e["ts_ns"]
PY
)"
same "file mode" 600 "$(stat -c %a "$f")"

trawl -q -i "uprobe:$target:target_hits arg1:s64" \
	-i "uprobe:$target:target_hits%return \$retval:s32" \
	-i "usdt:$target:hit" -w "$f" -- "$target" hits 7 2>"$work/err"
same "uprobe, uretprobe, usdt in one file" "1 1 7" \
	"$(events "$f" target:target_hits) $(events "$f" target:target_hits%return) $(events "$f" target:hit)"
same "entry, hits, return in the order of time" \
	"target:target_hits target:hit target:target_hits%return" \
	"$(trawl-decode --json "$f" | sed 's/.*"name":"\([^"]*\)".*/\1/' | uniq | tr '\n' ' ' |
		sed 's/ $//')"
has "return value" "$(trawl-decode "$f")" 'target_hits%return.*=7'

trawl -q -i "usdt:$target:hit" -w "$f" -- "$target" tree 50
same "thread and child are followed" 150 "$(events "$f" target:hit)"
same "three tasks in two processes" "3 2" "$(trawl-decode --json "$f" | /usr/bin/python3 -c '
import json, sys
e = [json.loads(l) for l in sys.stdin]
print(len({x["tid"] for x in e}), len({x["pid"] for x in e}))')"

# Another program, outside the scope, hits the same probe at the same time.
"$target" hits 100 1000 &
trawl -q -i "usdt:$target:hit" -w "$f" -- "$target" hits 10 1000
same "others' hits are not recorded" 10 "$(events "$f" target:hit)"
wait
# Without a scope the hits of both are recorded, as many as the kernel counts.
"$target" hits 30000 100 & one=$!
"$target" hits 30000 100 & two=$!
trawl -i "usdt:$target:hit" -w "$f" --duration 1s 2>"$work/err"
kill $one $two
wait $one $two 2>/dev/null
same "two processes without a scope" 2 \
	"$(trawl-decode --json "$f" | grep -o '"pid":[0-9]*' | sort -u | wc -l)"
same "no hit missed" 0 "$(totals "$work/err" | cut -d' ' -f2)"

# -p: of two processes that hit the probe, one is recorded.
"$target" hits 30000 100 & one=$!
"$target" hits 30000 100 & two=$!
trawl -q -i "usdt:$target:hit" -p $one -w "$f" -c 50
kill $one $two
wait $one $two 2>/dev/null
same "-p: only that process" "\"pid\":$one" \
	"$(trawl-decode --json "$f" | grep -o '"pid":[0-9]*' | sort -u)"

# Kernel events are as many as perf counts in the same run. perf counts from the end of the execve()
# that starts the program, so events after the last execve() are counted here.
trawl -q -i 'event:syscalls:sys_enter_*' -w "$f" -- \
	env ASAN_OPTIONS=detect_leaks=0 perf stat -x, -e 'syscalls:sys_enter_*' -o "$work/perf" \
	"$target" hits 3
wanted=$(awk -F, '{ n += $1 } END { print n }' "$work/perf")
got=$(trawl-decode --json "$f" | /usr/bin/python3 -c '
import json, sys
e = [json.loads(l) for l in sys.stdin]
tid = [x["tid"] for x in e if x["name"] == "syscalls:sys_enter_execve"][-1]
mine = [x["name"] for x in e if x["tid"] == tid]
print(len(mine) - 1 - max(i for i, n in enumerate(mine) if n.endswith("_execve")))')
same "as many system calls as perf counts" "$wanted" "$got"

# The kernel records arguments as registers; they are shown with their declared types.
trawl -q -i event:syscalls:sys_enter_openat -w "$f" -- cat /dev/null
trawl-decode --where 'dfd == -100' "$f" >"$work/at"
has "an int is negative where it is meant" "$(cat "$work/at")" \
	'openat .* dfd=-100 .*flags=0x[0-9a-f]+ '
same "in text, JSON and CSV" "$(wc -l <"$work/at") $(wc -l <"$work/at")" \
	"$(trawl-decode --json "$f" | grep -c '"dfd":-100,') $(trawl-export --to csv "$f" |
		grep -c 'dfd=-100\|,-100,')"

trawl -q -i 'event:sched:sched_switch if prev_comm == "target"' -w "$f" -- "$target" hits 5 2000
ok $(($(events "$f") < 5)) "a filter lets through what it should"
same "and nothing else" 0 "$(trawl-decode --json "$f" | grep -vc '"prev_comm":"target"')"
# If the same event is given twice, it is recorded once if either filter accepts it. All runs on CPU
# 0: the kernel's filter has been seen to drop switches from the idle task of another CPU.
twice() { # MESSAGE, -i ...: sets $switches to "PREV NEXT" of each event
	trawl "${@:2}" -w "$f" -- taskset -c 0 "$target" hits 5 2000 2>"$work/err"
	switches=$(trawl-decode --json "$f" |
			sed 's/.*"prev_comm":"\([^"]*\)".*"next_comm":"\([^"]*\)".*/\1 \2/')
	has "$1" "$(cat "$work/err")" "^trawl: $1\$"
}
switch=event:sched:sched_switch
from="$switch if prev_comm == \"target\"" to="$switch if next_comm == \"target\""
twice "$switch: given twice: recorded once" -i $switch -i $switch
same "each switch is there once" "" "$(trawl-decode "$f" | uniq -d)"
twice "$to: given twice with different filters: records what either filter lets through" \
	-i "$from" -i "$to"
read \
	-r from_it to_it \
	< <(awk '$1 == "target" { a++ } $2 == "target" { b++ } END { print a + 0, b + 0 }' <<<"$switches")
ok $((from_it < 5 || to_it < 5)) "both filters hold ($from_it, $to_it)"
same "nothing else is recorded" 0 "$(grep -vc target <<<"$switches")"
twice "$switch: given twice with different filters: records what either filter lets through" \
	-i "$switch if prev_comm == \"nobody\"" -i $switch
has "no filter is the wider one" "$switches" target
twice "$from: given twice with different filters: records what either filter lets through" \
	-i 'event:sched:*' -i "$from"
has "in a glob, too" "$switches" ' target$'
trawl -q -i 'event:sched:sched_s*' -i 'event:sched:sched_w*' -i 'event:sched:sched_*' -w "$f" \
	-- true 2>"$work/err"
same "overlapping globs give no message" "" "$(cat "$work/err")"

# Forks, threads, renames: the task of each event, by the rules of docs/format.md.
trawl -q -i 'event:sched:sched_switch' -i "usdt:$target:hit" -w "$f" -- /usr/bin/python3 -c '
import subprocess, sys, threading
open("/proc/self/comm", "w").write("renamed")
t = threading.Thread(target=lambda: [subprocess.run(["/bin/sh", "-c", "true; /bin/true"]) for _ in range(3)])
t.start()
subprocess.run([sys.argv[1], "hits", "2"])
t.join()' "$target"
tasks "$f" >"$work/ours"
/usr/bin/python3 -B "$TRAWL_SRC/tests/reader.py" --tasks "$f" | cmp - "$work/ours" >"$work/err" 2>&1
ok $? "tasks of $(wc -l <"$work/ours") events: the independent reader knows the same"
sed 's/^/# /' "$work/err"
has "among them renamed ones" "$(cat "$work/ours")" '"renamed"\]$'

# A char with the highest bit set is no character: the 128 values are shown as 128 different texts.
trawl -q -i "usdt:$target:hit low=\\-128:char high=\\-1:char" -w "$f" -- "$target" hits 1
for form in json csv; do
	has "$form: its number" "$(trawl-export --to $form "$f")" '\\x80"?,("high":")?\\{1,2}xff'
done

# -s limits the bytes that are kept of each string.
trawl -q -i "usdt:$target:text arg1:string" -s 10 -w "$f" -- "$target" text 100 3
same "-s: ten letters of a hundred" 3 "$(trawl-decode --json "$f" | grep -c '"arg1":"xxxxxxxxxx"')"

same "a message states it" "3 3" \
	"$(trawl-decode --json "$f" | grep -c '"cut":\["arg1"\]') $(trawl-decode "$f" |
		grep -c 'arg1="xxxxxxxxxx"\.\.\. ')"
trawl -q -i "usdt:$target:text arg1:string" -s 10 -w "$f" -- "$target" text 10 2
same "what is whole has no mark" "2 0" \
	"$(trawl-decode "$f" | grep -c 'arg1="xxxxxxxxxx" ') $(trawl-decode --json "$f" |
		grep -c '"cut"')"

# The file describes its tasks, its machine and its probes.
trawl -q -i "usdt:$target:hit" -w "$f" -- "$target" hits 2
summary=$(trawl-decode --summary "$f")
has "machine" "$summary" "^machine .*$(uname -r)"
has "command" "$summary" "^command .*target hits 2"
has "complete" "$summary" "complete$"

# Events are printed at once, into a pipe, too: the second hit is made only after the first could be
# read.
mkfifo "$work/lines"
for form in "" --json; do
	trawl $form -q -i "usdt:$target:hit" -c 2 >"$work/lines" 2>"$work/err" & trawl=$!
	exec 4<"$work/lines"
	for ((n = 0; n < 100; n++)); do
		traces_of $trawl | grep -q '^p:' && break
		sleep 0.1
	done
	sleep 0.5
	"$target" hits 1
	read -r -t 30 first <&4
	"$target" hits 1
	second=$(cat <&4)
	has "printing${form:+ $form} into a pipe: the first before the second is made" \
		"$first" target:hit
	has "printing${form:+ $form} into a pipe: the second" "$second" target:hit
	exec 4<&-
	wait $trawl
done
has "printing without -w" "$(trawl -q -i "usdt:$target:hit" -- "$target" hits 3)" \
	'target:hit +arg1=2 arg2=4'
same "printing JSON" 3 \
	"$(trawl -q --json -i "usdt:$target:hit" -- "$target" hits 3 | grep -c '"arg2"')"
tap_done
