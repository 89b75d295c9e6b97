# SPDX-License-Identifier: MIT
# Checks the branches recorded before, during and after perf record -b.
. "$TRAWL_SRC/tests/tap.sh"
objdump -d "$TRAWL_BUILD/tests/lab/branchnumber" >load.objdump
for filter in any,u any_call,u any,u,k; do
	trawl-decode --json $filter.trawl >$filter.json
	found=$(/usr/bin/python3 "$TRAWL_SRC/tests/lab/numbered.py" load.objdump $filter.json)
	ok $? "$filter: every branch is right, or marked as lost: $found"
	echo "# perf has $(zcat $filter.perf.gz | grep -c .) samples of it"
done
tap_done
