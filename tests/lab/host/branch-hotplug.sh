# SPDX-License-Identifier: MIT
# Checks the branches recorded while a CPU went offline and came back.
. "$TRAWL_SRC/tests/tap.sh"
objdump -d "$TRAWL_BUILD/tests/lab/branchload" >load.objdump
for how in perf-lbr perf-bts intel-bts kmod-lbr kmod-step; do
	last=$(trawl-decode --json $how.trawl | tail -1 | sed 's/.*"ts_ns":\([0-9]*\).*/\1/')
	[ "$last" -gt "$(cat $how.back)" ]
	ok $? "$how: branches are recorded when the CPU is back"
	trawl-export --to brstack $how.trawl | grep -v '^PERF' >stacks
	found=$(/usr/bin/python3 "$TRAWL_SRC/tests/lab/brstack.py" load.objdump stacks)
	ok $? "$how: a way through the program but where losses are marked: $found"
done
tap_done
