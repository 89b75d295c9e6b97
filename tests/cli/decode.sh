# SPDX-License-Identifier: MIT
# trawl-decode on whole files: text, JSON lines, choices, summary, metadata, pipes.
. "$TRAWL_SRC/tests/tap.sh"
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
export TZ=UTC
f=$dir/s.trawl
"$TRAWL_BUILD/tests/decode/make-sample" "$f" 8 || exit 99

# ---- text
out=$(trawl-decode "$f"); ok $? "a whole file ends with 0"
same "one line for each event and one for the loss" 11 "$(printf '%s\n' "$out" | wc -l)"
same "a line: time, cpu, task, name, fields, site" \
	'01:44:37.001000000 [001] app-100                 app:start            arg1=-1 arg2="two\nlines \"x\"" arg3=<unavailable: optimised out> arg4=200 (serve+0x8 app.c:99)' \
	"$(printf '%s\n' "$out" | sed -n 2p)"
has "a computed argument is taken out of its window" "$out" \
	'arg1=0 arg2="grün" arg3=22 arg4=<unavailable: in %xmm0> \(main\+0x2a app.c:12\)'
has "an index outside the window says so" "$out" \
	'arg3=<unavailable: index outside the recorded window>'
same "the reason of a site is in its first line" \
	'<unavailable: in %xmm0>.<unavailable: optimised out>.<unavailable>.5' \
	"$(printf '%s\n' "$out" | grep -o '<unavailable[^>]*>' | grep -v -e index -e floats |
		sort -u | tr '\n' .)$(printf '%s\n' "$out" | grep -o '<unavailable>' | wc -l)"
has "a string that could not be read is a fault" "$out" 'arg1=3 arg2=\(fault\)'
has "bytes that are not UTF-8 are escaped" "$out" 'arg2="bad\\xff"'
has "each kind of value" "$out" \
	"arg1=18446744073709551615 flag=true letter='k' ratio=2.5 raw=deadbeef mask=0xff00 gone=<unavailable: floats cannot be fetched>"
has "a thread is shown with the name that it had at the time" "$out" 'worker-101 +app:start +arg1=1 '
has "a loss is a line between the events around it" "$out" \
	'^01:44:37.002900000 \*\*\* 17 events of usdt on cpu 1 lost in the last 800 us: overrun$'
has "the idle task has its name" "$out" \
	'swapper/0-0 +sched:sched_switch +prev_comm="app" prev_pid=100'
same "the task source is hidden" "" "$(printf '%s\n' "$out" | grep task_)"
has "unless it is selected" "$(trawl-decode --source task "$f")" \
	'task:task_rename +pid=101 oldcomm="app" newcomm="worker"'
has "helper fields on request" "$(trawl-decode --fields all "$f")" \
	'arg3_base=0x7ffc00001000 arg3_idx=2 arg3_win=\{20,21,22,23\}'
tick=$TRAWL_SRC/samples/tick.trawl
for form in "trawl-decode --fields all" "trawl-decode --json" "trawl-export --to json" \
	"trawl-export --to csv"; do
	has "$form has the kernel's address of the probe" "$($form "$tick")" __probe_ip
done
same "text has the site instead" "" "$(trawl-decode "$tick" | grep __probe)"
same "tasks are as docs/format.md defines them" \
	"$(/usr/bin/python3 -B "$TRAWL_SRC/tests/reader.py" --tasks "$f")" "$(tasks "$f")"
same "no colour in a pipe" "" "$(printf '%s\n' "$out" | grep "$(printf '\033')")"
has "colour with --color always" "$(trawl-decode --color always "$f")" "$(printf '\033')"
same "no colour with --color never" "$out" "$(trawl-decode --color never "$f")"
same "colour changes nothing else" "$out" \
	"$(trawl-decode --color always "$f" | sed 's/\x1b\[[0-9;]*m//g')"

# ---- times
first() { trawl-decode "$@" "$f" | sed -n 1p; }
has "-t" "$(first -t)" '^\[000\]'
has "-tt" "$(first -tt)" '^1795225477\.000000000 \['
has "-ttt" "$(trawl-decode -ttt --source usdt "$f" | sed -n 3p)" '^00:00:00\.001000000 '
has "-tttt" "$(first -tttt)" '^2026-11-21 01:44:37\.000000000 '
same "-tm: the monotonic clock" "5.000000000" "$(trawl-decode -tm "$f" | head -1 | cut -d" " -f1)"
has "-m alone is refused" "$(trawl-decode -m "$f" 2>&1)" '-m: does not follow exactly one -t; use -tm'
has "-ttttt" "$(trawl-decode -ttttt --source event "$f")" '^00:00:00\.008001000 '
# The sample's first event is well after the start of the capture.
has "-ttttt counts from the first event" "$(trawl-decode -ttttt -c 1 "$tick")" \
	'^00:00:00\.000000000 '
