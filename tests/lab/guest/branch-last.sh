# SPDX-License-Identifier: MIT
# machine: skylake
# make lab-cpus runs it on the other processors, too.
# -i branch:last=N@PROBE: the branches before each hit, by single steps and by the (emulated)
# processor's last branch records, are those of a full trace. Also -i branch:kmod-lbr.
. "$TRAWL_SRC/tests/tap.sh"
. "$TRAWL_SRC/tests/lab/lab.sh"
walk=$TRAWL_BUILD/tests/kmod/walk
has "without the module, -D says what to do" "$(trawl -D branch)" \
	'not usable: branch:kmod-step: there is no /dev/trawl: build'
fails "and so does -i" 3 'there is no /dev/trawl: build' trawl \
	-i "branch:last=5@uprobe:$walk:far_away" -w x.trawl -- true
insmod "$LAB_MODULES/../kmod/trawl.ko"
ok $? "the module can be loaded"
trawl -q -i branch:kmod-step -w all.trawl -- "$walk"
trawl-decode --json all.trawl >all.json
for how in kmod-step kmod-lbr; do
	for place in far_away pops_two case0; do
		trawl -i "branch:$how:last=8@uprobe:$walk:$place" -w $how.trawl -- \
			"$walk" >/dev/null 2>said
		status=$?
		trawl-decode --json $how.trawl >$how.json
		said_lost "$how, $place" $status $how.json
		said=$(/usr/bin/python3 "$TRAWL_SRC/tests/lab/lastsame.py" all.json $how.json $place 8 $how)
		ok $? "$how, $place: each hit has the branches that led there: $said"
	done
done
depth=$(trawl -i "branch:kmod-lbr:last=1000@uprobe:$walk:far_away" -w x.trawl -- "$walk" 2>&1 |
	sed -n 's/.*keeps the last \([0-9]*\) branches only.*/\1/p')
# The branches of the program before, which called exec, are not the new one's. Often exec sleeps,
# or moves to another CPU, and perf empties the records: so the program is started many times, from
# memory. The probe comes after 19 branches: fewer entries cannot reach back to before the exec.
if [ "$depth" -gt 19 ]; then
	cp "$walk" first
	for _ in 1 2 3 4 5 6; do
		# shellcheck disable=SC2016
		for starts in 'exec "$0"' 'for i in 1 2 3 4 5; do "$0"; done; exec "$0"'; do
			trawl -q -i "branch:kmod-lbr:last=$depth@uprobe:$PWD/first:pops_two" -w first.trawl -- \
				sh -c "$starts" ./first >/dev/null
			trawl-decode --json first.trawl
		done
		trawl -q -i "branch:kmod-lbr:last=$depth@uprobe:$PWD/first:pops_two" -w first.trawl -- ./first >/dev/null
		trawl-decode --json first.trawl
	done >first.json
	same "kmod-lbr, 48 programs: 60 hits each" 2880 "$(grep -c '"name":"branch:last"' first.json)"
	same "kmod-lbr, none of their stacks has a branch of the program before exec" 0 \
		"$(grep '"from":' first.json | grep -vc '"from":"0x40')"
else
	skip "kmod-lbr, none of their stacks has a branch of the program before exec" "$depth entries do not reach back"
fi
# Nor by single steps, with more branches than the program has had.
for starts in 'exec "$0"' '"$0"; exec "$0"'; do
	trawl -q -i "branch:kmod-step:last=1000@uprobe:$walk:pops_two" -w first.trawl -- \
		sh -c "$starts" "$walk" >/dev/null
	trawl-decode --json first.trawl
done >first.json
same "kmod-step, 3 programs: 60 hits each" 180 "$(grep -c '"name":"branch:last"' first.json)"
same "kmod-step, none of their stacks has a branch of the program before exec" 0 \
	"$(grep '"from":' first.json | grep -vc '"from":"0x40')"
# As many branches as the processor has entries: none is taken by a return from the kernel. The far
# branches of this program are left out, too, and stacks with one between their branches are marked.
for place in far_away pops_two case0; do
	trawl -i "branch:kmod-lbr:last=$depth@uprobe:$walk:$place" -w deep.trawl -- \
		"$walk" >/dev/null 2>said
	status=$?
	trawl-decode --json deep.trawl >deep.json
	said_lost "kmod-lbr, $place, last=$depth" $status deep.json
	said=$(/usr/bin/python3 "$TRAWL_SRC/tests/lab/lastsame.py" all.json deep.json $place "$depth" kmod-lbr)
	ok $? "kmod-lbr, $place: the last $depth branches: $said"
done
trawl -i "branch:last=8@uprobe:$walk:far_away %di" -i "branch:last=4@uprobe:$walk:case0" \
	-w two.trawl -- "$walk" >/dev/null 2>said
status=$?
trawl-decode --json two.trawl >two.json
said_lost "two probes" $status two.json
has "by the processor, where it can" "$(trawl-decode --raw two.trawl)" 'by kmod-lbr'
text=$(trawl-decode two.trawl)
has "branches, then the event" "$(tr '\n' ' ' < <(head -40 <<<"$text"))" \
	'the last [0-9]+ branches before far_away \(walk\) .* -> far_away .* walk:far_away '
# The text and the independent reader have the same stacks.
same "an independent reader finds as many stacks" "$(grep -c 'branch:last' <<<"$text")" \
	"$(/usr/bin/python3 -B "$TRAWL_SRC/tests/reader_branch.py" two.trawl | grep -c ' before ')"
has "where there are too few" \
	"$(trawl -i "branch:last=1000@uprobe:$walk:far_away" -w x.trawl -- "$walk" 2>&1)" \
	'this processor keeps the last [0-9]+ branches only; use last=[0-9]+, or branch:kmod-step'
