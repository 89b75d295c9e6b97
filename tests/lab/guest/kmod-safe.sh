# SPDX-License-Identifier: MIT
# Requests to /dev/trawl without permission, with invalid arguments, and at random; and the steps
# that its documentation describes.
# long: 6.1
. "$TRAWL_SRC/tests/tap.sh"
. "$TRAWL_SRC/tests/lab/lab.sh"
PATH=$TRAWL_BUILD/tests/kmod:$PATH
chmod 777 .
insmod "$LAB_MODULES/../kmod/trawl.ko"

# tap NAME COMMAND...: runs a command that prints TAP; prints what failed in it.
tap() {
	local name=$1
	shift
	"$@" >said
	same "$name" "" "$(grep -v '^ok' said | grep -v '^1\.\.')"
	has "$name: all of it" "$(cat said)" '^1\.\.'
}

tap "the code flow of the document" document
if type -p document32 >/dev/null; then
	tap "the same as a 32-bit program" document32
else
	skip "the same as a 32-bit program" "this compiler makes none"
fi
tap "every request" requests
if type -p requests32 >/dev/null; then
	tap "every request of a 32-bit program" requests32
	same "has the same answers" "$(requests | sed 's/ - / - 32-bit: /')" "$(cat said)"
else
	skip "every request of a 32-bit program" "this compiler makes none"
fi
tap "what is refused, and how" ioctls bad

same "every thread of a process is traced" "151 of 151 threads" "$(ioctls threads 150)"
# Beside other load: both processors are busy, and tasks start and end all the time.
bash -c 'while :; do :; done' &
busy=$!
bash -c 'while :; do /bin/true; done' &
starts=$!
has "1,000 cycles of enable and disable on a process with threads, under load" "$(ioctls cycles 1000)" \
	'^1000 cycles, status 0$'
has "random requests" "$(ioctls random "${LAB_FUZZ_SECONDS:-4}" "${LAB_FUZZ_SEED:-1}")" \
	'^[0-9]{3,} requests$'
same "what ran beside it still runs" "" "$(kill $busy $starts 2>&1)"
wait

# Which users may open the device, and which tasks they may trace.
as_nobody() {
	setpriv --reuid 65534 --regid 65534 --clear-groups "$@"
}
with_perfmon() {
	setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps +perfmon \
		--ambient-caps +perfmon "$@"
}
fails "others can't open it" 3 '/dev/trawl: Permission denied' as_nobody kbranch -- /bin/true
fails "and trawl says why" 3 'branch:kmod-step: /dev/trawl: Permission denied: run as root' \
	as_nobody "$(type -p trawl)" -i branch:kmod-step -w none.trawl -- /bin/true
chmod 666 /dev/trawl
fails "nor without CAP_PERFMON" 3 '/dev/trawl: Operation not permitted' as_nobody kbranch \
	-- /bin/true
with_perfmon kbranch -q -- /bin/true 2>/dev/null
ok $? "with it, one's own programs can be traced"
sleep 100 &
fails "but no one else's" 3 'TRAWL_IOC_ENABLE: Operation not permitted' with_perfmon kbranch -p $!
kill $!
install -m 4755 "$(type -p suid)" /var/tmp/suid
with_perfmon kbranch -o path -- /var/tmp/suid 2>/dev/null >output
has "a set-uid program runs with its rights" "$(cat output)" '^uid 65534 0$'
same "and is not traced" "35" "$(tail -1 path | cut -d' ' -f2)"
same "as it gained privileges" "3" "$(tail -1 path | cut -d' ' -f3)"
install -m 711 "$(type -p suid)" /var/tmp/secret
with_perfmon kbranch -o path -- /var/tmp/secret 2>/dev/null >output
same "one that may not be read is not traced" "35 3" "$(tail -1 path | cut -d' ' -f2,3)"
chmod 600 /dev/trawl

# Pids are those of the pid namespace of the process that opened the device.
unshare -p -f --mount-proc "$(type -p kbranch)" -o path -- /bin/true 2>/dev/null
ok $? "in a pid namespace of its own"
same "tids are that namespace's" "2" "$(cut -d' ' -f1 path | sort -u)"

# A running task, and one that sleeps until it gets a signal.
bash -c 'while :; do :; done' &
kbranch -p $! -o path 2>/dev/null
has "a task that runs is traced from now on" "$(cut -d' ' -f2 path | sort -nu | xargs)" \
	'^1 2 .*32 33$'
kill $!
wait $!
same "and goes on afterwards" 143 $?
bash -c 'trap "exit 5" USR1; sleep 100 & wait' &
sleeper=$!
sleep 0.5
(sleep 2 && kill -USR1 $sleeper) &
kbranch -p $sleeper -t 100 -o path 2>/dev/null
wait $sleeper
same "one that sleeps ends as it should" 5 $?
has "and is traced from where it wakes" "$(cut -d' ' -f2 path | sort -nu | xargs)" '^1 .*16.*34'

# Losses are counted: a slow reader of a small ring.
kbranch -m drop -n 1024 -z 50 -o path -- /bin/true 2>said
has "a ring that drops says how many" "$(cat said)" 'records, [1-9][0-9]* lost'
lost=$(sed -n 's/.*records, \([0-9]*\) lost/\1/p' said)
noted=$(awk '$2 == 36 { print "n += 0x" $3 }' path |
		(n=0; while read -r sum; do ((${sum// /})); done; echo $n))
[ "$noted" -gt 0 ] && [ "$noted" -le "$lost" ]
ok $? "and where: $noted of $lost in records before those that found room"
kbranch -m overwrite -n 1024 -z 50 -q -- /bin/true 2>/dev/null
ok $? "a ring that overwrites"
kbranch -m block -n 1024 -z 5 -q -- /bin/true 2>said
has "a ring that blocks loses nothing" "$(cat said)" ' 0 lost$'

has "a buffer that is emptied while it overflows: each branch was copied or is lost" \
	"$(ioctls cleared 50)" '^[1-9][0-9]* copied and [1-9][0-9]* lost: 0 too many$'

# The module cannot be removed while it is in use.
kbranch -q -- sleep 100 2>/dev/null &
wait_for pgrep -x sleep
fails "unloading while somebody traces is refused" 1 'in use' rmmod trawl
pkill -x sleep
wait
sleep 100 &
kbranch -p $! -q -t 1 2>/dev/null
rmmod trawl
ok $? "a task that sleeps since before its tracing ended does not keep it"
kill -CONT $!
kill $!
wait $!
same "and lives on without it, until it is killed" 143 $?
insmod "$LAB_MODULES/../kmod/trawl.ko"
ok $? "it can be loaded again"
rmmod trawl
tap_done
