# SPDX-License-Identifier: MIT
# Printing text of the same load: trawl-decode against trace-cmd report and perf script.
#
# Each tool records syscalls, scheduler, timers and softirqs of the same program with its own
# recorder, then prints its own file to /dev/null; best of $RUNS runs, processor seconds and
# events printed. Needs root, tracefs, trace-cmd, perf.
set -e -o pipefail
: "${TRAWL_BUILD:?run it with make bench}"
RUNS=${RUNS:-5}
PATH=$TRAWL_BUILD:$PATH
dir=$(mktemp -d)
instance=trawlbench$$
trap 'rm -rf "$dir"; rmdir "/sys/kernel/tracing/instances/$instance" 2>/dev/null || :' EXIT
for tool in perf trace-cmd; do
	command -v $tool >/dev/null || { echo "skipped: $tool is not installed"; exit 0; }
done
[ -w /sys/kernel/tracing/instances ] || { echo "skipped: no write access to tracefs"; exit 0; }

cat >"$dir/load" <<'LOAD'
#!/bin/sh
dd if=/dev/zero of=/dev/null bs=1 count=100000 2>/dev/null &
perf bench sched pipe -l 25000 >/dev/null 2>&1 &
wait
LOAD
chmod +x "$dir/load"

# trace-cmd opens files that some kernels lack or forbid; in a mount namespace of its own it finds
# empty ones.
record_trace_cmd() {
	mkdir "/sys/kernel/tracing/instances/$instance"
	: >"$dir/none"
	unshare -m bash -c '
		for f in /proc/sys/kernel/ftrace_enabled /sys/kernel/tracing/set_ftrace_* \
			 /sys/kernel/tracing/instances/$2/set_ftrace_*; do
			[ -e "$f" ] && mount --bind "$1/none" "$f"
		done
		trace-cmd record -q -B $2 -b 30000 -C mono -o "$1/trace.dat" \
			-e raw_syscalls -e sched -e timer -e irq "$1/load"' x "$dir" "$instance" \
		>"$dir/log" 2>&1 || { cat "$dir/log"; return 1; }
}

record_trace_cmd
perf record -q -m 16384 -a -e 'raw_syscalls:*,sched:*,timer:*,irq:*' -o "$dir/perf.data" \
	"$dir/load" >/dev/null 2>&1
trawl -q -i 'event:raw_syscalls:*' -i 'event:sched:*' -i 'event:timer:*' -i 'event:irq:*' \
	-w "$dir/x.trawl" -- "$dir/load" 2>/dev/null

trace_cmd() { trace-cmd report "$dir/trace.dat" 2>/dev/null; }
perf_script() { perf script -i "$dir/perf.data" 2>/dev/null; }
trawl_text() { trawl-decode "$dir/x.trawl"; }
trawl_json() { trawl-decode --json "$dir/x.trawl"; }
trawl_print() { trawl-decode --print "$dir/x.trawl"; }

# best COMMAND: prints processor and wall seconds of the fastest run.
best() {
	local i
	TIMEFORMAT='%U %S %R'
	for ((i = 0; i < RUNS; i++)); do
		{ time "$1" >/dev/null; } 2>&1 | awk '{ print $1 + $2, $3 }'
	done | sort -n | head -1
}

echo "tool               events   cpu s  M events/cpu s   wall s  M events/s"
for tool in trace_cmd perf_script trawl_text trawl_json trawl_print; do
	n=$($tool | grep -c '\[0\|"ts_ns"')
	read -r cpu wall <<<"$(best $tool)"
	echo "$tool $n $cpu $wall" >>"$dir/result"
	awk -v t=$tool -v n="$n" -v c="$cpu" -v w="$wall" 'BEGIN {
		printf "%-15s %9d  %6.3f  %14.2f  %7.3f  %10.2f\n", t, n, c, n / c / 1e6, w, n / w / 1e6 }'
done
awk '{ cpu[$1] = $2 / $3; wall[$1] = $2 / $4 } END {
	for (t in cpu) if (t ~ /^trawl/) printf "%s: %.1f times trace-cmd report, %.1f times perf script by processor time; %.1f and %.1f by wall time\n",
		t, cpu[t] / cpu["trace_cmd"], cpu[t] / cpu["perf_script"],
		wall[t] / wall["trace_cmd"], wall[t] / wall["perf_script"] }' \
	"$dir/result" | sort
