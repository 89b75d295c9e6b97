# SPDX-License-Identifier: MIT
# A recorder that is stopped until perf's buffers are full reports losses without a number, because
# perf tells none; so do two recorders whose events share one counter in turns. What has a number is
# what the recorder then drops itself: among the lost records may have been one that another task
# has come, so it does not know whose the next batch is. The second half checks the recorded
# branches, and that number.
# machine: skylake
. "$TRAWL_SRC/tests/tap.sh"
. "$TRAWL_SRC/tests/lab/lab.sh"
sysctl -q kernel.perf_event_max_sample_rate=1000000 kernel.perf_cpu_time_max_percent=0
load=$TRAWL_BUILD/tests/lab/branchload
# ready TURNS: starts the load, which waits to be continued; its pid is in $target. It stops after
# its exec: of the first batch after one, branches in code of both programs are lost and counted.
ready() {
	"$load" "$1" stop >load.out &
	target=$!
	wait_for grep -q '^State:.*stopped' /proc/$target/status
}
# The whole program runs while nobody reads.
for how in perf-bts intel-bts; do
	ready 200000
	trawl -i branch:$how -p $target -w "$LAB_KEEP/$how.trawl" 2>said &
	pid=$!
	wait_for grep -q 'capturing to' said
	kill -STOP $pid
	wait_for grep -q '^State:.*stopped' /proc/$pid/status
	kill -CONT $target
	wait $target
	same "$how: the program ends while nobody reads" 0 $?
	kill -CONT $pid
	wait $pid
	same "$how: status of a recording with losses" 1 $?
	has "$how: losses are said" "$(cat said)" ' ([0-9]+ and more|an unknown number) lost'
	cp said "$LAB_KEEP/$how.said"
done

ready 20000
for name in first second; do
	timeout 500 trawl -i branch:perf-bts -p $target -w "$LAB_KEEP/$name.trawl" 2>$name.said &
	wait_for grep -q 'capturing to' $name.said
done
kill -CONT $target
wait $target
wait
for name in first second; do
	has "$name of two recorders: losses are said" "$(cat $name.said)" ' ([0-9]+ and more|an unknown number) lost'
	cp $name.said "$LAB_KEEP"
done
tap_done
