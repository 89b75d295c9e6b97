# SPDX-License-Identifier: MIT
# Branches by hardware, emulated (tests/lab/qemu): BTS is the whole of what single steps see, record
# by record, and LBR is stretches of it.
# machine: skylake
. "$TRAWL_SRC/tests/tap.sh"
. "$TRAWL_SRC/tests/lab/lab.sh"
sysctl -q kernel.perf_event_max_sample_rate=1000000 kernel.perf_cpu_time_max_percent=0
insmod "$LAB_MODULES/../kmod/trawl.ko"
load=$TRAWL_BUILD/tests/lab/branchload

for how in kmod-step perf-bts intel-bts perf-lbr; do
	trawl -i branch:$how -w $how.trawl -- "$load" 300 >load.out 2>said
	ok $? "branch:$how"
	has "branch:$how loses none" "$(cat said)" ' 0 lost'
	trawl-decode --json $how.trawl >$how.json
	ok $? "branch:$how is decoded"
done
compare() {
	found=$(/usr/bin/python3 "$TRAWL_SRC/tests/lab/branchsame.py" "$@")
	ok $? "$2 against $3: $found"
}
compare all perf-bts.json kmod-step.json
compare all intel-bts.json kmod-step.json
compare runs perf-lbr.json kmod-step.json
cp ./*.trawl "$LAB_KEEP"
rmmod trawl
tap_done
