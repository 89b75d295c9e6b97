# SPDX-License-Identifier: MIT
# Branches are recorded while perf, or the NMI watchdog, uses the same counters: both get their
# data.
# kernels: 6.12
# machine: skylake
. "$TRAWL_SRC/tests/tap.sh"
. "$TRAWL_SRC/tests/lab/lab.sh"
# The kernel lets the rate be set only while the limit of the time share is not 0.
sysctl -q kernel.perf_cpu_time_max_percent=25 kernel.perf_event_max_sample_rate=1000000 \
	kernel.perf_cpu_time_max_percent=0
load=$TRAWL_BUILD/tests/lab/branchload
objdump -d "$load" >load.objdump

# is_way FILE.trawl NAME: passes if the branches between marks are possible paths through the load's
# code. Prints their number.
is_way() {
	local found
	trawl-export --to brstack "$1" | grep -v '^PERF' >stacks
	found=$(/usr/bin/python3 "$TRAWL_SRC/tests/lab/brstack.py" load.objdump stacks)
	ok $? "$2: a way through the program: $found"
	records=${found%% *}
}

# With the same filter both record branches.
perf record -q -m 512 -B -N -j any,u -e branches:u -c 1009 -o same.data -- \
	trawl -i branch:perf-lbr -w same.trawl -- "$load" 20000 >load.out 2>said
ok $? "perf record -j any,u with perf-lbr below it"
has "perf-lbr loses nothing beside the same filter" "$(cat said)" ' 0 lost'
is_way same.trawl "perf-lbr beside the same filter"
ok $((records < 500)) "of many branches"
perf script -i same.data --comm branchload -F brstack 2>/dev/null >stack.txt
found=$(/usr/bin/python3 "$TRAWL_SRC/tests/lab/brstack.py" load.objdump stack.txt)
ok $? "perf's own stacks are right, too: $found"

# perf stat counts only; it needs no branch records.
perf stat -x, -a -e instructions:u,cycles:u,branches:u -o stat.txt sleep 60 &
perf=$!
sleep 1
for how in perf-lbr perf-bts; do
	trawl -i branch:$how -w stat-$how.trawl -- "$load" 2000 >load.out 2>said
	has "$how beside perf stat: the capture is whole" "$(cat said)" ' 0 lost'
	is_way stat-$how.trawl "$how beside perf stat"
done
kill -INT $perf
wait $perf
sed 's/^/# /' stat.txt
same "perf stat has its three counts" 3 "$(grep -c '^[1-9][0-9]*,' stat.txt)"

# The NMI watchdog has a counter of each CPU to itself.
sysctl -q kernel.nmi_watchdog=1
same "the NMI watchdog counts" 1 "$(cat /proc/sys/kernel/nmi_watchdog)"
for how in perf-lbr perf-bts; do
	trawl -i branch:$how -w nmi-$how.trawl -- "$load" 2000 >load.out 2>said
	has "$how beside the NMI watchdog: the capture is whole" "$(cat said)" ' 0 lost'
	is_way nmi-$how.trawl "$how beside the NMI watchdog"
done
sysctl -q kernel.nmi_watchdog=0

# Seven pinned events have all counters; perf-bts needs none, but perf does not let an eighth run.
perf stat -a -e r00c4:D,r10c4:D,r20c4:D,r40c4:D,instructions:D,cycles:D,ref-cycles:D \
	-o pinned.txt sleep 100 &
perf=$!
all_pinned() {
	perf stat -x, -e branches:u true 2>&1 | grep -q 'not counted'
}
wait_for all_pinned
trawl -i branch:perf-bts -w pinned.trawl -- "$load" 30 >load.out 2>said
same "perf-bts beside seven pinned events records nothing: status" 1 $?
has "and says so" "$(cat said)" '^0 events captured, an unknown number lost'
kill -INT $perf
wait $perf

tap_done
