# SPDX-License-Identifier: MIT
# kernels: 6.12
# machine: iommu
# The kernel has no room for another instance. On this machine each begins with 96 MiB for each of
# two CPUs (trace_buf_size), and memory is taken away until one of them has room and no more. What is
# left then is less than one CPU needs: for want of the first CPU's buffer the kernel says no, for
# want of the second one's it also warns in its log.
. "$TRAWL_SRC/tests/tap.sh"
. "$TRAWL_SRC/tests/lab/lab.sh"

available() {
	sed -n 's/^MemAvailable: *\([0-9]*\) kB/\1/p' /proc/meminfo
}
says='cannot make instances/trawl_[0-9a-z_]*: no memory for another ring buffer: end other recordings,'

sync
echo 3 >/proc/sys/vm/drop_caches
taken=$((($(available) - 270 * 1024) / 2048))
echo $taken >/proc/sys/vm/nr_hugepages
left=$(available)
ok $((left < 210 << 10 || left > 285 << 10)) "there is room for one instance ($((left / 1024)) MiB)"
mkdir $T/instances/other
ok $? "somebody else has it"
fails "no other has" 1 'Cannot allocate memory' mkdir $T/instances/another
fails "nor has trawl" 3 "$says" trawl -w x -i event:sched:sched_switch -- touch ran
same "of which nothing is left" "0 other" "$(echo $(leftovers))"
rmdir $T/instances/other
# trawl has two, one after the other: there may be room for the second before what the first did not
# need is back.
echo $((taken - 100)) >/proc/sys/vm/nr_hugepages
trawl -q -w room.trawl -i event:sched:sched_process_exec -- cat /proc/self/comm >/dev/null
ok $? "there is room again"
has "and what happens is recorded" "$(trawl-decode room.trawl)" 'sched:sched_process_exec .*cat'

# Its first instances have room, the next one does not.
echo 3 >/proc/sys/vm/drop_caches
echo $taken >/proc/sys/vm/nr_hugepages
fails "the limit is met half way" 3 "$says" \
	trawl -B 98000 -w x -i event:sched:sched_switch -i "uprobe:$TRAWL_BUILD/samples/tick:tick_step n" \
	-- touch ran
same "what was armed is taken down" "0" "$(echo $(leftovers))"
ok $([ ! -e ran ] && [ ! -e x ]; echo $?) "no COMMAND was run and no file made"
echo 0 >/proc/sys/vm/nr_hugepages
tap_done
