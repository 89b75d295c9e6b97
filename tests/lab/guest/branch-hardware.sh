# SPDX-License-Identifier: MIT
# Branches by emulated hardware (tests/lab/qemu): BTS has every branch that single steps see, LBR
# has parts of that sequence.
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
# Samples that overlap are joined: on one CPU every missing branch is counted.
taskset -p 1 $$ >/dev/null
trawl -i branch:perf-joined -w perf-joined.trawl -- "$load" 300 >load.out 2>said
ok "$([ $? -le 1 ]; echo $?)" "branch:perf-joined"
taskset -p 3 $$ >/dev/null
sed 's/^/# /' said
trawl-decode --json perf-joined.trawl >perf-joined.json
ok $? "branch:perf-joined is decoded"
compare() {
	found=$(/usr/bin/python3 "$TRAWL_SRC/tests/lab/branchsame.py" "$@")
	ok $? "$2 against $3: $found"
}
compare all perf-bts.json kmod-step.json
compare all intel-bts.json kmod-step.json
compare runs perf-lbr.json kmod-step.json
compare counted perf-joined.json kmod-step.json

# Nothing empties the processor's records and buffers at an exec: branches of the program before
# come with those of the new one.
cp "$TRAWL_BUILD/tests/kmod/walk" first
for how in perf-bts intel-bts perf-lbr perf-joined; do
	trawl -q -i branch:$how -w first.trawl -- sh -c './first; ./first; exec ./first'
	trawl-decode --json first.trawl >$how.first
	n=$(grep -c '"from":"0x40' $how.first)
	ok $((n == 0)) "$how: there are branches after an exec: $n"
	same "$how: each is of its program" 0 \
		"$(grep '"from":"0x40' $how.first | grep -vc '"from_module":"first"')"
	same "$how: and those of the program before are not" 0 \
		"$(grep -v '"from":"0x40' $how.first | grep -c '"from_module":"first"')"
done
# No record says that the kernel moves a task to a signal's handler, and back.
for how in perf-bts intel-bts; do
	# shellcheck disable=SC2016
	trawl -q -i branch:$how -w signal.trawl -- \
		sh -c 'trap : USR1; kill -USR1 $$; kill -USR1 $$; kill -USR1 $$'
	same "$how: three handlers and the returns from them are breaks" 6 \
		"$(trawl-decode --json signal.trawl | grep -c '"branch:break"')"
done
# A call of what is no address is one lost branch: the exception after it is none of the program's.
trawl -i branch:intel-bts -w wild.trawl -- "$TRAWL_BUILD/tests/lab/branchwild" 7 >wild.out 2>said
same "intel-bts: a lost branch: status" 1 $?
has "intel-bts: each of seven wild calls is lost" "$(tail -1 said)" ', 7 lost'
# What is collected after a sleep did not happen before it, and the branches of a task that stays on
# its CPU come late: a reader at a pipe waits for nothing that is older than the horizon.
for how in perf-bts intel-bts perf-lbr perf-joined kmod-lbr; do
	turns=3000
	[ $how != perf-joined ] || turns=300 # 3000 take a minute
	# shellcheck disable=SC2016
	trawl -q -i branch:$how -w - -- \
		sh -c 'sleep 3; n=0; while [ $n -lt $0 ]; do n=$((n + 1)); done' $turns |
		cat >slept.trawl
	found=$(/usr/bin/python3 "$TRAWL_SRC/tests/lab/horizon.py" slept.trawl)
	ok $? "$how: nothing is from before the horizon: $found"
	has "$how: there are branches after the sleep" "$found" ' [1-9][0-9]* after a horizon'
done
# While the kernel loads a program, from a slow file system, the task leaves its CPU: kmod-lbr then
# has branches of the one before.
# shellcheck disable=SC2016
trawl -q -i branch:kmod-lbr -w load.trawl -- sh -c 'for n in 1 2 3 4 5 6 7 8 9 10; do
	echo 3 >/proc/sys/vm/drop_caches
	(exec "$0" 1)
done' "$load" >load.out
trawl-decode --json load.trawl >load.json
ok $(($(grep -c '"branch:stack"' load.json) < 20)) "kmod-lbr: stacks of ten programs"
same "kmod-lbr: none has branches of the one before" 0 "$(grep -c '"from_symbol":"\[unmapped\]' load.json)"

# Each child has one argument more, so that its first sample comes elsewhere: some come soon after
# the exec.
# shellcheck disable=SC2016
printf '%s\n' 'for n in $(seq 120); do' 'args="$args x"; (exec ./first $args)' done >execs
trawl -q -i branch:perf-lbr -w first.trawl -- sh execs
trawl-decode --json first.trawl >first.json
ok $(($(grep -c '"from":"0x40' first.json) == 0)) "perf-lbr: 120 programs after an exec"
same "perf-lbr: no stack has branches of two programs" 0 "$(awk '/"branch:stack"/ { a = b = 0 }
	/"from":"0x40/ { a = 1 } /"from":"0x[57]/ { b = 1 } a && b { n++ } END { print n + 0 }' first.json)"

