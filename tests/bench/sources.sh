#!/bin/bash
# SPDX-License-Identifier: MIT
# Eight sources at once against each of them alone: the recorder's processor time for the same events.
# One program passes eight places so many times: three USDT probes, three functions,
# two system calls; what differs is only what of that is armed. Each round has all runs, so that what
# else the machine does meets all alike; of each run it prints seconds of CPU, events, lost.
#
#	tests/bench/sources.sh [ROUNDS [TURNS]]
#
# "at once / sum" is without what a recorder costs that records nothing, which is measured, too. The
# functions begin with a push, which the kernel emulates: single-stepping over anything else takes the
# program so long that a recorder's wake-ups are most of what it costs.
set -u
rounds=${1:-3} turns=${2:-1000000}
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
[ -w /sys/kernel/tracing/events/enable ] || { echo "tracefs cannot be written: run as root"; exit 0; }

cat >"$dir/load.c" <<'END'
#include <stdlib.h>
#include <sys/sdt.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PLACE(name) \
	__attribute__((noinline)) long name(long turn, long other) \
	{ \
		__asm__ volatile("" : "+r"(turn)); \
		return turn + other; \
	}
PLACE(first) PLACE(second) PLACE(third)

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 0, sum = 0;
	char go;

	if (read(0, &go, 1) != 1)
		return 2;
	for (long i = 0; i < n; i++) {
		DTRACE_PROBE2(load, one, i, sum);
		DTRACE_PROBE2(load, two, i, sum);
		DTRACE_PROBE2(load, three, i, sum);
		sum += first(i, 1) + second(i, 2) + third(i, 3);
		syscall(SYS_getpgid, 0);
		syscall(SYS_getsid, 0);
	}
	if (n < 0)
		DTRACE_PROBE(load, never);
	return sum == 1;
}
END
${CC:-cc} -O2 -g -fno-omit-frame-pointer -fcf-protection=none -o "$dir/load" "$dir/load.c" || { echo "no compiler, or no sys/sdt.h: apt-get install systemtap-sdt-dev"; exit 0; }
sources=("usdt:$dir/load:one" "usdt:$dir/load:two" "usdt:$dir/load:three" "uprobe:$dir/load:first turn other"
	"uprobe:$dir/load:second turn other" "uprobe:$dir/load:third turn other"
	event:syscalls:sys_enter_getpgid event:syscalls:sys_enter_getsid)

# record SOURCE...: "CPU-SECONDS EVENTS LOST" of a recorder with these sources, without the load.
record() {
	local s args=()
	for s; do
		args+=(-i "$s")
	done
	/usr/bin/python3 - "$dir/load" "$turns" "$TRAWL_BUILD/trawl" "${args[@]}" -w "$dir/x.trawl" 2>"$dir/err" <<'END'
import os, subprocess, sys, time
load, turns, command = sys.argv[1], sys.argv[2], sys.argv[3:]
q = subprocess.Popen([load, turns], stdin=subprocess.PIPE)
# Of this process only: what others on the machine are called is no part of it.
p = subprocess.Popen(command + ["-p", str(q.pid)])
while not os.path.exists(command[-1]):
    time.sleep(0.1)
q.communicate(b"x")
_, _, used = os.wait4(p.pid, 0)
print(used.ru_utime + used.ru_stime, end=" ")
END
	sed -n 's/^\([0-9]*\) events captured, \([0-9]*\) lost.*/\1 \2/p' "$dir/err" | grep . || { cat "$dir/err" >&2; echo "0 0"; }
	rm -f "$dir/x.trawl"
}

for ((i = 1; i <= rounds; i++)); do
	{
		echo "nothing $(record "usdt:$dir/load:never")"
		for s in "${sources[@]}"; do
			echo "alone $(record "$s")"
		done
		echo "at-once $(record "${sources[@]}")"
	} | tee -a "$dir/runs"
done
awk '
	$1 == "nothing" { idle += $2 / '"$rounds"' }
	$1 == "alone" { k = n++ % 8; cpu[k] += $2; events[k] += $3; sum += $2; total += $3; lost += $4 }
	$1 == "at-once" { all += $2; taken += $3; missed += $4 }
	END {
		printf "nothing   %.3f s CPU a run\n", idle
		printf "alone     %d events, %d lost; ns CPU an event:", total, lost
		for (k = 0; k < 8; k++)
			printf " %.0f", events[k] ? (cpu[k] - idle * '"$rounds"') * 1e9 / events[k] : 0
		sum -= 8 * '"$rounds"' * idle
		all -= '"$rounds"' * idle
		printf "; together %.0f\n", total ? sum * 1e9 / total : 0
		printf "at once   %d events, %d lost; ns CPU an event: %.0f\n", taken, missed, taken ? all * 1e9 / taken : 0
		printf "at once / sum  %.2f\n", total && taken ? (all / taken) / (sum / total) : 0
	}' "$dir/runs"
echo "load average $(cut -d' ' -f1-3 /proc/loadavg)"
