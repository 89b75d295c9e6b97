# SPDX-License-Identifier: MIT
# trawl-replay stream: JSON events a second at --speed 0 (goal: 2 million), beside trawl-decode
# --json of the same file; memory for a file that is four times as long; lateness of events at
# 10,000 a second (goal: 99 % within 1 ms). Processor seconds are those of all threads, so that
# other work on the machine does not count. Lateness is measured by the clock, therefore the load is
# printed beside it. Needs root, tracefs, perf, cc.
set -e -o pipefail
: "${TRAWL_BUILD:?run it with make bench}"
RUNS=${RUNS:-3}
PATH=$TRAWL_BUILD:$PATH
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
for tool in perf cc; do
	command -v $tool >/dev/null || { echo "skipped: $tool is not installed"; exit 0; }
done
[ -w /sys/kernel/tracing/instances ] || { echo "skipped: no write access to tracefs"; exit 0; }

cat >"$dir/load" <<'LOAD'
#!/bin/sh
dd if=/dev/zero of=/dev/null bs=1 count=300000 2>/dev/null &
perf bench sched pipe -l 25000 >/dev/null 2>&1 &
wait
LOAD
chmod +x "$dir/load"
cat >"$dir/ticks.c" <<'LOAD'
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
/* N system calls, 100 us apart. */
int main(int argc, char **argv)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	for (long n = atol(argv[argc - 1]); n--;) {
		t.tv_nsec += 100000;
		t.tv_sec += t.tv_nsec / 1000000000;
		t.tv_nsec %= 1000000000;
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
		syscall(SYS_getpriority, 0, 0);
	}
	return 0;
}
LOAD
cc -O1 -o "$dir/ticks" "$dir/ticks.c"

trawl -q -i 'event:raw_syscalls:*' -i 'event:sched:*' -w "$dir/x.trawl" -- "$dir/load" 2>/dev/null
trawl -q -i 'event:raw_syscalls:sys_enter if id == 140' -w "$dir/ticks.trawl" -- "$dir/ticks" 50000 \
	2>/dev/null
cat "$dir/x.trawl" "$dir/x.trawl" "$dir/x.trawl" "$dir/x.trawl" >"$dir/long.trawl"

# cost COMMAND...: prints processor seconds of its best run, and its memory in KB.
cost() {
	local i
	for ((i = 0; i < RUNS; i++)); do
		/usr/bin/time -f '%U %S %M' -o "$dir/time" "$@" >/dev/null
		cat "$dir/time"
	done | awk '{s = $1 + $2} !n++ || s < best {best = s; mem = $3} END {print best, mem}'
}

events=$(trawl-decode --json "$dir/x.trawl" | wc -l)
read -r stream memory < <(cost trawl-replay stream --speed 0 --to json "$dir/x.trawl")
read -r json _ < <(cost trawl-decode --json "$dir/x.trawl")
read -r _ longer < <(cost trawl-replay stream --speed 0 --to json "$dir/long.trawl")
awk -v n="$events" -v s="$stream" -v j="$json" 'BEGIN {
	printf "%d events as JSON: stream --speed 0 %.2f M/s (2 asked), trawl-decode %.2f M/s\n",
		n, n / s / 1e6, n / j / 1e6 }'
echo "memory of stream: $memory KB, of four times as many events $longer KB"
read -r load _ </proc/loadavg
trawl-replay stream -v --to json "$dir/ticks.trawl" 2>&1 >/dev/null |
	sed "s/^/10,000 events a second, load $load: /"
