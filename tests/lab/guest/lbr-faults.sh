# SPDX-License-Identifier: MIT
# kernels: 6.12
# machine: faulting-lbr
# A processor whose IA32_PERF_CAPABILITIES names a format with registers that it lacks: reading one
# faults. trawl.ko marks each stack, and prints none of it.
. "$TRAWL_SRC/tests/tap.sh"
. "$TRAWL_SRC/tests/lab/lab.sh"
load=$TRAWL_BUILD/tests/lab/branchload
insmod "$LAB_MODULES/../kmod/trawl.ko"
trawl -q -i "branch:kmod-lbr:last=8@uprobe:$load:jump_odd" -w last.trawl -- "$load" 40 >load.out
trawl-decode --json last.trawl >last.json
same "every stack of kmod-lbr is marked" "40 40" \
	"$(grep -c '"name":"branch:last"' last.json) $(grep -c '"name":"branch:lost"' last.json)"
same "and none of its records is printed" 0 "$(grep -c '"from":' last.json)"
cp ./*.json "$LAB_KEEP"
rmmod trawl
ok $? "the module can be unloaded"
tap_done
