# SPDX-License-Identifier: MIT
# A recorder that is stopped until the buffers of perf are full says that more is missing, without
# a number that perf does not tell. The second half looks at what is recorded.
# kernels: 6.12
# machine: skylake
. "$TRAWL_SRC/tests/tap.sh"
. "$TRAWL_SRC/tests/lab/lab.sh"
sysctl -q kernel.perf_event_max_sample_rate=1000000 kernel.perf_cpu_time_max_percent=0
load=$TRAWL_BUILD/tests/lab/branchload
for how in perf-bts intel-bts; do
	turns=60000
	[ $how = intel-bts ] && turns=200000
	trawl -i branch:$how -w "$LAB_KEEP/$how.trawl" -- "$load" $turns >load.out 2>said &
	pid=$!
	wait_for 10 pgrep -x branchload
	kill -STOP $pid
	sleep 6
	kill -CONT $pid
	wait $pid
	same "$how: status of a recording with losses" 1 $?
	has "$how: losses are said" "$(cat said)" ' 0 and more lost'
done
tap_done
