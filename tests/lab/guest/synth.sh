# SPDX-License-Identifier: MIT
# Synthetic events, chains of killed captures, and two captures at once.
. "$TRAWL_SRC/tests/tap.sh"
. "$TRAWL_SRC/tests/lab/lab.sh"

# How a task's wake-up ends in its being switched to.
trawl -q -w 5.trawl -i 'synth:wakeup=sched.sched_waking,sched.sched_switch key=pid:next_pid start.prio name=end.next_comm' \
	-i event:sched:sched_switch -- bash -c 'for i in 1 2 3; do sleep 0.05; done'
ok $? "a synthetic event records"
has "with latency, key and fields of both" "$(decoded 5.trawl --source synth)" \
	'"name":"synth:wakeup".*"fields":\{"latency":[1-9][0-9]*,"key":[0-9]+,"prio":[0-9]+,"name":"sleep"\}'
same "nothing is left in tracefs" 0 "$(leftovers)"

# A text of any length.
trawl -q -w 7.trawl -i 'synth:life=sched.sched_process_exec,sched.sched_process_exit key=pid start.filename' -- \
	sh -c 'sleep 0.1; true'
has "a text of any length is kept" "$(decoded 7.trawl --source synth)" \
	'"name":"synth:life".*"fields":\{"latency":[0-9]{9,},"key":[0-9]+,"filename":"/usr/bin/sleep"\}'

# A synthetic event of somebody else's: as it is, and below an eprobe. Its stacks need Linux 6.3.
echo 's:lab_woken pid_t pid; u64 lat' >>$T/dynamic_events
stack=
if grep -q common_stacktrace $T/README; then
	echo 's:lab_stack pid_t pid; unsigned long[] stack' >>$T/dynamic_events
	stack=,st=common_stacktrace
fi
waking="hist:keys=pid:ts=common_timestamp$stack"
woken='hist:keys=next_pid:lat=common_timestamp-$ts:onmatch(sched.sched_waking).trace(lab_woken,next_pid,$lat)'
stacks='hist:keys=next_pid:s=$st:onmatch(sched.sched_waking).trace(lab_stack,next_pid,$s)'
echo "$waking" >>$T/events/sched/sched_waking/trigger
echo "$woken" >>$T/events/sched/sched_switch/trigger
[ -z "$stack" ] || echo "$stacks" >>$T/events/sched/sched_switch/trigger
trawl -q -w 8.trawl -i 'event:synthetic:lab_*' -i 'eprobe:lab/probe=synthetic.lab_woken $lat' --duration 1s
ok $? "somebody else's synthetic events record"
has "as they are" "$(decoded 8.trawl)" '"name":"synthetic:lab_woken".*"fields":\{"pid":[0-9]+,"lat":[1-9][0-9]*\}'
has "and below an eprobe" "$(decoded 8.trawl)" '"name":"lab:probe".*"fields":\{"lat":[1-9][0-9]*\}'
if [ "$stack" ]; then
	has "a stack by its symbols" "$(trawl-decode --print --name '*:lab_stack' 8.trawl)" '^=> [a-z_0-9.]+\+0x[0-9a-f]+'
	same "with nothing else in it" 0 "$(trawl-decode --print --name '*:lab_stack' 8.trawl | grep -c '^=> 0x')"
	echo "!$stacks" >>$T/events/sched/sched_switch/trigger
fi
echo "!$woken" >>$T/events/sched/sched_switch/trigger
echo "!$waking" >>$T/events/sched/sched_waking/trigger
echo '-:synthetic/lab_woken' >>$T/dynamic_events
[ -z "$stack" ] || echo '-:synthetic/lab_stack' >>$T/dynamic_events
same "theirs was left as it was, ours is gone" 0 "$(leftovers)"

# kill -9: the chain stays, and --gc takes it down.
trawl -q -w 6.trawl -i 'eprobe:syscalls.sys_enter_openat filename=+0($filename):ustring at-exit' \
	-i 'synth:wakeup=sched.sched_waking,sched.sched_switch key=pid:next_pid' &
pid=$!
armed() {
	grep -q onmatch $T/instances/trawl_${pid}_*_synth/events/sched/sched_switch/trigger
}
wait_for 10 armed
ok $? "the chain is armed"
kill -9 $pid
wait $pid 2>/dev/null
[ "$(grep -c trawl_ $T/dynamic_events)" -ge 3 ]
ok $? "a killed capture leaves its chain"
trawl --gc
ok $? "--gc runs"
same "and nothing is left" 0 "$(leftovers)"
tap_done
