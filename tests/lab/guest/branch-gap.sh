# SPDX-License-Identifier: MIT
# Branches by (emulated) hardware in a task with uprobes: the processor has no record of a branch
# that the kernel emulates for a uprobe, so a mark stands for it. Between marks nothing is missing.
# kernels: 6.12
# machine: skylake
. "$TRAWL_SRC/tests/tap.sh"
. "$TRAWL_SRC/tests/lab/lab.sh"
sysctl -q kernel.perf_event_max_sample_rate=1000000 kernel.perf_cpu_time_max_percent=0
insmod "$LAB_MODULES/../kmod/trawl.ko"
load=$TRAWL_BUILD/tests/lab/branchload
trawl -q -i branch:kmod-step -w kmod-step.trawl -- "$load" 100 >load.out
trawl-decode --json kmod-step.trawl >kmod-step.json
compare() {
	found=$(/usr/bin/python3 "$TRAWL_SRC/tests/lab/branchsame.py" "$@")
	ok $? "$2 against $3: $found"
}

objdump -d "$load" >load.objdump
# Offsets in work() of its call, its conditional jumps and its return.
read -r work jcc call back ret < <(awk '/^[0-9a-f]+ <work>:/ { printf "%s", $1; at = 1 }
	/^$/ { at = 0 }
	at && /\t(call|j[a-z]+|ret)/ { sub(":", "", $1); printf " %s", $1 }
	END { print "" }' load.objdump)
# gaps NAME PLACE COUNT: passes if perf-bts has COUNT marks, and no branch is missing between them.
gaps() {
	trawl -q -i branch:perf-bts -i "uprobe:$load:$2" -w gaps.trawl -- "$load" 100 >load.out 2>said
	trawl-decode --json gaps.trawl | grep '"name":"branch:' >gaps.json
	same "perf-bts beside a probe on $1: each place is marked" "$3" "$(grep -c 'branch:lost' gaps.json)"
	cp gaps.trawl "$LAB_KEEP/gaps-${1// /-}.trawl"
}
gaps "a call" "work+$((0x$call - 0x$work))" 100
compare runs gaps.json kmod-step.json
gaps "the jump of the loop" "work+$((0x$back - 0x$work))" 100
compare runs gaps.json kmod-step.json
gaps "a jump that is not taken" "work+$((0x$jcc - 0x$work))" 1
compare runs gaps.json kmod-step.json
# Instructions that the kernel cannot emulate run out of line, and a function with a return probe
# returns through a trampoline.
gaps "a return" "work+$((0x$ret - 0x$work))" 1
gaps "all returns" "jump_odd%return" 100
gaps "no branch" "work" 0
compare runs gaps.json kmod-step.json
trawl -q -i branch:intel-bts -i "uprobe:$load:work+$((0x$call - 0x$work))" -w aux.trawl -- "$load" 100 >load.out
trawl-decode --json aux.trawl | grep '"name":"branch:' >aux.json
same "intel-bts beside a probe on a call" 100 "$(grep -c 'branch:lost' aux.json)"
trawl -q -i branch:perf-lbr -i "uprobe:$load:work+$((0x$call - 0x$work))" -w lbr.trawl -- "$load" 3000 >load.out
ok "$([ "$(trawl-decode --json lbr.trawl | grep -c '"name":"branch:lost"')" -gt 0 ]; echo $?)" \
	"perf-lbr beside a probe on a call: stacks of the loop are marked"
rmmod trawl
tap_done
