# SPDX-License-Identifier: MIT
# Shared by the capture tests; source it after tap.sh. Sets $work (a folder that is removed at the
# end) and $target, and defines functions. The tests set probes in this machine's kernel, and so
# need root and tracefs.
tracing=/sys/kernel/tracing
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# A copy for this test: probes are set on a file, and other tests run the same program meanwhile.
cp "$TRAWL_BUILD/tests/capture/target" "$work/target"
target=$work/target

if [ "$(id -u)" != 0 ] || [ ! -e $tracing/uprobe_events ]; then
	echo "1..0 # SKIP needs root and a kernel with uprobes"
	exit 0
fi

# events FILE [NAME]: prints the number of events in the file, or of those with this name.
events() {
	trawl-decode --json "$1" | if [ $# -gt 1 ]; then grep -c "\"name\":\"$2\""; else wc -l; fi
}

# totals FILE: prints "captured lost" of trawl's last line in the file.
totals() {
	sed -n 's/^\([0-9]*\) events* captured, \([0-9]*\) lost .*/\1 \2/p' "$1"
}

# traces_of PID: prints the instances and definitions that captures of the process have in tracefs.
traces_of() {
	ls -d $tracing/instances/trawl_"$1"_* 2>/dev/null
	grep -h ":trawl_$1_" $tracing/uprobe_events
}

wait_armed() { # FILE: waits for the file, which gets its name when all probes are enabled
	local n
	for ((n = 0; n < 600; n++)); do
		[ -s "$1" ] && return 0
		sleep 0.1
	done
	return 1
}
