# SPDX-License-Identifier: MIT
# machine: skylake
# A recorder that is stopped until the buffers of perf are full: what is recorded is a way through
# the program, and that more is missing is said, without a number that perf does not tell.
. "$TRAWL_SRC/tests/tap.sh"
. "$TRAWL_SRC/tests/lab/lab.sh"
sysctl -q kernel.perf_event_max_sample_rate=1000000 kernel.perf_cpu_time_max_percent=0
load=$TRAWL_BUILD/tests/lab/branchload
objdump -d "$load" >load.objdump
for how in perf-bts intel-bts; do
	trawl -i branch:$how -w $how.trawl -- "$load" 150000 >load.out 2>said &
	pid=$!
	wait_for 10 pgrep -x branchload
	kill -STOP $pid
	sleep 4
	kill -CONT $pid
	wait $pid
	same "$how: status of a recording with losses" 1 $?
	has "$how: losses are said" "$(cat said)" ' 0 and more lost'
	has "$how: and marked" "$(trawl-decode $how.trawl | grep 'lost here')" 'nobody knows how many'
	trawl-export --to brstack $how.trawl | grep -v '^PERF' >stacks
	found=$(/usr/bin/python3 "$TRAWL_SRC/tests/lab/brstack.py" load.objdump stacks)
	ok $? "$how: a way through the program: $found"
	[ "${found%% *}" -ge 5000 ]
	ok $? "$how: of many branches"
	cp said "$LAB_KEEP/$how.said"
done
tap_done