line=$(trawl-decode -ttttt "$tick" | sed -n 7p)
same "regardless of the selection" "$line" "$(trawl-decode -ttttt "$tick" --where "ts == $(
	trawl-decode --json "$tick" | sed -n '7s/[^0-9]*\([0-9]*\).*/\1/p')")"
same "a time of -ttttt with a plus is accepted by --from" "$line" \
	"$(trawl-decode -ttttt --from "+${line%% *}" -c 1 "$tick")"
same "and for --until" 6 "$(trawl-decode --until "+${line%% *}" "$tick" | wc -l)"
same "on a pipe too" "$line" "$(cat "$tick" | trawl-decode -ttttt --from "+${line%% *}" -c 1 -)"
has "local time" "$(TZ=CET-1 trawl-decode -c 1 "$f")" '^02:44:37'
has "--utc" "$(TZ=CET-1 trawl-decode --utc -c 1 "$f")" '^01:44:37'
has "--bounds" "$(first --bounds)" '^01:44:37\.000000000 \+-40ns '

# ---- choices
count() { trawl-decode --json "$@" "$f" | wc -l; }
same "--source" 9 "$(count --source usdt)"
same "--source twice" 10 "$(count --source usdt --source event)"
same "--source with a glob" 9 "$(count --source 'us*')"
same "--name" 1 "$(count --name app:stop)"
same "--name with a glob" 9 "$(count --name 'app:*')"
same "--pid of a thread" 3 "$(count --pid 101)"
same "--pid of a process, with its threads" 8 "$(count --pid 100)"
same "-c" 2 "$(count -c 2)"
same "--from" 5 "$(count --from +5ms)"
same "--from and --until" 2 "$(count --from +5ms --until +7ms)"
span='2026-11-21 01:44:37.000000000 UTC to 2026-11-21 01:44:37.008002000 UTC'
while read -r out said; do
	same "$out: no events selected: status and message" 0 \
		"$(trawl-decode --utc "$out" "$f" 2>"$dir/err"; echo $?)"
	same "$out: the message has the selected and the recorded times" "$(cat "$dir/err")" \
		"trawl-decode: ${out%=*}: $said UTC; the capture lasted from $span"
done <<-'EOF'
	--from=+1s no event is at or after 2026-11-21 01:44:38.000000000
	--from=2027-01-01 no event is at or after 2027-01-01 00:00:00.000000000
	--until=01:44:36 no event is before 2026-11-21 01:44:36.000000000
	--to=2020-01-01 no event is before 2020-01-01 00:00:00.000000000
EOF
same "a time range without events, within the capture, gives no message" "" \
	"$(trawl-decode --from +5.1ms --until +5.2ms "$f" 2>&1)"
same "--to is --until" 5 "$(count --to +5ms)"
same "absolute times" 2 "$(count --from 2026-11-21T01:44:37.005Z --to 1795225477.007)"
same "a time of day with a zone" 3 "$(count --from 06:44:37.005+05:00 --until '14:14:37.008 -1130')"
last=$(trawl-decode --summary "$f" | sed -n 's/^last  *\(.*+0000\).*/\1/p')
same "a time that --summary prints: $last" 1 "$(count --from "$last")"
same "a task is known even if --from skips its creation" worker \
	"$(trawl-decode --json --from +6ms --pid 101 "$f" | sed 's/.*"comm":"\([^"]*\)".*/\1/')"
same "-c with --around counts printed events" 2 "$(
	trawl-decode --around 'arg1 == 4' --window 20us -c 2 "$tick" | wc -l)"
same "and stops at the end" 3 \
	"$(trawl-decode --around 'arg1 == 4' --window 20us -c 20 "$tick" | wc -l)"
out=$(trawl-decode --around 'arg1 == 99' "$tick" 2>"$dir/err")
same "--around without a match: status 0 and a message, as with --where" \
	"0  trawl-decode: --around: nothing matches 'arg1 == 99'" "$? $out $(cat "$dir/err")"
same "--window without a unit is in seconds, as --duration is" \
	"$(trawl-decode --around 'arg1 == 4' --window 1s "$tick")" \
	"$(trawl-decode --around 'arg1 == 4' --window 1 "$tick")"
same "= is the same as ==" "$(trawl-decode --where 'arg1 == 4' "$f")" \
	"$(trawl-decode --where 'arg1 = 4' "$f")"
same "--where with a field" 4 "$(count --where 'arg1 > 1 and arg1 <= 5')"
same "--where with texts as they are printed" 7 "$(
	trawl-decode "$f" | grep -o 'arg2="[^ ]*\( \\"x\\"\)*"' | sort -u | sed 's/=/ == /' |
	{ n=0; while IFS= read -r w; do n=$((n + $(count --where "$w"))); done; echo $n; })"
