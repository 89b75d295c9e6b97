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
trawl -q -i branch:kmod-step -w all.trawl -- "$load" 40 >load.out
trawl-decode --json all.trawl >all.json
trawl -i "branch:kmod-lbr:last=8@uprobe:$load:jump_odd" -w last.trawl -- "$load" 40 >load.out 2>said
status=$?
trawl-decode --json last.trawl >last.json
said_lost "kmod-lbr" $status last.json
found=$(/usr/bin/python3 "$TRAWL_SRC/tests/lab/lastsame.py" all.json last.json jump_odd 8 lies)
ok $? "stacks of kmod-lbr with such a record are marked, the others are right: $found"
has "of each of 40 hits" "$found" '^1 tasks, 40 hits, 40 in the whole trace, 0 differ'

# perf takes such a record for a branch of the kernel, and leaves it out.
trawl -i branch:perf-lbr -w perf.trawl -- "$load" 3000 >load.out 2>said
sed 's/^/# /' said
has "perf-lbr says that branches are missing" "$(cat said)" ', an unknown number lost'
objdump -d "$load" >load.objdump
trawl-export --to brstack perf.trawl | grep -v '^PERF' >stacks
found=$(/usr/bin/python3 "$TRAWL_SRC/tests/lab/brstack.py" load.objdump stacks)
ok $? "what it has is a way through the program: $found"
trawl -q -i branch:kmod-step -w steps.trawl -- "$load" 3000 >load.out
trawl-decode --json steps.trawl >steps.json
trawl-decode --json perf.trawl >perf.json
found=$(/usr/bin/python3 "$TRAWL_SRC/tests/lab/branchsame.py" some perf.json steps.json)
ok $? "each of its branches is one of the steps: $found"
has "and none is a forward jump, of which it has no address" "$found" ' 0 forward jumps$'
cp ./*.json ./*.trawl stacks "$LAB_KEEP"
rmmod trawl
ok $? "the module can be unloaded"
tap_done
