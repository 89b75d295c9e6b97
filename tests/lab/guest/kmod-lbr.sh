# SPDX-License-Identifier: MIT
# machine: skylake
# An emulated processor's last branch records, by trawl.ko: the last branches that its steps give.
. "$TRAWL_SRC/tests/tap.sh"
. "$TRAWL_SRC/tests/lab/lab.sh"
PATH=$TRAWL_BUILD/tests/kmod:$PATH
insmod "$LAB_MODULES/../kmod/trawl.ko"
kbranch -o all.txt -- walk 2>/dev/null
kbranch -l -P lbr -o got.lbr -- walk 2>said
ok $? "a program with provider lbr"
# Returns from the kernel are among the records, too.
cut -d' ' -f3,4 got.lbr >got
count=$(wc -l <got)
awk '$2 < 8 { print $3, $4 }' all.txt | tail -"$count" >wanted
[ "$count" -ge 26 ] && cmp wanted got
ok $? "its last $count branches are those that steps found"
cp wanted got "$LAB_KEEP"
place=$((0x$(nm "$(type -p walk)" | awk '$3 == "far_away" { print $1 }') - 0x400000))
kbranch -P lbr -s 3 -c "$(type -p walk):$place:32" -o none -- walk 2>/dev/null
same "bit 1 leaves no branch of user code at a probe" 0 "$(awk '$2 == 37 { print $5 }' none | sort -u)"
document >said
same "the code flow of the document with this processor's LBR" "" "$(grep '^not ok' said)"
has "an event is given back at once: 1,000 cycles of enable, dump and disable" "$(ioctls dumps 1000)" \
	'^1000 of 1000 dumps, [0-9]{3,4} with branches'
# A pinned event of all CPUs with another filter has the records first, and then no longer.
mkfifo ask answers
ioctls asked <ask >answers &
exec 3>ask 4<answers
dump() {
	echo >&3
	read -r -t 60 -u 4 answer
	echo "$answer"
}
# A stream has a stack for each line that this program reads.
mkfifo lines
kbranch -P lbr -o stacks -- cat <lines >/dev/null 2>stream.said &
stream=$!
exec 5>lines
lines() {
	for _ in {1..5}; do
		echo >&5
		sleep 0.1
	done
}
same "records of its own" branches "$(dump)"
perf record -q -B -N -a -j any_call,u -e cycles:uD -o other.data -- \
	sh -c 'echo >perf.runs; exec sleep 1000' >perf.log 2>&1 &
other=$!
wait_for test -s perf.runs
same "somebody else's" "Device or resource busy" "$(dump)"
has "-D says so" "$(trawl -D branch)" \
	'not usable: branch:kmod-lbr: perf gave the branch records to somebody else'
trawl -q -i "branch:last=8@uprobe:$TRAWL_BUILD/tests/kmod/walk:far_away" -w taken.trawl -- walk >/dev/null
ok $? "branch:last= takes single steps then: its stacks are whole"
has "and the file says so" "$(trawl-decode --raw taken.trawl)" 'by kmod-step'
lines
kill -INT $other
wait $other
dump >said
same "and, at the second request at the latest, its own again" branches "$(dump)"
exec 3>&- 4<&-
lines
exec 5>&-
wait $stream
cp stacks stream.said "$LAB_KEEP"
awk '$2 == 39 { print ($5 == 65535 ? "unknown" : $5 ? "branches" : "none") }' stacks >said
has "a stream's stacks meanwhile are unknown" "$(xargs <said)" 'unknown unknown unknown'
# One is empty if another task took the CPU before the program's first branch.
has "and those afterwards are not" "$(tail -4 said | grep -v none | xargs)" '^branches( branches)*$'
wait
# As with steps (kmod-safe.sh), a program that gains privileges is not traced.
chmod 777 .
chmod 666 /dev/trawl
install -m 4755 "$(type -p suid)" /var/tmp/suid
setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps +perfmon --ambient-caps +perfmon \
	kbranch -P lbr -o path -- /var/tmp/suid 2>/dev/null >output
has "a set-uid program runs with its rights" "$(cat output)" '^uid 65534 0$'
same "and its branch records are not read" "35 3" "$(tail -1 path | cut -d' ' -f2,3)"
rmmod trawl
ok $? "the module can be unloaded"
tap_done
