#!/bin/bash
# SPDX-License-Identifier: MIT
# Eight sources at once against each of them alone: the recorder's processor time for the same
# events. One program passes eight places TURNS times: a USDT probe, a function, and six system
# calls that cost little; the runs differ only in which of them are recorded. Each round has all
# runs, so that other load on the machine affects all alike; the median of all rounds counts for
# each.
#
#	tests/bench/sources.sh [ROUNDS [TURNS]]
#
# The recorder's processor time counts from the program's first turn until all events are compressed
# and written, less that of a recorder that has nothing to record meanwhile. Start and end do not
# count: there the kernel makes and removes instances. A few turns before, which do not count, touch
# the memory. The function begins with a push, which the kernel emulates: single-stepping any other
# instruction slows the program so much that most of the recorder's cost is its wake-ups.
set -u
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
[ -w /sys/kernel/tracing/events/enable ] ||
	{ echo "tracefs cannot be written: run as root"; exit 0; }

cat >"$dir/load.c" <<'END'
#include <stdio.h>
#include <sys/sdt.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PLACE(name) \
	__attribute__((noinline)) long name(long turn, long other) \
	{ \
		__asm__ volatile("" : "+r"(turn)); \
		return turn + other; \
	}
PLACE(function)

static long turns(long n)
{
	long sum = 0;

	for (long i = 0; i < n; i++) {
		DTRACE_PROBE2(load, probe, i, sum);
		sum += function(i, 1);
		syscall(SYS_getpgid, 0);
		syscall(SYS_getsid, 0);
		syscall(SYS_getpriority, 0, 0);
		syscall(SYS_sched_getscheduler, 0);
		syscall(SYS_sched_get_priority_max, 0);
		syscall(SYS_sched_get_priority_min, 0);
	}
	if (n < 0)
		DTRACE_PROBE(load, never);
	return sum;
}

/* So many turns for each line that says how many, and a line when they are done. */
int main(void)
{
	long n;

	while (scanf("%ld", &n) == 1) {
		printf("%ld\n", turns(n));
		fflush(stdout);
	}
	return 0;
}
END
${CC:-cc} -O2 -g -fno-omit-frame-pointer -fcf-protection=none -o "$dir/load" "$dir/load.c" ||
	{ echo "no compiler, or no sys/sdt.h: apt-get install systemtap-sdt-dev"; exit 0; }

/usr/bin/python3 - "$dir" "$TRAWL_BUILD/trawl" "${1:-2}" "${2:-400000}" <<'END'
import os, re, statistics, subprocess, sys, time
folder, trawl, rounds, turns = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
load, capture = folder + "/load", folder + "/x.trawl"
sources = [f"usdt:{load}:probe", f"uprobe:{load}:function turn other"]
sources += ["event:syscalls:sys_enter_" + call
            for call in ("getpgid", "getsid", "getpriority", "sched_getscheduler",
                         "sched_get_priority_max", "sched_get_priority_min")]
# Seconds until what was recorded is in the file: it is written once a second.
WRITTEN = 1.3


def processor_time(pid):
    """Seconds of all threads of a process, by the clock whose number Linux derives from the pid."""
    return time.clock_gettime(~pid << 3 | 2)


def record(wanted, turns=turns):
    """Records these sources: (processor seconds, wall seconds, lost events)."""
    q = subprocess.Popen([load], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    command = [trawl, "-w", capture, "-p", str(q.pid)] + [w for s in wanted for w in ("-i", s)]
    p = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    # The file gets its name when all probes are placed.
    while not os.path.exists(capture):
        if p.poll() is not None:
            sys.exit(p.stderr.read())
        time.sleep(0.02)
    for n in turns // 20, turns:
        begun, before = time.monotonic(), processor_time(p.pid)
        print(n, file=q.stdin, flush=True)
        q.stdout.readline()
        time.sleep(WRITTEN)
        took, used = time.monotonic() - begun, processor_time(p.pid) - before
    q.communicate("")
    said = p.communicate()[1]
    os.unlink(capture)
    m = re.search(r"^(\d+) events? captured, (\d+) lost", said, re.M)
    if not m or int(m[1]) + int(m[2]) != (turns + turns // 20) * len(wanted):
        sys.exit("not all events: " + said)
    return used, took, int(m[2])


begun = time.time()
runs = [[s] for s in sources]
runs.insert(len(runs) // 2, sources)
seen, lost = [[] for _ in runs], 0
for i in range(rounds):
    idle, took, _ = record([f"usdt:{load}:never"], 0)
    idle /= took
    for each, wanted in zip(seen, runs):
        used, took, missed = record(wanted)
        each.append((used - idle * took) * 1e9 / (turns * len(wanted)))
        lost += missed
    print(f"round {i + 1}, ns CPU an event: " + " ".join(
        f"{'at once ' * (wanted is sources)}{each[-1]:.0f}" for each, wanted in zip(seen, runs)) +
        f"; nothing {idle * 1e3:.1f} ms a second", flush=True)
alone = [statistics.median(each) for each in seen]
once = alone.pop(runs.index(sources))
for source, ns in zip(sources, alone):
    print(f"{source.split()[0].rsplit(':', 1)[1]:32} {ns:6.1f} ns CPU an event")
print(f"{'at once':32} {once:6.1f} ns CPU an event; {lost} lost in all runs; {time.time() - begun:.0f} s")
# Each source has equally many events: per event, the eight alone cost the mean of their costs.
print(f"at once / sum  {once / statistics.mean(alone):.2f}")
END
echo "load average $(cut -d' ' -f1-3 /proc/loadavg)"
