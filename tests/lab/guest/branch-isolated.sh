# SPDX-License-Identifier: MIT
# With page-table isolation perf's buffer for BTS is mapped for user code, too, and the kernel has
# no intel_bts: perf-bts has every branch that single steps see, and the others work as without.
# machine: skylake-pti
. "$TRAWL_SRC/tests/tap.sh"
. "$TRAWL_SRC/tests/lab/lab.sh"
sysctl -q kernel.perf_event_max_sample_rate=1000000 kernel.perf_cpu_time_max_percent=0
insmod "$LAB_MODULES/../kmod/trawl.ko"
load=$TRAWL_BUILD/tests/lab/branchload
has "page tables are isolated" "$(cat /proc/cpuinfo)" '^flags.* pti( |$)'
for how in kmod-step perf-bts perf-lbr; do
	trawl -i branch:$how -w $how.trawl -- "$load" 300 >load.out 2>said
	ok $? "branch:$how"
	has "branch:$how loses none" "$(cat said)" ' 0 lost'
	trawl-decode --json $how.trawl >$how.json
	ok $? "branch:$how is decoded"
done
found=$(/usr/bin/python3 "$TRAWL_SRC/tests/lab/branchsame.py" all perf-bts.json kmod-step.json)
ok $? "perf-bts against kmod-step: $found"
found=$(/usr/bin/python3 "$TRAWL_SRC/tests/lab/branchsame.py" runs perf-lbr.json kmod-step.json)
ok $? "perf-lbr against kmod-step: $found"
fails "intel-bts says what keeps it out" 3 'page-table isolation is on \(perf-bts works with it\)' \
	trawl -i branch:intel-bts -w no.trawl -- "$load" 300
trawl --self-test branch >selftest
ok $? "--self-test branch"
has "each way but intel-bts is right" "$(cat selftest)" \
	'perf-bts=right intel-bts=no kmod-lbr=right kmod-step=right perf-lbr=right perf-joined=right ptrace=right; '
cp ./*.trawl selftest "$LAB_KEEP"
rmmod trawl
tap_done
