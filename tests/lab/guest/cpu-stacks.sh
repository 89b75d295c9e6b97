# SPDX-License-Identifier: MIT
# Branch stacks of each emulated processor that has them, by the kernel's driver, also on a CPU that
# goes offline and comes back. `make lab-cpus` runs this on each of them.
# kernels: each-cpu
. "$TRAWL_SRC/tests/tap.sh"
. "$TRAWL_SRC/tests/lab/lab.sh"
sysctl -q kernel.perf_event_max_sample_rate=1000000 kernel.perf_cpu_time_max_percent=0
load=$TRAWL_BUILD/tests/lab/branchload
objdump -d "$load" >load.objdump
dmesg | grep -i 'LBR' | sed 's/^/# /'
if grep -q ' pti=on' /proc/cmdline; then
	has "page tables are isolated" "$(cat /proc/cpuinfo)" '^flags.* pti( |$)'
fi

# stacks NAME: runs perf record -b and checks its stacks.
stacks() {
	local found
	perf record -q -m 4M -B -N -b -e branches:u -c 101 -o stack.data \
		"$load" 20000 >load.out 2>perf.err
	ok $? "$1: perf record -b"
	perf script -i stack.data -F brstack >stack.txt 2>>perf.err
	found=$(/usr/bin/python3 "$TRAWL_SRC/tests/lab/brstack.py" load.objdump stack.txt static)
	ok $? "$1: its stacks are ways through the program"
	has "$1: which are many" "$found" '^[0-9]{4,} records, [0-9]{4,} neighbours, 0 bad$'
	[ ! -s perf.err ] || head -5 perf.err >&2
	cp stack.txt "$LAB_KEEP"
}

stacks "all CPUs"
echo 0 >/sys/devices/system/cpu/cpu1/online
ok $? "a CPU goes"
stacks "one CPU"
echo 1 >/sys/devices/system/cpu/cpu1/online
ok $? "and comes back"
stacks "both again"
tap_done
