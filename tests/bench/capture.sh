#!/bin/bash
# SPDX-License-Identifier: MIT
# The cost of recording a USDT probe with three arguments that is hit a million times: trawl,
# trace-cmd record and perf record take turns, so that other load on the machine affects all alike.
# Prints medians and ratios of the program's own time (what tracing costs it), of the CPU time of
# program and recorder together, and of the size of the file.
#
#	tests/bench/capture.sh [ROUNDS [HITS]]
#
# Needs root, trace-cmd and perf. The program to trace is samples/tick of the build.
set -u
rounds=${1:-5}
hits=${2:-1000000}
build=${TRAWL_BUILD:-$PWD}
program=${TRAWL_BENCH_PROGRAM:-$build/samples/tick}
trawl=$build/trawl
decode=$build/trawl-decode
work=$(mktemp -d)
group=trawl_bench_$$
tracing=/sys/kernel/tracing

finish() {
	for event in $(sed -n "s/^p:$group\/\([^ ]*\).*/\1/p" $tracing/uprobe_events | sort -u); do
		echo "-:$group/$event" >>$tracing/uprobe_events
	done
	rm -rf "$work"
}
trap finish EXIT
trap 'exit 130' INT TERM

for tool in trace-cmd perf /usr/bin/time; do
	command -v "$tool" >/dev/null || { echo "capture.sh: $tool is not installed"; exit 3; }
done
[ "$(id -u)" = 0 ] || { echo "capture.sh: run it as root"; exit 3; }

# Defines the probe as trawl would, for trace-cmd and perf, which cannot define it themselves.
define() {
	local line
	line=$("$build/tests/capture/probe/show_probes" "usdt:$program:loop" |
		sed -n 's/^p:[^ ]* [^ ]*:\(0x.*\)/\1/p')
	[ -n "$line" ] || { echo "capture.sh: no definition for the probe of $program"; exit 3; }
	echo "p:$group/loop $program:$line" >>$tracing/uprobe_events || exit 3
}

# The traced program; time writes the program's own times to a file.
traced=(/usr/bin/time -o "$work/own" -f "%e %U %S" "$program" "$hits")

# trace-cmd 3.1.6 writes to files that a kernel without function tracing does not have.
run_trace_cmd() {
	unshare -m bash -c '
		empty=$1; shift
		for file in /proc/sys/kernel/ftrace_enabled '$tracing'/set_ftrace_filter \
			    '$tracing'/set_ftrace_notrace '$tracing'/set_ftrace_pid \
			    '$tracing'/set_ftrace_notrace_pid; do
			[ -e "$file" ] && mount --bind "$empty" "$file"
		done
		exec "$@"' bench "$work/empty" trace-cmd record -q -e "$group:loop" -o "$work/out" "${traced[@]}"
}

run_perf() {
	perf record -q -o "$work/out" -e "$group:loop" "${traced[@]}"
}

run_trawl() {
	"$trawl" -q -i "usdt:$program:loop" -w "$work/out" -- "${traced[@]}"
}

run_none() {
	: >"$work/out"
	"${traced[@]}"
}

events() {
	case $1 in
	trawl) "$decode" --summary "$work/out" | sed -n 's/^events *\([0-9]*\) .*/\1/p' ;;
	trace_cmd) trace-cmd report -q "$work/out" 2>/dev/null | grep -c "loop:" ;;
	perf) perf script -i "$work/out" -F event 2>/dev/null | grep -c "loop" ;;
	none) echo "$hits" ;;
	esac
}

# round TOOL: runs the tool once and adds a line to $work/TOOL: the program's wall and CPU time, the
# CPU time of program and recorder, the bytes of the file.
round() {
	local tool=$1 before after wall own
	rm -f "$work/out" "$work/out".*
	before=$(cpu_of_children)
	"run_$tool" >"$work/log" 2>&1 ||
		{ echo "capture.sh: $tool failed:"; tail -5 "$work/log"; exit 1; }
	after=$(cpu_of_children)
	read -r wall own < <(awk '{ print $1, $2 + $3 }' "$work/own")
	echo "$wall $own $(awk -v a="$after" -v b="$before" 'BEGIN { print a - b }')" \
		"$(stat -c %s "$work/out")" >>"$work/$tool"
}

# User and system time of all that this shell has waited for, in seconds (fields 16 and 17 of stat).
cpu_of_children() {
	sed 's/.*) //' /proc/$$/stat | awk -v hz="$(getconf CLK_TCK)" '{ print ($14 + $15) / hz }'
}

median() { # TOOL COLUMN
	awk -v c="$2" '{ print $c }' "$work/$1" | sort -g | awk \
		'{ a[NR] = $1 } END { print a[int((NR + 1) / 2)] }'
}

ratio() { awk -v a="$1" -v b="$2" 'BEGIN { if (b > 0) printf "%.3f", a / b; else print "-" }'; }

: >"$work/empty"
define
tools="none trawl trace_cmd perf"
for ((i = 0; i < rounds; i++)); do
	for tool in $tools; do
		round "$tool"
		[ "$i" = 0 ] && events "$tool" >"$work/$tool.events"
	done
done

printf '%d hits, medians of %d rounds\n' "$hits" "$rounds"
printf '%-10s %10s %12s %10s %12s %10s\n' tool "program s" "its CPU s" "all CPU s" \
	"file bytes" events
for tool in $tools; do
	printf '%-10s %10s %12s %10s %12s %10s\n' "$tool" "$(median "$tool" 1)" \
		"$(median "$tool" 2)" \
		"$(median "$tool" 3)" "$(median "$tool" 4)" "$(cat "$work/$tool.events")"
done
for tool in trace_cmd perf; do
	printf 'trawl / %-9s program %s  its CPU %s  all CPU %s  file %s\n' "$tool" \
		"$(ratio "$(median trawl 1)" "$(median "$tool" 1)")" \
		"$(ratio "$(median trawl 2)" "$(median "$tool" 2)")" \
		"$(ratio "$(median trawl 3)" "$(median "$tool" 3)")" \
		"$(ratio "$(median trawl 4)" "$(median "$tool" 4)")"
done
