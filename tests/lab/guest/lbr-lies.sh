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

# Every second call of jump_odd() jumps forward: among eight branches there is always one. After the
# task has come to a CPU there may be fewer, and none.
trawl -q -i "branch:kmod-lbr:last=8@uprobe:$load:jump_odd" -w last.trawl -- "$load" 40 >load.out
trawl-decode --json last.trawl >last.json
marked=$(grep -c '"name":"branch:lost"' last.json)
short=$(grep -cE '"name":"branch:last".*"count":[1-7],' last.json)
ok $((marked == 0)) "stacks of kmod-lbr are marked: $marked"
same "every stack is but $short of fewer branches" 40 $((marked + short))
same "and each record of these comes from a program's code" 0 \
	"$(grep '"from":' last.json | grep -cv '"from_module":')"

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
