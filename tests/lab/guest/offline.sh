# SPDX-License-Identifier: MIT
# kernels: 6.12
# A processor that is offline when a capture begins has no buffer to read or to poll; it gets one
# when it comes online.
. "$TRAWL_SRC/tests/tap.sh"
. "$TRAWL_SRC/tests/lab/lab.sh"
cpu=/sys/devices/system/cpu/cpu1/online
echo 0 >$cpu
start trawl trawl -w offline.trawl -i event:sched:sched_process_exec
wait_for grep -q 'capturing to' trawl.log
switches=$(sed -n 's/^voluntary_ctxt_switches:\s*//p' /proc/$pid_trawl/status)
ticks=$(cut -d' ' -f14 /proc/$pid_trawl/stat)
taskset -c 0 true
sleep 2
ticks=$(($(cut -d' ' -f14 /proc/$pid_trawl/stat) - ticks))
switches=$(($(sed -n 's/^voluntary_ctxt_switches:\s*//p' /proc/$pid_trawl/status) - switches))
# A recorder that polled a CPU without a buffer would never sleep.
ok $((switches == 0 || ticks > 100)) \
	"it waits for those that there are ($switches times, $ticks ticks)"
echo 1 >$cpu
taskset -c 1 true
sleep 0.5
taskset -c 1 true
finish trawl INT
ok $? "the capture is whole"
trawl-decode --json --where 'filename ~ "*/true"' offline.trawl >seen
same "events of one and of the other" "0 1" \
	"$(echo $(sed 's/.*"cpu":\([0-9]*\),.*/\1/' seen | sort -u))"
tap_done
