# SPDX-License-Identifier: MIT
# Command lines of users who know tcpdump, tshark, perf, trace-cmd, bpftrace or gdb: each is refused
# with a message that names trawl's way. Nothing is recorded.
. "$TRAWL_SRC/tests/tap.sh"
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
cd "$TRAWL_BUILD" || exit 99
f=$TRAWL_SRC/samples/tick.trawl
# The time limit ends a capture that should have been refused.
trawl() { timeout 120 "$TRAWL_BUILD/trawl" "$@"; }

# says PATTERN COMMAND...: passes if the command fails as wrong usage, with a line that matches.
says() { fails "${*:2}" 2 "$1" "${@:2}"; }
# note PATTERN COMMAND...: passes if the command succeeds, with a line on stderr that matches.
note() { fails "${*:2}" 0 "$1" "${@:2}"; }

# ---- sources
if [ "$(id -u)" = 0 ] && [ -e /sys/kernel/tracing/events/sched ]; then
	says 'did you mean event:sched:sched_switch\?' trawl -i sched:sched_switch
	says 'did you mean event:sched:sched_switch\?' trawl -i sched.sched_switch
	says 'did you mean event:sched:sched_switch\?' trawl -i sched/sched_switch
	says 'did you mean event:sched:sched_switch\?' trawl -i sched_switch
	says 'did you mean event:sched:sched_switch if prev_pid == 1\?' trawl \
		-i 'sched:sched_switch if prev_pid == 1'
	says 'did you mean event:sched:\*\?' trawl -i 'sched:*'
	says 'openat is 257$' trawl -i 'event:raw_syscalls:sys_enter if id == openat'
	says 'did you mean syscalls:sys_enter_openat\?' trawl -i event:syscalls:openat
	says 'openat is 257$' trawl -i 'event:raw_syscalls:sys_enter if id == "openat"'
	# Refused for every source before any probe is set; only in USB filters pid may be a text.
	for source in event:sched:sched_switch "uprobe:$TRAWL_BUILD/samples/params:params_ints" \
		branch:ptrace; do
		says '--trigger: pid is a number' trawl -i "$source" -w "$dir/r" --ring 1m \
			--trigger 'pid == "x"' -- true
	done
else
	skip "events without event:" "needs root and tracefs"
fi
says 'write event:GROUP:NAME; trawl -D .event:\*. lists all' trawl -i event:
says 'event:\*:\* is every event' trawl -i 'event:*'
says 'event:GROUP:NAME, with a colon' trawl -i event:sched.sched_switch
says "source 'usdt' has no packets; select those of USB" trawl-export --to pcap "$TRAWL_SRC/samples/tick.trawl"
says 'did you mean event:sched:sched_switch\?' trawl -i tracepoint:sched:sched_switch
says 'did you mean event:sched:sched_switch\?' trawl -i t:sched:sched_switch
says 'did you mean uprobe:samples/tick:main%return\?' trawl -i uretprobe:samples/tick:main
says 'did you mean uprobe:samples/tick:main\?' trawl -i u:samples/tick:main
says 'no probes in kernel functions' trawl -i kprobe:do_sys_open
says 'no probes in kernel functions' trawl -i kr:do_sys_open
says 'takes no samples' trawl -i profile:hz:99
says 'did you mean usb:1\?' trawl -i usbmon1
says 'did you mean usb\?' trawl -i usbmon0
says "no such source; trawl records no networks, tcpdump does" trawl -i any
says "no such source; trawl records no networks, tcpdump does" trawl -i lo
says 'follows a colon: usb:.*dev=BUS:DEV.*ep=N' trawl -i 'usb if addr == 3'
says 'did you mean uprobe:\./samples/tick:main or usdt:\./samples/tick:main\?' trawl \
	-i ./samples/tick:main
says 'uprobe:\./samples/tick:FUNCTION' trawl -i ./samples/tick
says 'did you mean event' trawl -i evnt:sched:sched_switch
says 'a dot between' trawl -i eprobe:syscalls:x
says 'write eprobe:GROUP.EVENT' trawl -i eprobe:syscalls
says '^ {19}\^' trawl -i eprobe:syscalls:x
says 'dollar sign: \$filename' trawl -i 'eprobe:syscalls.sys_enter_openat filename'
says 'dollar sign: \$filename' trawl -i 'eprobe:syscalls.sys_enter_openat f=+0(filename):ustring'
says 'trawl -D .event:\*sched\*. lists' trawl -i event:sched
says 'all fields of the event' trawl -i 'event:sched:sched_switch prev_comm'
says 'choose with trawl-decode --where' trawl -i 'uprobe:samples/tick:main if n == 1'
says 'choose with trawl-decode --where' trawl -i 'usdt:samples/tick:loop if n == 1'
says "a source line is not supported; .*info line tick.c:19" trawl -i uprobe:samples/tick:tick.c:19
says "a source line is not supported; .*info line cc.cc:19" trawl -i uprobe:cc.cc:19
says 'cc.cc is a source file' trawl -i uprobe:./cc.cc:main
says '\./nosuch: no such file' trawl -i uprobe:./nosuch:main
says 'there is no file \./nosuch; a function is uprobe:PROGRAM:FUNCTION' trawl -i ./nosuch:main
says 'trawl -D uprobe:PATH lists' trawl -i uprobe:samples/tick
says 'trawl -D usdt:PATH lists' trawl -i usdt:samples/tick

