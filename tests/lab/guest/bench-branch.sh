# SPDX-License-Identifier: MIT
# What recording branches costs, in one guest, of each way against the program alone; `make bench-
# branch` prints it. Everything is measured in turn and several times, and the least is told,
# which others on the machine disturbed least.
# kernels: bench
# machine: skylake
. "$TRAWL_SRC/tests/tap.sh"
. "$TRAWL_SRC/tests/lab/lab.sh"
sysctl -q kernel.perf_event_max_sample_rate=1000000 kernel.perf_cpu_time_max_percent=0
insmod "$LAB_MODULES/../kmod/trawl.ko"
"$TRAWL_BUILD/tests/bench/branchstep" >step
ok $? "branchstep"
sed 's/^/# /' step
times=$(sed -n 's/^trawl.ko is \([0-9]*\).*/\1/p' step)
[ "${times:-0}" -ge 8 ]
ok $? "a step of trawl.ko is at least 8 times faster than one of ptrace: ${times:-?}"

load=$TRAWL_BUILD/tests/lab/branchload
# took NAME COMMAND...: us; the least of all times is in least[NAME].
declare -A least
took() {
	local name=$1 began us
	shift
	began=${EPOCHREALTIME/./}
	"$@" >/dev/null 2>&1 || echo "# $*: status $?"
	us=$((${EPOCHREALTIME/./} - began))
	[ "${least[$name]:-$us}" -lt $us ] || least[$name]=$us
}
declare -A turns=([alone]=2000000 [perf-lbr]=500000 [kmod-lbr]=2000000 [perf-bts]=8000
	[intel-bts]=40000 [kmod-step]=20000 [ptrace]=300)
ways="perf-lbr kmod-lbr perf-bts intel-bts kmod-step ptrace"
for _ in 1 2 3; do
	for n in 1 many; do
		for how in alone $ways; do
			run=("$load" "${turns[$how]}")
			[ $n = many ] || run[1]=1
			[ $how = alone ] || run=(trawl -q -i branch:$how -w b.trawl -- "${run[@]}")
			took "$how $n" "${run[@]}"
		done
	done
done
alone=$(((least[alone many] - least[alone 1]) * 1000 / turns[alone]))
echo "# a turn of a loop of 3.5 branches, the program alone: $alone ns"
for how in $ways; do
	ns=$(((least[$how many] - least[$how 1]) * 1000 / turns[$how]))
	echo "# a turn, branch:$how: $ns ns, $((ns / alone)) times as long"
done

# Real programs from their first to their last instruction: how long, and how many bytes a branch.
program() {
	local name=$1 ways=$2 n bytes
	shift 2
	took "$name alone" "$@"
	took "$name alone" "$@"
	for how in $ways; do
		took "$name $how" trawl -q -i branch:$how -w "$name.trawl" -- "$@"
		read -r n bytes < <(/usr/bin/python3 -B "$TRAWL_SRC/tests/reader_branch.py" \
			--sizes "$name.trawl")
		echo "# $name, branch:$how: $n branches," \
			"$((bytes * 1000 / n)) thousandths of a byte each," \
			"$((least[$name $how] / 1000)) ms, alone $((least[$name alone] / 1000)) ms"
		[ "$bytes" -le "$n" ]
		ok $? "$name, branch:$how: at most a byte a branch"
		[ "$how" != kmod-step ] ||
			"$TRAWL_BUILD/tests/bench/branch" "$name.trawl" again.trawl 0 | sed 's/^/# again: /'
	done
}
program gzip "perf-bts intel-bts kmod-step ptrace" gzip -nc /usr/share/common-licenses/GPL-3
program sqlite3 "perf-bts intel-bts kmod-step" sqlite3 :memory: \
	'create table t(a); insert into t values(3),(1),(2); select sum(a) from t;'
program python3 "perf-bts intel-bts kmod-step" /usr/bin/python3 -S -c pass
rmmod trawl
tap_done
