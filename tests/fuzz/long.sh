#!/bin/bash
# SPDX-License-Identifier: MIT
# long.sh HOURS HARNESS...: libFuzzer on each harness in turn, HOURS of processor time in all;
# called by make fuzz-long. Prints what each did when it ends, or when SIGTERM ends all. Status 1
# if one of them found something, which is then in fuzz/.
src=$(cd "$(dirname "$0")" && pwd)
hours=${1:?HOURS}
shift
each=$(awk -v h="$hours" -v n=$# 'BEGIN { s = int(h * 3600 / n); print (s < 1 ? 1 : s) }')
hertz=$(getconf CLK_TCK)
mkdir -p fuzz
bad=0
stopped=
trap 'stopped=1' TERM INT

# Processor time of process $1 in seconds; nothing when it has ended.
used() {
	awk -v h="$hertz" '{ printf "%d\n", ($14 + $15) / h }' "/proc/$1/stat" 2>/dev/null
}

# Whether the last input that took 20 s by the clock, which libFuzzer takes for a loop, takes less
# of the processor: then the machine was busy. That input is removed.
was_busy() {
	input=$(ls -t "fuzz/$name"-timeout-* | head -n 1)
	(ulimit -t 20; exec "$harness" -timeout=3600 "$input") >/dev/null 2>&1 && rm "$input"
}

for harness; do
	name=${harness##*/fuzz_}
	mkdir -p "fuzz/$name"
	# A compressed file may demand a window of 4 GiB; decode/import/unpack.c refuses that except
	# with sanitizers.
	"$harness" -max_len=1000000 -rss_limit_mb=1024 -malloc_limit_mb=4097 -timeout=20 \
		-print_final_stats=1 \
		-artifact_prefix="fuzz/$name-" "fuzz/$name" \
		"$src/corpus/$name" >"fuzz/$name.log" 2>&1 &
	pid=$!
	seconds=0
	while now=$(used $pid) && [ -n "$now" ]; do
		# a process that nobody has waited for keeps its place in /proc
		[ "$(awk '{ print $3 }' /proc/$pid/stat)" = Z ] && break
		seconds=$now
		if [ "$seconds" -ge "$each" ] || [ -n "$stopped" ]; then
			kill -USR1 $pid # libFuzzer ends after this input, with its statistics
		fi
		sleep 1
	done
	wait $pid
	status=$?
	[ -n "$stopped" ] && [ $status -eq 72 ] && status=0 # SIGTERM reached it, too
	[ $status -eq 70 ] && was_busy && status=0
	[ $status -eq 0 ] || bad=1
	awk -v name="$name" -v status=$status -v seconds="$seconds" '
		/cov: [0-9]+/ { for (i = 1; i < NF; i++) if ($i == "cov:") cov = $(i + 1) }
		/stat::number_of_executed_units/ { n = $2 }
		END { printf "%-14s %12d executions  %6d edges  %6d s of processor time  " \
			"status %d\n", name, n, cov, seconds, status }' "fuzz/$name.log"
	[ -z "$stopped" ] || break
done
exit $bad
