# SPDX-License-Identifier: MIT
# trawl.ko's steps give the same branches as single steps by ptrace, and each filter bit removes its
# kinds of them.
. "$TRAWL_SRC/tests/tap.sh"
. "$TRAWL_SRC/tests/lab/lab.sh"
PATH=$TRAWL_BUILD/tests/kmod:$PATH

insmod "$LAB_MODULES/../kmod/trawl.ko"
ok $? "the module can be loaded"
same "its device is for its owner only" "600 character special file" "$(stat -c '%a %F' /dev/trawl)"

kbranch -s 0 -o all.txt -- walk 2>said
ok $? "a program that looks for trap flags sees none: in pushf, r11 and iret's frame"
has "no record is lost" "$(cat said)" ' 0 lost$'
ptstep "$(type -p walk)" >ptrace.txt
ok $? "the same program under ptrace"
awk '$2 < 8 { print $2, $3, $4 }' all.txt >step.txt
cmp ptrace.txt step.txt
ok $? "the same $(wc -l <ptrace.txt) branches, one by one"
cp ptrace.txt all.txt "$LAB_KEEP"
same "every kind occurs" "1 2 3 4 5 6 7 8 9 32 33 34" "$(cut -d' ' -f2 all.txt | sort -nu | xargs)"

# The kinds that each bit of LBR_SELECT suppresses.
suppressed=(8,9 1,2,3,4,5,6,7,9 1 2 3 4 5 6 7,8,9)
for bit in {0..8}; do
	kbranch -s $((1 << bit)) -o some.txt -- walk 2>/dev/null
	awk '$2 < 10 { print $2, $3, $4 }' some.txt >got
	awk -v "not=,${suppressed[bit]}," \
		'$2 < 10 && !index(not, "," $2 ",") { print $2, $3, $4 }' all.txt >wanted
	cmp wanted got
	ok $? \
		"bit $bit of LBR_SELECT leaves the $(wc -l <wanted) branches that a filter of the whole trace leaves"
done

awk '$2 < 10 { print $2, $3, $4 }' all.txt | tail -32 >wanted
kbranch -s 0 -l -o got.lbr -- walk 2>/dev/null
cut -d' ' -f2-4 got.lbr >got
cmp wanted got
ok $? "form LBR has the last 32 of them after the program's end"
awk '$2 < 8 { print $2, $3, $4 }' all.txt | tail -1024 >wanted
kbranch -b 0x2c0 -o got.bts -- walk 2>/dev/null
cut -d' ' -f2-4 got.bts >got
cmp wanted got
ok $? "form BTS has the last 1,024"

rmmod trawl
ok $? "the module can be unloaded"
tap_done
