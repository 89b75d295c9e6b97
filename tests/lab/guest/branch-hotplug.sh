# SPDX-License-Identifier: MIT
# A processor goes offline and comes back while branches are recorded: missing branches are marked,
# the others are a possible path through the program (the second half checks), and nothing stays
# behind.
# kernels: 6.12
# machine: skylake
. "$TRAWL_SRC/tests/tap.sh"
. "$TRAWL_SRC/tests/lab/lab.sh"
sysctl -q kernel.perf_event_max_sample_rate=1000000 kernel.perf_cpu_time_max_percent=0
insmod "$LAB_MODULES/../kmod/trawl.ko"
load=$TRAWL_BUILD/tests/lab/branchload
cpu=/sys/devices/system/cpu/cpu1/online
dmesg -C

# captured: prints the number of branches that the recorder reports.
captured() {
	local lines
	lines=$(grep -c 'captured so far' $how.said)
	kill -USR1 $recorder
	wait_for said_again "$lines"
	sed -n 's/.*: \([0-9]*\) events\? captured so far.*/\1/p' $how.said | tail -1
}
said_again() {
	[ "$(grep -c 'captured so far' $how.said)" -gt "$1" ]
}
# has_read: whether the recorder has read everything: its number has not grown in a second, and a
# batch ends after 0.9 s.
has_read() {
	local before
	before=$(captured)
	sleep 1.2
	[ "$before" = "$(captured)" ]
}
more_than() {
	[ "$(captured)" -gt "$1" ]
}
# used: prints the program's time in user mode, in 1/100 s.
used() {
	cut -d' ' -f14 /proc/$target/stat
}
used_more() {
	[ "$(used)" -gt "$1" ]
}

for how in perf-lbr perf-bts intel-bts kmod-lbr kmod-step; do
	# shellcheck disable=SC2016
	bash -c 'kill -STOP $$; exec "$0" 4000000000' "$load" &
	target=$!
	wait_for grep -q '^State:.*stopped' /proc/$target/status
	taskset -p -c 1 $target >/dev/null
	trawl -i branch:$how -p $target -w $how.trawl 2>$how.said &
	recorder=$!
	wait_for grep -q 'capturing to' $how.said
	kill -CONT $target
	wait_for grep -q branchload /proc/$target/comm
	echo 0 >$cpu
	ok $? "$how: the CPU of the program goes"
	echo 1 >$cpu
	ok $? "$how: and comes back"
	taskset -p -c 1 $target >/dev/null
	# Stop the program until everything is read: a full buffer would lose what follows.
	kill -STOP $target
	wait_for has_read
	ok $? "$how: the recorder has read all of it"
	count=$(captured)
	user=$(used)
	back=$(date +%s%N)
	kill -CONT $target
	# kmod-lbr gets the branches of a program that stays on its CPU only when it ends.
	if [ $how = kmod-lbr ]; then
		wait_for used_more "$((user + 5))"
	else
		wait_for more_than "$count"
	fi
	ok $? "$how: the program runs on, and what else tells of it is recorded at once"
	kill $target
	wait $target
	same "$how: the program ran on" 143 $?
	wait $recorder
	sed 's/^/# /' $how.said
	mv $how.trawl "$LAB_KEEP"
	echo "$back" >"$LAB_KEEP/$how.back"
done
same "the kernel has nothing to complain of" "" "$(dmesg | grep -E 'WARNING|BUG|Call Trace')"
rmmod trawl
ok $? "the module can be unloaded"
tap_done
