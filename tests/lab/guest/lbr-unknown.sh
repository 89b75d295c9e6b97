# SPDX-License-Identifier: MIT
# kernels: 6.12
# machine: unknown-lbr
# A processor whose branch records have a format that no manual has: trawl.ko says so and guesses
# nothing.
. "$TRAWL_SRC/tests/tap.sh"
. "$TRAWL_SRC/tests/lab/lab.sh"
load=$TRAWL_BUILD/tests/lab/branchload
insmod "$LAB_MODULES/../kmod/trawl.ko"
trawl -D branch >list
sed 's/^/# /' list
has "-D says why not" "$(cat list)" \
	'not usable: branch:kmod-lbr: .*the format of this processor.s branch records is not known'
fails "and so does -i" 3 'the format of this processor.s branch records is not known' \
	trawl -i branch:kmod-lbr -w x.trawl -- "$load" 10
trawl -i "branch:last=4@uprobe:$load:main" -w last.trawl -- "$load" 10 >load.out 2>said
ok $? "the last branches before a probe are there all the same"
has "by steps" "$(trawl-decode --raw last.trawl)" 'by kmod-step'
rmmod trawl
ok $? "the module can be unloaded"
tap_done
