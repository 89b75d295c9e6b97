# SPDX-License-Identifier: MIT
# Checks recordings with losses: between them the branches are a possible path through the program.
. "$TRAWL_SRC/tests/tap.sh"
objdump -d "$TRAWL_BUILD/tests/lab/branchload" >load.objdump
for how in perf-bts intel-bts first second; do
	has "$how: losses are marked" "$(trawl-decode $how.trawl | grep 'lost here')" \
		'an unknown number of branches'
	n=$(trawl-decode --json $how.trawl | sed -n 's/.*"branch:lost".*"lost":\([0-9]*\).*/\1/p' |
		awk '{ n += $1 } END { print n + 0 }')
	has "$how: the number that was said is that of the marks" "$(tail -1 $how.said)" \
		" $(if [ "$n" = 0 ]; then echo an unknown number; else echo "$n and more"; fi) lost"
	trawl-export --to brstack $how.trawl | grep -v '^PERF' >stacks
	found=$(/usr/bin/python3 "$TRAWL_SRC/tests/lab/brstack.py" load.objdump stacks)
	ok $? "$how: a way through the program: $found"
	[ "${found%% *}" -ge 3000 ]
	ok $? "$how: of many branches"
done
# The two recorders take turns: no call is in both, and some are in neither.
calls() {
	trawl-decode --counts --json "$1.trawl" | sed -n 's/.*"function":"jump_odd".*"entries":\([0-9]*\).*/\1/p'
}
n=$(($(calls first) + $(calls second)))
[ $n -gt 10000 ] && [ $n -le 20000 ]
ok $? "the two together have no call twice: $n of 20000"
tap_done
