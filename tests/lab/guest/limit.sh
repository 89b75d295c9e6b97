# SPDX-License-Identifier: MIT
# kernels: 6.12
# machine: iommu
# long: 6.12
# The kernel has no memory for another instance. On this machine each instance begins with 96 MiB
# for each CPU (trace_buf_size), and this test takes memory until only one fits. It uses one CPU,
# because the kernel also prints a warning if the buffer of any but the first CPU does not fit.
. "$TRAWL_SRC/tests/tap.sh"
. "$TRAWL_SRC/tests/lab/lab.sh"

# measure: sets left to the memory, in MiB, that the kernel compares with the size of a new buffer.
measure() {
	sync
	echo 3 >/proc/sys/vm/drop_caches
	left=$(($(sed -n 's/^MemAvailable: *\([0-9]*\) kB/\1/p' /proc/meminfo) / 1024))
}

# room_for_one: takes memory until one instance fits (96 MiB, and trawl), but not two. Huge pages
# are quick to take; a file takes the rest, for which they are too large or too few.
room_for_one() {
	local tries
	for tries in 1 2 3 4 5 6 7 8; do
		measure
		[ $left -lt 150 ] || [ $left -gt 180 ] || break
		taken=$((taken + left - 165))
		truncate -s 0 /dev/shm/taken
		fallocate -l ${taken}M /dev/shm/taken
	done
	[ $left -ge 150 ] && [ $left -le 180 ]
	ok $? "there is room for one instance ($left MiB)"
}
says='cannot make instances/trawl_[0-9a-z_]*: no memory for another ring buffer; end other recordings,'

cpu=/sys/devices/system/cpu/cpu1/online
echo 0 >$cpu
measure
echo $(((left - 500) / 2)) >/proc/sys/vm/nr_hugepages
taken=0
room_for_one
mkdir $T/instances/other
ok $? "somebody else has it"
fails "no other has" 1 'Cannot allocate memory' mkdir $T/instances/another
fails "nor has trawl" 3 "$says" trawl -w x -i event:sched:sched_switch -- touch ran
same "of which nothing is left" "0 other" "$(echo $(leftovers))"
rmdir $T/instances/other
# trawl makes two instances, one after the other: the second must fit before the first has given
# back what it did not need.
rm /dev/shm/taken
trawl -q -w room.trawl -i event:sched:sched_process_exec -- cat /proc/self/comm >/dev/null
ok $? "there is room again"
has "and what happens is recorded" "$(trawl-decode room.trawl)" 'sched:sched_process_exec .*cat'

# The first instances fit, the next one does not.
taken=0
room_for_one
fails "the limit is met half way" 3 "$says" \
	trawl -B 98000 -w x -i event:sched:sched_switch \
	-i "uprobe:$TRAWL_BUILD/samples/tick:tick_step n" \
	-- touch ran
same "what was armed is taken down" "0" "$(echo $(leftovers))"
ok $([ ! -e ran ] && [ ! -e x ]; echo $?) "no COMMAND was run and no file made"
rm /dev/shm/taken
echo 0 >/proc/sys/vm/nr_hugepages
echo 1 >$cpu
tap_done
