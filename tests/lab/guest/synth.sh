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
