# SPDX-License-Identifier: MIT
# What the capture tests share; source it after tap.sh. Gives $work (removed at the end), $target,
# and functions. Real probes of this machine's kernel: needs root and tracefs.
tracing=/sys/kernel/tracing
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# A copy of one's own: probes are on a file, and other tests run the same program meanwhile.
cp "$TRAWL_BUILD/tests/capture/target" "$work/target"
target=$work/target

if [ "$(id -u)" != 0 ] || [ ! -e $tracing/uprobe_events ]; then
	echo "1..0 # SKIP needs root and a kernel with uprobes"
	exit 0
fi

# The number of events in a file, of the event NAME if given.
events() {
	trawl-decode --json "$1" | if [ $# -gt 1 ]; then grep -c "\"name\":\"$2\""; else wc -l; fi
}

# "captured lost" of trawl's final line.
totals() {
	sed -n 's/^\([0-9]*\) events* captured, \([0-9]*\) lost .*/\1 \2/p' "$1"
}

# What of process PID's captures is in tracefs: instances and definitions.
traces_of() {
	ls -d $tracing/instances/trawl_"$1"_* 2>/dev/null
	grep -h ":trawl_$1_" $tracing/uprobe_events
}

wait_armed() { # FILE: until the capture has its file, which it gets when all is armed
	local n
	for ((n = 0; n < 600; n++)); do
		[ -s "$1" ] && return 0
		sleep 0.1
	done
	return 1
}
