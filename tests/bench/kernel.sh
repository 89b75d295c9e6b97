#!/bin/bash
# SPDX-License-Identifier: MIT
# Syscalls and scheduler events at the fastest rate of one loop: trawl and trace-cmd record with
# compression take turns with the same events of the same load. CPU time is that of the recorder and
# its children, without the load, which they do not start.
#
#	tests/bench/kernel.sh [SECONDS [ROUNDS]]
#
# TRAWL_OPTS are options for trawl ("-B 65536"), TRAWL_NICE a command before it ("nice -n -10").
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
seconds=${1:-4} rounds=${2:-3}
events="raw_syscalls:sys_enter raw_syscalls:sys_exit sched:sched_switch sched:sched_waking"
[ -w /sys/kernel/tracing/events/enable ] ||
	{ echo "tracefs cannot be written: run as root"; exit 0; }
command -v trace-cmd >/dev/null ||
	{ echo "trace-cmd is missing: apt-get install trace-cmd"; exit 0; }

# The load, for the given number of seconds: reads of one byte, and a pipe between two tasks.
cat >"$dir/load.py" <<'END'
import os, sys, time
r, w = os.pipe()
a, b = os.pipe()
if os.fork() == 0:
    os.close(w); os.close(a)
    while os.read(r, 1):
        os.write(b, b"x")
    os._exit(0)
os.close(r); os.close(b)
zero = os.open("/dev/zero", os.O_RDONLY)
end = time.monotonic() + float(sys.argv[1])
while time.monotonic() < end:
    for _ in range(200):
        os.read(zero, 1)
    os.write(w, b"x")
    os.read(a, 1)
END

# trace-cmd 3.1.6 writes to files that a kernel without function tracing does not have.
: >"$dir/empty"
cat >"$dir/trace-cmd" <<END
#!/bin/bash
exec unshare -m bash -c '
	for file in /proc/sys/kernel/ftrace_enabled \
		/sys/kernel/tracing/set_ftrace_{filter,notrace,pid,notrace_pid}; do
		[ -e "\$file" ] && mount --bind "$dir/empty" "\$file"
	done
	exec trace-cmd "\$@"' trace-cmd "\$@"
END
chmod +x "$dir/trace-cmd"

# measure NAME FILE COMMAND...: prints the user and system seconds of the command and its children,
# and the bytes of FILE.
measure() {
	local name=$1 file=$2 pid
	shift 2
	/usr/bin/python3 - "$dir/load.py" "$seconds" "$@" >"$dir/$name" 2>"$dir/$name.err" <<'END'
import os, resource, signal, subprocess, sys, time
load, seconds, command = sys.argv[1], sys.argv[2], sys.argv[3:]
p = subprocess.Popen(command, stdout=subprocess.DEVNULL)
time.sleep(1.5)
q = subprocess.Popen(["/usr/bin/python3", load, seconds])
_, _, used = os.wait4(q.pid, 0)
p.send_signal(signal.SIGINT)
_, _, used = os.wait4(p.pid, 0)
print(used.ru_utime + used.ru_stime)
END
	echo "$(cat "$dir/$name") $(stat -c %s "$file")"
}

# ours, theirs: print events and losses, of trawl by its last line, of trace-cmd by its report; -1
# if there is no such line.
ours() {
	sed -n 's/^\([0-9]*\) events* captured, \([0-9]*\) lost.*/\1 \2/p' "$1" | grep . ||
		echo "-1 -1"
}
theirs() {
	trace-cmd report "$1" 2>&1 | awk \
		'/EVENTS DROPPED/ { gsub(/[^0-9]*\[/, ""); lost += $1; next } /: / { n++ }
		END { print n ? n : -1, lost + 0 }'
}

trawl=(${TRAWL_NICE:-} "$TRAWL_BUILD/trawl" ${TRAWL_OPTS:-} -w "$dir/t.trawl")
tracecmd=("$dir/trace-cmd" record --compression zstd -C mono -b 8192 -o "$dir/t.dat")
for e in $events; do
	tracecmd+=(-e "$e")
	trawl+=(-i "event:$e")
done
cd "$dir" || exit 99
for ((i = 1; i <= rounds; i++)); do
	# Processor time is measured one after the other.
	read -r cpu _ <<<"$(measure trawl "$dir/t.trawl" "${trawl[@]}")"
	read -r n lost <<<"$(ours "$dir/trawl.err")"
	read -r tcpu _ <<<"$(measure tracecmd "$dir/t.dat" "${tracecmd[@]}")"
	read -r tn tlost <<<"$(theirs "$dir/t.dat")"
	[ "$n" -gt 0 ] || cat "$dir/trawl.err"
	[ "$tn" -gt 0 ] || cat "$dir/tracecmd.err"
	# Bytes are measured while both record the same events: events of other programs on the
	# machine are recorded, too, and differ each time.
	"${tracecmd[@]}" >/dev/null 2>&1 & pid=$!
	sleep 1.5
	read -r _ size <<<"$(measure both "$dir/t.trawl" "${trawl[@]}")"
	kill -INT $pid
	wait $pid
	read -r bn _ <<<"$(ours "$dir/both.err")"
	read -r tbn _ <<<"$(theirs "$dir/t.dat")"
	awk -v n="$n" -v cpu="$cpu" -v lost="$lost" -v tn="$tn" -v tcpu="$tcpu" -v tlost="$tlost" \
		-v bn="$bn" -v tbn="$tbn" -v size="$size" -v tsize="$(stat -c %s t.dat)" 'BEGIN {
		if (n <= 0 || tn <= 0 || bn <= 0 || tbn <= 0) { print "no events"; exit }
		printf "trawl      %8d events  %6.1f ns CPU/event  %s lost; %8d of both  %6.3f bytes/event\n", n, cpu * 1e9 / n, lost, bn, size / bn
		printf "trace-cmd  %8d events  %6.1f ns CPU/event  %s lost; %8d of both  %6.3f bytes/event\n", tn, tcpu * 1e9 / tn, tlost, tbn, tsize / tbn
		printf "ratio      CPU %.2f  bytes %.2f\n", (cpu / n) / (tcpu / tn), (size / bn) / (tsize / tbn) }'
done
echo "load average $(cut -d' ' -f1-3 /proc/loadavg)"
