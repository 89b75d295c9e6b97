# SPDX-License-Identifier: MIT
# Branches and events of the kernel on one timeline: each branch lies between the events around it.
# machine: skylake
# kernels: 6.12
. "$TRAWL_SRC/tests/tap.sh"
. "$TRAWL_SRC/tests/lab/lab.sh"
sysctl -q kernel.perf_event_max_sample_rate=1000000 kernel.perf_cpu_time_max_percent=0
insmod "$LAB_MODULES/../kmod/trawl.ko"
export LD_BIND_NOW=1 # or the first call of read() is one of the dynamic linker
for how in kmod-step perf-bts intel-bts; do
	trawl -i branch:$how -i event:syscalls:sys_enter_read -w $how.trawl \
		-- dd if=/dev/zero of=/dev/null bs=1 count=2000 2>said
	ok $(($? > 1)) "branch:$how and system calls: $(tail -1 said)"
	found=$(trawl-decode --json $how.trawl | /usr/bin/python3 "$TRAWL_SRC/tests/lab/between.py")
	ok $? "$how: each call of read() is between the system calls around it: $found"
done
rmmod trawl
tap_done
