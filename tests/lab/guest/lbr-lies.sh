# SPDX-License-Identifier: MIT
# kernels: 6.12
# machine: lying-lbr
# A processor whose IA32_PERF_CAPABILITIES names another format than its branch records have: in
# each record of a misprediction, here of each forward jump, the source is no address of the
# program. Such records are marked as a loss, never printed.
. "$TRAWL_SRC/tests/tap.sh"
. "$TRAWL_SRC/tests/lab/lab.sh"
load=$TRAWL_BUILD/tests/lab/branchload
sysctl -q kernel.perf_event_max_sample_rate=1000000 kernel.perf_cpu_time_max_percent=0
insmod "$LAB_MODULES/../kmod/trawl.ko"

# Every second call of jump_odd() jumps forward: among eight branches there is always one.
trawl -q -i "branch:kmod-lbr:last=8@uprobe:$load:jump_odd" -w last.trawl -- "$load" 40 >load.out
trawl-decode --json last.trawl >last.json
same "every stack of kmod-lbr is marked" "40 40" \
	"$(grep -c '"name":"branch:last"' last.json) $(grep -c '"name":"branch:lost"' last.json)"
same "and none of its records is printed" 0 "$(grep -c '"from":' last.json)"

# perf takes such a record for a branch of the kernel, and leaves it out.
trawl -i branch:perf-lbr -w perf.trawl -- "$load" 3000 >load.out 2>said
sed 's/^/# /' said
has "perf-lbr says that branches are missing" "$(cat said)" ' 0 and more lost'
objdump -d "$load" >load.objdump
trawl-export --to brstack perf.trawl | grep -v '^PERF' >stacks
found=$(/usr/bin/python3 "$TRAWL_SRC/tests/lab/brstack.py" load.objdump stacks)
ok $? "what it has is a way through the program: $found"
cp ./*.json ./*.trawl stacks "$LAB_KEEP"
rmmod trawl
ok $? "the module can be unloaded"
tap_done
