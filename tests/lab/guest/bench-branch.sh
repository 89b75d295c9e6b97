# SPDX-License-Identifier: MIT
# What recording branches costs, in one guest, of each way against the program alone; `make
# bench-branch` prints it. kernels: bench machine: skylake
. "$TRAWL_SRC/tests/tap.sh"
. "$TRAWL_SRC/tests/lab/lab.sh"
insmod "$LAB_MODULES/../kmod/trawl.ko"
"$TRAWL_BUILD/tests/bench/branchstep" >step
ok $? "branchstep: $(tr '\n' ';' <step)"
load=$TRAWL_BUILD/tests/lab/branchload
# took COMMAND...: ms.
took() {
	local began
	began=$(date +%s%N)
	"$@" >/dev/null 2>&1 || echo "# $*: status $?" >&2
	echo $((($(date +%s%N) - began) / 1000000))
}
turns=20000
took "$load" $turns >/dev/null
alone=$(took "$load" $turns)
echo "# the program alone: $alone ms"
for how in perf-lbr kmod-lbr perf-bts intel-bts kmod-step; do
	empty=$(took trawl -q -i branch:$how -w e.trawl -- "$load" 1)
	all=$(took trawl -q -i branch:$how -w a.trawl -- "$load" $turns)
	n=$(trawl-decode --summary a.trawl | sed -n 's/^branches: \([0-9]*\).*/\1/p')
	echo "# $how: $((all - empty)) ms more than for one turn, $n branches"
done
# ptrace is so slow that a hundredth must do.
empty=$(took trawl -q -i branch:ptrace -w e.trawl -- "$load" 1)
all=$(took trawl -q -i branch:ptrace -w a.trawl -- "$load" $((turns / 100)))
echo "# ptrace: $(((all - empty) * 100)) ms (a hundredth of the turns took $((all - empty)) ms)"
rmmod trawl
tap_done
