# SPDX-License-Identifier: MIT
# A recorder that is stopped until perf's buffers are full reports losses without a number, because
# perf tells none; so do two recorders whose events share one counter in turns. The second half
# checks the recorded branches.
# kernels: 6.12
# machine: skylake
. "$TRAWL_SRC/tests/tap.sh"
. "$TRAWL_SRC/tests/lab/lab.sh"
sysctl -q kernel.perf_event_max_sample_rate=1000000 kernel.perf_cpu_time_max_percent=0
load=$TRAWL_BUILD/tests/lab/branchload
# used PID: prints the processor time in 1/100 s, as a sum.
used() {
	cut -d' ' -f14,15 "/proc/$1/stat" | tr ' ' +
}
# used_more PID TIME: whether the process has used more than TIME (1/100 s), or has ended.
used_more() {
	grep -q '^State:.*zombie' "/proc/$1/status" || [ $(($(used "$1"))) -gt "$2" ]
}
for how in perf-bts intel-bts; do
	turns=60000
	[ $how = intel-bts ] && turns=200000
	trawl -i branch:$how -w "$LAB_KEEP/$how.trawl" -- "$load" $turns >load.out 2>said &
	pid=$!
	wait_for pgrep -x -P $pid branchload
	kill -STOP $pid
	target=$(pgrep -x -P $pid branchload)
	wait_for used_more "$target" $(($(used "$target") + 300))
	ok $? "$how: the program runs on while nobody reads"
	kill -CONT $pid
	wait $pid
	same "$how: status of a recording with losses" 1 $?
	has "$how: losses are said" "$(cat said)" ' 0 and more lost'
done

# shellcheck disable=SC2016
bash -c 'kill -STOP $$; exec "$0" 20000' "$load" >load.out &
target=$!
wait_for grep -q '^State:.*stopped' /proc/$target/status
for name in first second; do
	timeout 500 trawl -i branch:perf-bts -p $target -w "$LAB_KEEP/$name.trawl" 2>$name.said &
	wait_for grep -q 'capturing to' $name.said
done
kill -CONT $target
wait $target
wait
for name in first second; do
	has "$name of two recorders: losses are said" "$(cat $name.said)" ' 0 and more lost'
done
tap_done
