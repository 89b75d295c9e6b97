#!/bin/bash
# SPDX-License-Identifier: MIT
# Whose events a capture of user probes has: those of COMMAND or of -p and of all that they start,
# however short they live, and nobody else's. The kernel leaves the others out from their first event on.
. "$TRAWL_SRC/tests/tap.sh"
. "$TRAWL_SRC/tests/cli/capture.sh"
f=$work/x.trawl

# The processes of the events in a file; by pid, and how many.
pids() { trawl-decode --json "$1" | grep -o '"pid":[0-9]*' | sort -u; }

# The tasks that the kernel limits the probes of the capture $1 to.
limit() { cat $tracing/instances/trawl_"$1"_*_usdt/set_event_pid; }

# Alone: all is recorded, and the kernel does not look at each event.
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
same "nobody else hits the probe: no filter in the kernel" "" "$(limit $trawl)"
wait $trawl
same "children that live shortly: every hit" "660 0" "$(totals "$work/err")"
same "of 202 processes" 202 "$(pids "$f" | wc -l)"

# With others that hit it all the time, before and meanwhile.
"$target" hits 100000000 20 & other=$!
rm -f "$f"
trawl -v -i "usdt:$target:hit" -w "$f" -- "$work/children" "$target" 2 2>"$work/err" & trawl=$!
wait_armed "$f"
sleep 1.5
has "others hit it, too: the kernel leaves them out" "$(limit $trawl)" '^[0-9]+$'
ok $(($(limit $trawl | grep -cx $other))) "and only them"
wait $trawl
same "with others: every hit, none of theirs" "660 0" "$(totals "$work/err")"
same "with others: 202 processes" 202 "$(pids "$f" | wc -l)"
has "-v: how many hits are not in the file" "$(cat "$work/err")" \
	'^trawl: usdt: [0-9]+ hits are not in the file: of processes that are not recorded'
same "none is the other" 0 "$(pids "$f" | grep -c ":$other\$")"

# -p: what it starts from now on is its, what others start is not.
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
tap_done
