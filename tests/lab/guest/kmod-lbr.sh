# SPDX-License-Identifier: MIT
# machine: skylake
# The last branch records of a processor, emulated, by trawl.ko: the last of what its steps give.
. "$TRAWL_SRC/tests/tap.sh"
. "$TRAWL_SRC/tests/lab/lab.sh"
PATH=$TRAWL_BUILD/tests/kmod:$PATH
insmod "$LAB_MODULES/../kmod/trawl.ko"
kbranch -o all.txt -- walk 2>/dev/null
kbranch -l -P lbr -o got.lbr -- walk 2>said
ok $? "a program with provider lbr"
# What came back from the kernel took places, too.
cut -d' ' -f3,4 got.lbr >got
count=$(wc -l <got)
awk '$2 < 8 { print $3, $4 }' all.txt | tail -"$count" >wanted
[ "$count" -ge 26 ] && cmp wanted got
ok $? "its last $count branches are those that steps found"
cp wanted got "$LAB_KEEP"
document >said
same "the code flow of the document with this processor's LBR" "" "$(grep '^not ok' said)"
rmmod trawl
ok $? "the module can be unloaded"
tap_done