same "--where with a text with escapes" 2 "$(count --where 'arg2 == "bad\xff"')"
same "a string that could not be read matches no pattern, nor does it differ from one" "0 0" \
	"$(count --where 'arg2 ~ "*" and arg1 == 3') $(count --where 'arg2 !~ "x" and arg1 == 3')"
same "--where with a computed argument" 1 "$(count --where 'arg3 == 22')"
same "--where with the site" 4 "$(count --where 'symbol ~ "serve*" and line == 99')"
same "--where with what every event has" 2 "$(count --where 'comm == "worker" and cpu <= 1')"
same "an unavailable argument is never equal nor different" 0 \
	"$(count --name app:start --where 'line == 99 and (arg3 == 1 or arg3 != 1)')"

# ---- JSON
trawl-decode --json "$f" | /usr/bin/python3 -c '
import json, sys
lines = [json.loads(l) for l in sys.stdin]
assert len(lines) == 10, len(lines)
want = ["ts_ns", "source", "name", "cpu", "pid", "tid", "comm", "fields"]
assert all(list(l)[:8] == want for l in lines)
a = lines[1]
assert a["ts_ns"] == 1795225477001000000
assert (a["source"], a["name"], a["cpu"], a["pid"], a["tid"], a["comm"]) == ("usdt", "app:start", 1, 100, 100, "app")
assert a["fields"] == {"__probe_ip": 0x55d00000216a, "arg1": -1, "arg2": "two\nlines \"x\"", "arg3": None, "arg4": 200}, a
assert a["fields"]["arg3"] is None and a["unavailable"] == {"arg3": "optimised out"}, a
assert a["site"] == {"offset": 8554, "symbol": "serve+0x8", "file": "app.c", "line": 99}
assert lines[5]["fields"]["arg2"] is None
assert lines[5]["unavailable"] == {"arg2": "fault", "arg3": "optimised out"}, lines[5]
assert lines[8]["unavailable"] == {"gone": "floats cannot be fetched"}, lines[8]
assert lines[7]["fields"]["arg2"] == "bad\ufffd"
stop = lines[8]["fields"]
assert stop["arg1"] == 2**64 - 1 and stop["flag"] is True and stop["letter"] == "k"
assert stop["ratio"] == 2.5 and stop["raw"] == "deadbeef" and stop["mask"] == 0xff00 and stop["gone"] is None
assert lines[3]["pid"] == 100 and lines[3]["tid"] == 101, "the thread belongs to its process"
assert lines[0]["pid"] is None and lines[0]["comm"] is None and lines[0]["tid"] == 101
' ; ok $? "JSON lines have their members, types and exact integers"
same "--bounds in JSON" 40 \
	"$(trawl-decode --json --bounds -c 1 "$f" | sed 's/.*"bound_ns":\([0-9]*\).*/\1/')"
same "the bound includes the resolution of microseconds: 441 and 999" 1440 \
	"$(trawl-decode --json --raw --bounds -c 1 "$TRAWL_SRC/samples/usb-errors.trawl" |
		sed 's/.*"bound_ns":\([0-9]*\).*/\1/')"

# ---- summary and metadata
out=$(trawl-decode --summary "$f"); ok $? "a summary ends with 0"
has "summary: complete" "$out" 'bytes: complete'
has "summary: times" "$out" '^first +2026-11-21 01:44:37.000000000'
has "summary: command, quoted for a shell" "$out" \
	"^command +trawl -i 'usdt:/opt/app:\*' 'it'\\\\''s'$"
has "summary: no empty lines" "$out" '^capture +user tester$'
same "verify counts as the summary does, the task source apart" \
	"10 events (and 2 of the task source), $(stat -c %s "$f") bytes: complete" \
	"$(trawl-edit verify "$f" | cut -d' ' -f2-)"
has "summary: the same number" "$out" '^events +10 in '
has "summary: machine" "$out" '^machine .*hostname sample'
has "summary: by source" "$out" '^ +9  usdt$'
has "summary: by name" "$out" '^ +8  usdt +app:start$'
has "summary: by process" "$out" '^ +6  app \(100\)$'
# Two captures of two machines in one file, the later one first: no clock step may be reported.
cat "$TRAWL_SRC/samples/tick.trawl" "$TRAWL_SRC/samples/usb-storage.trawl" >"$dir/two.trawl"
two=$(trawl-decode --summary "$dir/two.trawl")
same "summary of two captures: first and last in time" \
	"2026-11-21 04:20:44.614363000 2026-11-21 04:34:43.737568041" \
	"$(sed -n 's/^\(first\|last\)  *\(.*\) +0000$/\2/p' <<<"$two" | xargs)"