# When a CPU goes over to a task with the same inherited events, perf leaves the branches of the
# one before in the buffer.
# whose: prints how many branches of whose code each task of tasks.trawl has.
whose() {
	trawl-decode --json tasks.trawl >tasks.json
	grep '"from_symbol":"turn_[123]' tasks.json |
		sed 's/.*"tid":\([0-9]*\),.*"from_symbol":"\(turn_.\).*/\1 \2/' | sort | uniq -c
}
# generations HOW: starts the parent of three generations, and its recorder.
generations() {
	rm -rf gate
	mkdir gate
	"$TRAWL_BUILD/tests/lab/branchtasks" 300 gate &
	target=$!
	trawl -i "branch:$1" -p $target -w tasks.trawl 2>said &
	recorder=$!
	wait_for grep -q 'capturing to' said
}
# events: the number of perf events that the recorder has.
events() {
	find /proc/$recorder/fd -lname '*perf_event*' | wc -l
}
has_events() {
	[ "$(events)" -ge "$1" ]
}
for how in perf-bts intel-bts; do
	trawl -i branch:$how -w tasks.trawl -- "$TRAWL_BUILD/tests/lab/branchtasks" 300 2>said
	whose >tasks
	same "$how: each of three children has the branches of its own code, and all of them" \
		"3000 turn_1 3000 turn_2 3000 turn_3" "$(awk '{ print $1, $3 }' tasks | sort -k2 | xargs)"
	has "$how: and lost none" "$(cat said)" ' 0 lost'
	# A generation is told apart if the recorder has opened an event on it before it forks.
	generations $how
	opened=$(events)
	for n in 1 2 3; do
		touch gate/$n
		wait_for has_events $((opened + n))
		ok $? "$how: the recorder has an event of generation $n"
	done
	touch gate/run
	wait $target $recorder
	whose >tasks
	same "$how: each of three generations has the branches of its own code, and all of them" \
		"3000 turn_1 3000 turn_2 3000 turn_3" "$(awk '{ print $1, $3 }' tasks | sort -k2 | xargs)"
	has "$how: and lost none" "$(tail -1 said)" ' 0 lost'
	# The recorder sleeps until all have ended.
	generations $how
	kill -STOP $recorder
	wait_for grep -q '^State:.*stopped' /proc/$recorder/status
	touch gate/1 gate/2 gate/3 gate/run
	wait $target
	kill -CONT $recorder
	wait $recorder
	same "$how: a recorder that comes late: status" 1 $?
	whose >tasks
	sed 's/^/# /' tasks
	same "$how: none of three generations has another's" "" \
		"$(awk 'whose[$2]++ || task[$3]++' tasks)"
	has "$how: what may be of two of them is lost: $(tail -1 said)" "$(tail -1 said)" \
		'[1-9][0-9]* and more lost'
done

cp ./*.trawl ./*.json ./*.first "$LAB_KEEP"

modprobe msr
trawl --self-test branch >selftest
ok $? "--self-test branch"
sed 's/^/# /' selftest
has "each way is right" "$(cat selftest)" \
	'perf-bts=right intel-bts=right kmod-lbr=right kmod-step=right perf-lbr=right perf-joined=right ptrace=right$'
has "the line to send names the processor and its format" "$(cat selftest)" \
	'GenuineIntel cpu family 6 model 94 stepping 3 .*LBR format 5, 32 entries by perf: '

# A user with CAP_PERFMON alone may record branches by perf, and nothing else.
mkdir -m 777 /var/tmp/perfmon
with_perfmon() {
	setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps +perfmon \
		--ambient-caps +perfmon "$@"
}
# Debian's default of 3 requires CAP_SYS_ADMIN, so CAP_PERFMON is not enough.
sysctl -q kernel.perf_event_paranoid=3
fails "at perf_event_paranoid=3 it is not enough" 3 'lower kernel.perf_event_paranoid' \
	with_perfmon trawl -i branch:perf-lbr -w /var/tmp/perfmon/no.trawl -- /bin/true
sysctl -q kernel.perf_event_paranoid=2
with_perfmon trawl -i branch:perf-lbr -w /var/tmp/perfmon/x.trawl -- "$load" 300 >load.out 2>said
ok $? "at 2, an ordinary user records with it"
sed 's/^/# /' said
same "the file is that user's" nobody "$(stat -c %U /var/tmp/perfmon/x.trawl)"
ok $(($(trawl-decode --json /var/tmp/perfmon/x.trawl | wc -l) < 300)) "with the branches of the load"
fails "and nothing of tracefs" 3 'no permission to trace' \
	with_perfmon trawl -i event:sched:sched_switch -w /var/tmp/perfmon/no.trawl
rmmod trawl
tap_done
