# SPDX-License-Identifier: MIT
# machine: late-bts
# The processor's BTS buffer is full before the interrupt that empties it comes: the branches that
# it drops are marked as lost. They are twelve whole rounds of the program, so that no code shows
# this; but each round has another number, so that a stretch of branches with an unmarked gap in it
# is none of the whole sequence.
. "$TRAWL_SRC/tests/tap.sh"
. "$TRAWL_SRC/tests/lab/lab.sh"
sysctl -q kernel.perf_event_max_sample_rate=1000000 kernel.perf_cpu_time_max_percent=0
insmod "$LAB_MODULES/../kmod/trawl.ko"
load=$TRAWL_BUILD/tests/lab/branchnumber

trawl -q -i branch:kmod-step -w step.trawl -- "$load" 2000 awake >load.out
ok $? "branch:kmod-step"
trawl-decode --json step.trawl >step.json
for how in perf-bts intel-bts; do
	trawl -i branch:$how -w $how.trawl -- "$load" 2000 awake >load.out 2>said
	same "$how: the status of a recording with losses" 1 $?
	sed 's/^/# /' said
	has "$how: losses are said" "$(cat said)" ', an unknown number lost'
	trawl-decode --json $how.trawl >$how.json
	marks=$(grep -c '"name":"branch:lost"' $how.json)
	ok $((marks == 0)) "$how: losses are marked: $marks"
	found=$(/usr/bin/python3 "$TRAWL_SRC/tests/lab/branchsame.py" runs $how.json step.json)
	ok $? "$how: between the marks nothing is missing: $found"
	whole=$(grep -c '"from":' step.json) got=$(grep -c '"from":' $how.json)
	ok $((got >= whole || got < whole / 2)) "$how: branches were dropped: $got of $whole are there"
done
cp ./*.json "$LAB_KEEP"
rmmod trawl
ok $? "the module can be unloaded"
tap_done