has "summary of two captures: and how long" "$two" '^events +31 in 839\.123 s'
same "summary of two captures: the command of each" "capture machine end: 2 each" \
	"capture machine end: $(grep -cE '^(command|capture|machine|end) ' <<<"$two" |
		sed 's/^8$/2 each/')"
cat "$TRAWL_SRC/samples/usb-storage.trawl" "$TRAWL_SRC/samples/tick.trawl" >"$dir/two.trawl"
has "summary of two captures: another boot is not a clock step" \
	"$(trawl-decode --summary "$dir/two.trawl")" '^clocks .*; 0 steps of the wall clock$'
"$TRAWL_BUILD/tests/decode/make-sample" "$dir/rebuilt.trawl" 2 rebuilt
cat "$f" "$dir/rebuilt.trawl" "$f" >"$dir/two.trawl"
same "captures of two builds of a program: each has its own sites" "main rebuilt main" \
	"$(trawl-decode --json --where 'symbol ~ "*+0x2a"' "$dir/two.trawl" |
		sed 's/.*"symbol":"\([a-z]*\)+.*/\1/' | uniq | xargs)"
same "and so from a pipe" "main rebuilt main" "$(trawl-decode - <"$dir/two.trawl" |
	sed -n 's/.* (\([a-z]*\)+0x2a .*/\1/p' | uniq | xargs)"
cat "$f" "$f" >"$dir/two.trawl"
same "summary of two copies of a capture: common lines once" 1 \
	"$(trawl-decode --summary "$dir/two.trawl" | grep -c ^machine)"
has "summary: losses with window and reason" "$out" \
	'usdt cpu 1: 17 \(overrun\) between 2026-11-21 01:44:37.002100000 UTC and .*37.002900000 UTC'
has "summary: clocks with their bound" "$out" \
	'usdt: monotonic, resolution 1 ns, error at the start at most 40 ns'
has "--meta lists" "$(trawl-decode --meta "$f")" 'application/json +probe/app:start$'
trawl-decode --name nosuch --name 'app:*' "$f" >"$dir/out" 2>"$dir/err"
same "--name without a match: status" 0 $?
same "--pid without events: message" \
	"trawl-decode: --pid: no event belongs to process or thread 99" \
	"$(trawl-decode --pid 101 --pid 99 "$f" 2>&1 >/dev/null)"
same "... of a source" \
	"trawl-decode: --pid: no event of this --source belongs to process or thread 101" \
	"$(trawl-decode --source event --pid 101 "$f" 2>&1 >/dev/null)"
same "... but not if the file was read only in part or sources are excluded" "" \
	"$(trawl-decode --pid 101 --pid 99 -c 1 "$f" 2>&1 >/dev/null;
		trawl-decode --pid 101 --name 'app:stop' "$f" 2>&1 >/dev/null)"
has "--name without a match: the message lists existing names" "$(cat "$dir/err")" \
	"^trawl-decode: --name: no event is called 'nosuch'; there are "
trawl-decode --name nosuch -c 1 --name '*' "$f" 2>"$dir/err" >/dev/null
same "... but not if the file was read only in part" "" "$(cat "$dir/err")"
same "--meta=NAME prints" '{"tid":100,"pid":100,"comm":"app"}' \
	"$(trawl-decode --meta=task/100 "$f")"

# ---- pipes
same "from a pipe the same as from a file" "$(trawl-decode "$f")" "$(cat "$f" | trawl-decode -)"
same "selections on a pipe" "$(trawl-decode --from +5ms --source usdt --where 'arg1>1' "$f")" \
	"$(cat "$f" | trawl-decode --from +5ms --source usdt --where 'arg1>1' -)"
"$TRAWL_BUILD/tests/decode/make-sample" "$dir/big.trawl" 200000 || exit 99
trawl-decode "$dir/big.trawl" 2>"$dir/err" | head -1 >/dev/null
same "a reader that exits is not an error" "0 " "${PIPESTATUS[0]} $(cat "$dir/err")"

# ---- captures one after the other: each has its own clock, and the order is that of the file
for pair in "$tick $f" "$f $tick"; do
	set -- $pair
	cat "$1" "$2" >"$dir/two.trawl"
	want=$(trawl-decode --json "$1"; trawl-decode --json "$2")
	names="$(basename "$1") and $(basename "$2")"
	same "$names one after the other: one after the other" "$want" \
		"$(trawl-decode --json "$dir/two.trawl")"
	same "$names: from a pipe" "$want" "$(cat "$dir/two.trawl" | trawl-decode --json -)"
done
tap_done