# ---- options and words
says 'trawl-decode FILE' trawl -r x.trawl
says '-D foo:bar: no such source' trawl -D foo:bar
says 'did you mean %return or' trawl -i uprobe:samples/tick:main%retrun
says 'no such command: verfy; did you mean verify\?' trawl-edit verfy "$f"
for command in compact cut import merge redact repair secrets verify; do
	has "trawl-edit $command --help" \
		"$({ trawl-edit $command --help 2>&1; echo "status $?"; } | tr '\n' ' ')" \
		"^Usage: trawl-edit .*  $command .*status 0"
done
says '-i event:GROUP:NAME' trawl -e sched:sched_switch
says 'is -w FILE' trawl -o x -i usb
says 'is -w FILE' trawl --output=x -i usb
says "-i 'event:GROUP:NAME if" trawl -f x -i usb
says 'a process is -p PID' trawl --pid 1 -i usb
says 'order of time' trawl --sort ts -i usb
says 'whole machine' trawl -a -i usb
says 'no samples' trawl -F 99 -i usb
says 'leave it out' trawl -n -i usb
says 'did you mean --duration' trawl --duraton 1s -i usb
says 'trawl-decode --name .* -' trawl --name x -i usb
says 'no subcommands' trawl record -i usb
says 'trawl -D lists' trawl list
says 'trawl-decode FILE' trawl report
says "-i 'sched:sched_switch'" trawl sched:sched_switch
says 'one word: -i' trawl -i usb if x
says 'pidof tick' trawl -p tick -i usb
says '-p: no process ID' trawl -p '' -i usb
says '-p -3: give a number' trawl -p '1 -3' -i usb
says 'several processes as one word' trawl -p 1 2 -i usb
says '-G: not a duration' trawl -G 2x -w "$dir/x" -i usb

says 'the file stands by itself' trawl-decode -r "$f"
says 'is --where EXPR' trawl-decode -Y x "$f"
says 'is --where EXPR' trawl-decode -f x "$f"
says 'trawl-export --to' trawl-decode -w x "$f"
says 'trawl-export --to' trawl-decode -T fields "$f"
says '-w OUT' trawl-export -o x --to json "$f"
says 'trawl-export --to' trawl-export -F pcapng "$f"
says 'order of time' trawl-decode --sort x "$f"
says '--summary' trawl-decode --stat "$f"
says '--pid PID' trawl-decode -p 1 "$f"
says 'did you mean --summary' trawl-decode --sumary "$f"
says '--meta=machine' trawl-decode --meta machine "$f"

# ---- messages that name what trawl has instead
says "'openat'; .*stands in quotes" trawl-decode --where 'comm == openat' "$f"
says 'pid is a number: write one, without quotes' trawl-decode --where '"x" != pid' "$f"
of_usb=$(trawl-decode --where 'pid == "x"' "$TRAWL_SRC/samples/usb-storage.trawl" 2>&1)
same "of USB it may be a text" "" "$(echo "$of_usb" | grep 'is a number:')"
says 'write \+5s' trawl-decode --from 5s "$f"
says 'write \+1\.5ms' trawl-decode --until 1.5ms "$f"
says "no event has a field 'arg7'; did you mean arg1, arg2 or arg3\?" trawl-decode \
	--where 'arg7 == 1' "$f"
note "no event is called 'tick_stp'; did you mean" trawl-decode --name tick_stp "$f"
note "no event is called 'nosuch'; there are tick:loop" trawl-decode --name nosuch "$f"
says "the file has no source 'usbd'; did you mean" trawl-decode --source usbd \
	"$TRAWL_SRC/samples/usb-storage.trawl"
# Event types that never occurred are not suggested.
"$TRAWL_BUILD/tests/decode/make-sample" "$dir/s.trawl" 8
same "only events that occurred" \
	"$(trawl-decode --json "$dir/s.trawl" | grep -o '"name":"[^"]*"' | cut -d'"' -f4 | sort -u |
		paste -sd' ')" \
	"$(trawl-decode --name zzzzzzzzz "$dir/s.trawl" 2>&1 | sed -n 's/.*there are //p' |
		tr -d ',' | tr ' ' '\n' | sort -u | paste -sd' ')"
tap_done
