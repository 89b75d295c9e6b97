#!/bin/bash
# SPDX-License-Identifier: MIT
# long.sh HOURS HARNESS...: libFuzzer on each harness in turn, HOURS in all; called by make
# fuzz-long. Ends with status 1 if one of them found something, which is then in fuzz/.
src=$(cd "$(dirname "$0")" && pwd)
hours=${1:?HOURS}
shift
each=$(awk -v h="$hours" -v n=$# 'BEGIN { s = int(h * 3600 / n); print (s < 1 ? 1 : s) }')
mkdir -p fuzz
bad=0
for harness; do
	name=${harness##*/fuzz_}
	mkdir -p "fuzz/$name"
	"$harness" -max_total_time="$each" -max_len=1000000 -rss_limit_mb=1024 -timeout=20 \
		-print_final_stats=1 \
		-artifact_prefix="fuzz/$name-" "fuzz/$name" \
		"$src/corpus/$name" >"fuzz/$name.log" 2>&1
	status=$?
	[ $status -eq 0 ] || bad=1
	awk -v name="$name" -v status=$status '
		/cov: [0-9]+/ { for (i = 1; i < NF; i++) if ($i == "cov:") cov = $(i + 1) }
		/stat::number_of_executed_units/ { n = $2 }
		END { printf "%-14s %12d executions  %6d edges  status %d\n", name, n, cov, status }' "fuzz/$name.log"
done
exit $bad
