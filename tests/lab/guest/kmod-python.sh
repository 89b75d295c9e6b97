# SPDX-License-Identifier: MIT
# kernels: by-name-only
# A long trace: two million branches of the Python interpreter.
. "$TRAWL_SRC/tests/tap.sh"
. "$TRAWL_SRC/tests/lab/lab.sh"
PATH=$TRAWL_BUILD/tests/kmod:$PATH
insmod "$LAB_MODULES/../kmod/trawl.ko"
/usr/bin/python3 -I -S -c 'print(sum(i * i for i in range(300)), sorted({"b": 1, "a": 2}))' >wanted
kbranch -q -- /usr/bin/python3 -I -S \
	-c 'print(sum(i * i for i in range(300)), sorted({"b": 1, "a": 2}))' >got 2>said
ok $? "python3 ends well"
cmp wanted got
ok $? "and prints what it prints without the module"
has "more than a million branches, none lost" "$(cat said)" 'kbranch: [0-9]{7,} records, 0 lost'
rmmod trawl
ok $? "the module can be unloaded"
tap_done
