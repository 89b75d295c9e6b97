# SPDX-License-Identifier: MIT
# trawl records, then perf record -b begins for the same tasks: whatever filter perf has, each
# branch that trawl records is right, and missing ones are marked. The second half checks this.
# kernels: 6.12
# machine: skylake
. "$TRAWL_SRC/tests/tap.sh"
. "$TRAWL_SRC/tests/lab/lab.sh"
sysctl -q kernel.perf_cpu_time_max_percent=25 kernel.perf_event_max_sample_rate=1000000 \
	kernel.perf_cpu_time_max_percent=0
insmod "$LAB_MODULES/../kmod/trawl.ko"
load=$TRAWL_BUILD/tests/lab/branchnumber

# slept PID: prints how often the process has slept.
slept() {
	sed -n 's/^voluntary_ctxt_switches:\t//p' "/proc/$1/status"
}
slept_more() {
	[ "$(slept "$1")" -gt "$2" ]
}

for filter in any,u any_call,u any,u,k; do
	# shellcheck disable=SC2016
	bash -c 'kill -STOP $$; exec "$0" 65000' "$load" >load.out &
	target=$!
	wait_for grep -q '^State:.*stopped' /proc/$target/status
	trawl -i branch:kmod-lbr -p $target -w "$LAB_KEEP/$filter.trawl" 2>said &
	recorder=$!
	wait_for grep -q 'capturing to' said
	kill -CONT $target
	wait_for grep -q branchnumber /proc/$target/comm
	wait_for slept_more $target 100
	ok $? "$filter: the program runs"
	rm -f perf.runs
	# perf starts its command when its events are enabled.
	perf record -q -m 512 -B -N -a -j $filter -e branches:u -c 997 -o perf.data -- \
		sh -c 'echo >perf.runs; exec sleep 1000' >perf.log 2>&1 &
	perf=$!
	wait_for test -s perf.runs
	ok $? "$filter: perf records, too"
	wait_for slept_more $target $(($(slept $target) + 300))
	ok $? "$filter: the program goes on"
	kill -INT $perf
	wait $perf
	wait_for slept_more $target $(($(slept $target) + 100))
	kill $target
	wait $target
	wait $recorder
	sed 's/^/# /' said
	perf script -i perf.data --comm branchnumber -F ip,brstack 2>/dev/null |
		gzip -1 >"$LAB_KEEP/$filter.perf.gz"
done
rmmod trawl
ok $? "the module can be unloaded"
tap_done