# The kernel emulates a call under a uprobe, so the processor has no record of it.
load=$TRAWL_BUILD/tests/lab/branchload
objdump -d "$load" >load.objdump
# The addresses of work() and of its call.
read -r work call < <(awk '/^[0-9a-f]+ <work>:/ { at = $1 } at && /\tcall/ { sub(":", "", $1); print at, $1; exit }' load.objdump)
place=work+$((0x$call - 0x$work))
fails "a probe on a call by the processor's records" 2 'the call or jump at offset 0x[0-9a-f]* would be missing' \
	trawl -i "branch:kmod-lbr:last=8@uprobe:$load:$place" -w x.trawl -- "$load" 20
trawl -q -i branch:kmod-step -w load.trawl -- "$load" 60 >/dev/null
trawl-decode --json load.trawl >load.json
trawl -i "branch:kmod-lbr:last=$depth@uprobe:$load:jump_odd" -w deep.trawl -- "$load" 60 >/dev/null 2>said
status=$?
trawl-decode --json deep.trawl >deep.json
said_lost "kmod-lbr, jump_odd, last=$depth" $status deep.json
said=$(/usr/bin/python3 "$TRAWL_SRC/tests/lab/lastsame.py" load.json deep.json jump_odd "$depth" kmod-lbr)
ok $? "kmod-lbr, jump_odd: the last $depth branches: $said"
has "kmod-lbr, jump_odd: none is marked but empty ones" "$said" ' 0 differ, .* ([0-9]*) marked, \1 of these empty'
trawl -q -i "branch:kmod-step:last=8@uprobe:$load:$place" -w x.trawl -- "$load" 60 >/dev/null
trawl-decode --json x.trawl >x.json
said=$(/usr/bin/python3 "$TRAWL_SRC/tests/lab/lastsame.py" load.json x.json work 8 kmod-step)
ok $? "by single steps each hit has the branches that led there: $said"
# If another source, or another program, has a probe there, each stack says that it is incomplete.
trawl -q -i branch:kmod-lbr:last=8@uprobe:"$load":jump_odd -i uprobe:"$load":"$place" -w x.trawl \
	-- "$load" 20 >/dev/null
same "a stack with a probe's call in it is marked" 20 \
	"$(trawl-decode --json x.trawl | grep -c '"name":"branch:lost"')"
# perf clears the processor's records when a task comes to a CPU: after a sleep it has none, and the
# records do not show whether a call under a probe was among the branches since. (A sleep that ends
# before the task has left its CPU empties nothing.)
number=$TRAWL_BUILD/tests/lab/branchnumber
objdump -d "$number" >number.objdump
read -r spell after < <(awk '/^[0-9a-f]+ <spell>:/ { at = $1 } at && /\tret/ { sub(":", "", $1); print at, $1; exit }' number.objdump)
trawl -i "branch:kmod-lbr:last=8@uprobe:$number:spell+$((0x$after - 0x$spell))" -w x.trawl -- "$number" 20 >/dev/null 2>said
status=$?
trawl-decode --json x.trawl >x.json
said_lost "stacks after a sleep" $status x.json
same "twenty hits" 20 "$(grep -c '"name":"branch:last"' x.json)"
ok $(($(grep -c '"name":"branch:lost"' x.json) < 10)) "most stacks are empty, and marked"
same "each stack that perf has emptied is marked" 0 \
	"$(grep -A1 '"name":"branch:last"' x.json | grep -c '"source":"uprobe"')"
# No stack has a part of a target that is no address (Goldmont's records have 48 bits of it).
wild=$TRAWL_BUILD/tests/lab/branchwild
trawl -q -i branch:kmod-step -w wild.trawl -- "$wild" 5 >/dev/null
trawl-decode --json wild.trawl >wild.json
trawl -i "branch:kmod-lbr:last=8@uprobe:$wild:go_back" -w x.trawl -- "$wild" 5 >/dev/null 2>said
status=$?
trawl-decode --json x.trawl >x.json
said_lost "wild calls" $status x.json
same "each of five stacks with a wild call is marked" 5 \
	"$(grep -A1 '"name":"branch:last"' x.json | grep -c '"name":"branch:lost"')"
has "and all that they have was taken" \
	"$(/usr/bin/python3 "$TRAWL_SRC/tests/lab/branchsame.py" some x.json wild.json)" ', 0 that never were'
fails "a way that has no branches at probes" 2 \
	'records no branches before a probe: use kmod-lbr or kmod-step' \
	trawl -i "branch:ptrace:last=3@uprobe:$walk:far_away" -w x.trawl -- "$walk"

# branch:kmod-lbr has a stack whenever a task leaves its CPU.
trawl -i branch:kmod-lbr -w stacks.trawl -- "$walk" >/dev/null 2>said
ok $? "branch:kmod-lbr"
trawl-decode --json stacks.trawl >stacks.json
found=$(/usr/bin/python3 "$TRAWL_SRC/tests/lab/branchsame.py" runs stacks.json all.json)
ok $? "its stacks are stretches of all: $found"
# Each kind of branch is suppressed by the processor itself.
"$TRAWL_BUILD/tests/kmod/lbrkinds" >kinds
same "each bit of the filter register, predictions, cycles, a child" "" "$(grep -v '^ok' kinds | grep -v '^1\.\.')"
has "all of it" "$(cat kinds)" '^1\.\.21$'
cp ./*.trawl ./*.json said kinds "$LAB_KEEP"
rmmod trawl
ok $? "the module can be unloaded"
tap_done
