#!/bin/bash
# SPDX-License-Identifier: MIT
# What a capture tells of others, and what COMMAND gets from the recorder: the maps in a file are
# those of processes that it is about; COMMAND has no descriptor but the first three and those that
# it names.
. "$TRAWL_SRC/tests/tap.sh"
. "$TRAWL_SRC/tests/cli/capture.sh"
f=$work/x.trawl

# mapped FILE: the processes whose maps are in it.
mapped() { trawl-decode --meta "$1" | sed -n 's,.* maps/,,p' | sort -un; }

# The processes that hit the probe, and the others of which there are events.
hitters() { trawl-decode --json --source usdt "$1" | grep -o '"pid":[0-9]*' | cut -d: -f2 |
	sort -un; }
others() { trawl-decode --json --source event "$1" | grep -o '"pid":[0-9]*' | cut -d: -f2 |
	sort -un; }

while sleep 0.02; do :; done & noise=$!
trawl -i "usdt:$target:hit" -i event:sched:sched_switch -i event:sched:sched_waking --duration 2s \
	-w "$f" \
	2>"$work/err" & trawl=$!
wait_armed "$f"
"$target" hits 15 100000 & hitter=$!
"$target" hits 15 100000 & second=$!
wait $trawl
kill $noise
wait $hitter $second
ok $((! $(others "$f" | wc -l) > 3)) "there are kernel events of other processes"
same "two processes hit the probe" 2 "$(hitters "$f" | wc -l)"
same "their maps are in the file, nobody else's" "$(hitters "$f")" "$(mapped "$f")"
has "and with them the file of a site is found" \
	"$(trawl-decode --json --source usdt "$f" | head -1)" '"symbol":"'

trawl -i "usdt:$target:hit" -i event:sched:sched_switch -i event:sched:sched_waking -w "$f" -- \
	bash -c '"$0" hits 3 100000; exit' "$target" 2>"$work/err"
same "of COMMAND: who is recorded" "" \
	"$(comm -13 <(others "$f" | sort; hitters "$f" | sort) <(mapped "$f" | sort))"
ok $((! $(mapped "$f" | wc -l) >= 1)) "COMMAND's are there"

# ---- descriptors
exec 7>"$work/seven" 251>"$work/left"
same "COMMAND has three descriptors" "0 1 2" "$(trawl -q -i "usdt:$target:hit" -w "$f" -- \
	sh -c 'ls /proc/$$/fd; :' | paste -sd' ')"
same "and what it names itself" "from seven" "$(trawl -q -i "usdt:$target:hit" -w "$f" -- \
	cat <(echo from seven))"
exec 7>&- 251>&-
tap_done
