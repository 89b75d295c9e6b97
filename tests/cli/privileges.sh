# SPDX-License-Identifier: MIT
# The privileges of each of the recorder's threads while it records, as /proc shows them. They
# suffice for rotation, other users' folders, following tasks and clean-up.
. "$TRAWL_SRC/tests/tap.sh"
. "$TRAWL_SRC/tests/cli/capture.sh"

# of_threads FIELD PID: prints the values that the field has in all threads, each once.
of_threads() {
	sed -n "s/^$1:\t//p" "/proc/$2"/task/*/status | sort -u | tr '\n' ' '
}

# has_caps NAME HEX BIT...: passes if the capability set HEX has exactly these bits.
has_caps() {
	local name=$1 set=$2 wanted=0 bit
	shift 2
	for bit in "$@"; do
		wanted=$((wanted | 1 << bit))
	done
	same "$name" "$(printf '%016x ' $wanted)" "$set"
}
KILL=5 SETGID=6 SETUID=7 SYS_PTRACE=19 SYS_NICE=23 SYSLOG=34

# record ARG...: starts a capture in the background and waits until it has dropped its privileges;
# its pid is in $pid.
record() {
	trawl -q "$@" 2>"$work/log" &
	pid=$!
	for _ in $(seq 500); do
		grep -q '^NoNewPrivs:.1' /proc/$pid/status 2>/dev/null && return
		kill -0 $pid 2>/dev/null || return
		sleep 0.02
	done
}
chmod 755 "$work"

record -i event:sched:sched_switch -i "usdt:$target:hit" -w "$work/a.trawl"
has_caps "root: three capabilities in every thread" \
	"$(of_threads CapPrm $pid)" $SYS_PTRACE $SYS_NICE $SYSLOG
has_caps "all effective" "$(of_threads CapEff $pid)" $SYS_PTRACE $SYS_NICE $SYSLOG
same "no new privileges" "1 " "$(of_threads NoNewPrivs $pid)"
if grep -q 'HAVE_SECCOMP 1' "$TRAWL_BUILD/config.h"; then
	same "a filter of system calls" "2 " "$(of_threads Seccomp $pid)"
fi
ok $(($(traces_of $pid | grep -c .) < 2)) "its instance and its probe are there"
"$target" hits 3 >/dev/null 2>&1
kill -INT $pid
wait $pid
same "it ends well" 0 $?
same "and cleans up" "" "$(traces_of $pid)"
ok "$(trawl-edit verify "$work/a.trawl" >/dev/null 2>&1; echo $?)" "the file is whole"

# Another user's folder, which root alone cannot write to without a capability.
mkdir "$work/theirs"
chown nobody "$work/theirs"
chmod 700 "$work/theirs"
record -Z nobody -i event:sched:sched_switch -G 1 -w "$work/theirs/b%s.trawl"
has_caps "-Z: and those to act as that user" \
	"$(of_threads CapPrm $pid)" $KILL $SETGID $SETUID $SYS_PTRACE $SYS_NICE $SYSLOG
for _ in $(seq 400); do
	[ "$(find "$work/theirs" -name 'b*' | wc -l)" -gt 1 ] && break
	sleep 0.05
done
kill -INT $pid
wait $pid
ok $(($(find "$work/theirs" -name 'b*' -user nobody | wc -l) < 2)) \
	"further files are made, and are that user's"

record -i event:sched:sched_switch -w "$work/theirs/c.trawl"
has=$(of_threads CapPrm $pid)
ok $(((0x$(echo $has) & 2) == 0)) \
	"root in a folder of another user: keeps what that takes (DAC_OVERRIDE)"
kill -INT $pid
wait $pid
ok "$(trawl-edit verify "$work/theirs/c.trawl" >/dev/null 2>&1; echo $?)" "and the file is made"

# COMMAND, which was started before, keeps its own privileges.
trawl -q -i event:sched:sched_switch -w "$work/d.trawl" -- grep \
	-E '^(NoNewPrivs|Seccomp):' /proc/self/status >"$work/out" 2>/dev/null
same "COMMAND has neither" "NoNewPrivs:	0 Seccomp:	0" "$(paste -sd' ' "$work/out")"
tap_done
