# SPDX-License-Identifier: MIT
# The cost of recording branches, in one guest: each back end beside the program alone and beside
# perf. `make bench-branch` prints it; the second half prints the bytes. Everything is measured in
# turn and twice; the least counts, as other programs on the machine disturbed that least.
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
# took NAME COMMAND...: measures the command; the least of all times, in us, is in least[NAME].
declare -A least
took() {
	local name=$1 began us
	shift
	began=${EPOCHREALTIME/./}
	"$@" >/dev/null 2>&1 || echo "# $*: status $?"
	us=$((${EPOCHREALTIME/./} - began))
	[ "${least[$name]:-$us}" -lt $us ] || least[$name]=$us
}
ways="perf-lbr kmod-lbr perf-bts intel-bts kmod-step"
# by HOW COMMAND...: sets by[] to the words that record the command in this way.
by() {
	local how=$1
	shift
	case $how in
	alone) by=("$@") ;;
	perf-record) by=(perf record -q -m 8192 -B -N -e branches:u -c 1 -d -o perf.data "$@") ;;
	*) by=(trawl -q -i "branch:$how" -w b.trawl -- "$@") ;;
	esac
}
# ptrace is left out: by it the program's start alone takes a minute, and branchstep measures steps.
declare -A turns=([alone]=1000000 [perf-lbr]=200000 [kmod-lbr]=1000000 [perf-bts]=20000
	[perf-record]=20000 [intel-bts]=100000 [kmod-step]=40000)
for _ in 1 2; do
	for how in alone $ways perf-record; do
		for n in 1 "${turns[$how]}"; do
			by "$how" "$load" "$n"
			took "$how $n" "${by[@]}"
		done
	done
done
echo "# $SECONDS s: a loop"
# turn HOW: prints the ns of one turn.
turn() {
	echo $(((least[$1 ${turns[$1]}] - least[$1 1]) * 1000 / turns[$1]))
}
alone=$(turn alone)
echo "# a turn of a loop of 3.5 branches, the program alone: $alone ns"
for how in $ways perf-record; do
	ns=$(turn "$how")
	if [ "$ns" -gt "$alone" ]; then
		echo "# a turn, $how: $ns ns, $((ns / alone)) times as long"
	else
		echo "# a turn, $how: not to be told from chance on so busy a machine"
	fi
done

# Records real programs from their first to their last instruction. The second half prints the
# bytes.
program() {
	local name=$1 ways=$2
	shift 2
	for how in alone alone $ways; do
		by "$how" "$@"
		took "$name $how" "${by[@]}"
		[ "$how" = alone ] || echo "# $name, $how: $((least[$name $how] / 1000)) ms," \
			"$((least[$name $how] / least[$name alone])) times as long as alone," \
			"$((least[$name alone] / 1000)) ms"
		case $how in
		*-bts | kmod-step | ptrace) mv b.trawl "$LAB_KEEP/$name-$how.trawl" ;;
		perf-record) stat -c %s perf.data >"$LAB_KEEP/$name.perf" ;;
		esac
	done
	echo "# $SECONDS s: $name"
}
program gzip "perf-lbr kmod-lbr perf-bts perf-record intel-bts kmod-step" \
	gzip -nc /usr/share/common-licenses/GPL-2
program sqlite3 "perf-lbr kmod-lbr perf-bts perf-record intel-bts kmod-step" sqlite3 :memory: \
	'create table t(a); insert into t values(3),(1),(2); select sum(a) from t;'
program python3 "kmod-lbr perf-bts intel-bts kmod-step" /usr/bin/python3 -S -c pass
program true ptrace /bin/true
rmmod trawl
tap_done
