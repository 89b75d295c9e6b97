# SPDX-License-Identifier: MIT
# Event probes: example 1 of the kernel's Documentation/trace/eprobetrace.rst with the values that
# it must have, and probes that are refused.
. "$TRAWL_SRC/tests/tap.sh"
. "$TRAWL_SRC/tests/lab/lab.sh"

list=$(trawl -D)
has "-D lists eprobes as usable" "$list" \
	'^eprobe:GROUP.EVENT +probes on events of the kernel: filters'
has "-D lists synthetic events as usable" "$list" '^synth:.*latency between two events'
case $(uname -r) in
6.1.* | 6.12.*) has "arrays are found to be broken, by trying" "$list" 'eprobe.*no arrays' ;;
esac

# Example 1 records only two fields of sched_switch.
trawl -q -w 1.trawl \
	-i 'eprobe:sched/switch=sched.sched_switch prev=$prev_pid:u32 next=$next_pid:u32' \
	-i event:sched:sched_switch -- sleep 0.3
ok $? "example 1 records"
decoded 1.trawl --source eprobe | sed \
	's/.*"fields":{"prev":\([0-9]*\),"next":\([0-9]*\)}.*/\1 \2/' >have
decoded 1.trawl --source event | sed \
	's/.*"prev_pid":\([0-9]*\).*"next_pid":\([0-9]*\).*/\1 \2/' >want
[ -s want ] && cmp -s <(sort want) <(sort have)
ok $? "the eprobe has the pids of the event itself ($(wc -l <want) switches)"

# Without types, numbers have the fields' types, and texts are texts.
trawl -q -w 2.trawl \
	-i 'eprobe:sched.sched_switch $prev_pid $prev_comm who=$comm $prev_state if prev_pid != 0' \
	-- sleep 0.2
ok $? "an eprobe without types and with a filter records"
has "comm of an array of characters is text" "$(decoded 2.trawl)" \
	'"fields":\{"prev_pid":[0-9]+,"prev_comm":"sleep","who":"sleep","prev_state":[0-9]+\}'
same "the filter holds" 0 "$(decoded 2.trawl --source eprobe | grep -c '"prev_pid":0,')"

# Two unnamed probes on one event; the same probe twice; names that differ in the file, but would be
# equal in tracefs.
trawl -w n.trawl -i 'eprobe:sched.sched_switch $prev_pid' -i 'eprobe:sched.sched_switch $next_pid' \
	-i 'eprobe:sched.sched_switch $prev_pid' -i 'eprobe:a/x=sched.sched_switch $prev_prio' \
	-i 'eprobe:b/x=sched.sched_switch $next_prio' -- true 2>said
has "the same one twice: message" "$(cat said)" \
	'eprobe:sched.sched_switch \$prev_pid: given twice: recorded once$'
same "it is recorded once, and each other one under its name" \
	'a:x prev_prio b:x next_prio sched:sched_switch prev_pid sched:sched_switch#2 next_pid' \
	"$(decoded n.trawl --source eprobe |
		sed 's/.*"name":"\([^"]*\)".*"fields":{"\([^"]*\)".*/\1 \2/' | sort -u | xargs)"

# An array field, which kernels before 6.17 take for a pointer.
if grep -q '^eprobe.*no arrays' <<<"$list"; then
	fails "an array that this kernel reads wrongly" 3 \
		'args is an array, which this kernel reads wrongly' \
		trawl -w x -i 'eprobe:raw_syscalls.sys_enter a=+8($args):u64' -- true
else
	truncate -s 8192 data
	trawl -q -w a.trawl -i 'eprobe:raw_syscalls.sys_enter a=+8($args):u64 if id == 8' -- \
		dd if=data of=/dev/null bs=1 skip=4660 count=1 status=none
	has "an element of an array" "$(trawl-decode a.trawl)" 'raw_syscalls:sys_enter +a=4660$'
fi
fails "an array as it is" 2 'args is an array; write \+8\(\$args\)' \
	trawl -w x -i 'eprobe:raw_syscalls.sys_enter a=$args' -- true

# Probes that are refused.
fails "an unknown event" 2 \
	'no event sched.sched_swich on this kernel; did you mean sched.sched_switch' \
	trawl -w x -i 'eprobe:sched.sched_swich a=$prev_pid' -- true
fails "an unknown field" 2 'sched.sched_switch has no field prev_pit; did you mean prev_pid' \
	trawl -w x -i 'eprobe:sched.sched_switch a=$prev_pit' -- true
fails "a register" 2 'an eprobe cannot read registers' trawl -w x -i 'eprobe:sched.sched_switch a=%di' \
	-- true
fails "a common field" 2 'has its task' trawl -w x -i 'eprobe:sched.sched_switch $common_pid' \
	-- true
fails "a bad type" 2 'the kernel refuses this probe: Unknown type' \
	trawl -w x -i 'eprobe:sched.sched_switch a=$prev_pid:u13' -- true
fails "a bad filter" 2 'the kernel refuses this filter: Field not found' \
	trawl -w x -i 'eprobe:sched.sched_switch a=$prev_pid if prev_pidd == 1' -- true
fails "an argument that is too long" 2 'at most 63' trawl -w x -i \
	'eprobe:sched.sched_switch a=+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0($prev_pid)))))))))))))))))))' -- true
fails "at-exit without an exit" 2 'has no exit' trawl -w x \
	-i 'eprobe:sched.sched_switch $prev_pid at-exit' -- true
fails "synth with an unknown field" 2 'has no field next_pit; did you mean next_pid' \
	trawl -w x -i 'synth:a=sched.sched_waking,sched.sched_switch key=pid:next_pit' -- true
fails "synth: two fields of one name" 2 'there is a field prio already; .*NEW=end.next_prio' \
	trawl -w x -i 'synth:a=sched.sched_waking,sched.sched_switch key=pid:next_pid start.prio prio=end.next_prio' -- true
fails "synth: a filter" 2 'takes no filter; .*trawl-decode --where' \
	trawl -w x -i 'synth:a=sched.sched_waking,sched.sched_switch key=pid:next_pid if pid > 1' \
	-- true
fails "a name in use" 2 'the name my/name is used already; give this one another name' trawl -w x \
	-i 'eprobe:my/name=sched.sched_switch $prev_pid' \
	-i 'eprobe:my/name=sched.sched_waking $pid' -- true
fails "its place" 2 '^           \^$' trawl -w x \
	-i 'eprobe:name=sched.sched_switch $prev_pid' -i 'eprobe:name=sched.sched_waking $pid' \
	-- true
fails "a synthetic event's name in use" 2 \
	'the name a is used already; give this one another name' trawl -w x \
	-i 'synth:a=sched.sched_waking,sched.sched_switch key=pid:next_pid' \
	-i 'synth:a=sched.sched_waking,sched.sched_switch key=pid:next_pid start.prio' -- true
same "nothing is left of what failed" 0 "$(leftovers)"
tap_done
