# SPDX-License-Identifier: MIT
# What is recorded with losses: a way through the program between them, and where they are.
. "$TRAWL_SRC/tests/tap.sh"
objdump -d "$TRAWL_BUILD/tests/lab/branchload" >load.objdump
for how in perf-bts intel-bts; do
	has "$how: losses are marked" "$(trawl-decode $how.trawl | grep 'lost here')" \
		'nobody knows how many'
	trawl-export --to brstack $how.trawl | grep -v '^PERF' >stacks
	found=$(/usr/bin/python3 "$TRAWL_SRC/tests/lab/brstack.py" load.objdump stacks)
	ok $? "$how: a way through the program: $found"
	[ "${found%% *}" -ge 5000 ]
	ok $? "$how: of many branches"
done
tap_done
