# SPDX-License-Identifier: MIT
# kernels: 6.12
# machine: unknown-lbr
# A processor whose branch records have an undocumented format: trawl.ko says so and guesses
# nothing.
. "$TRAWL_SRC/tests/tap.sh"
. "$TRAWL_SRC/tests/lab/lab.sh"
load=$TRAWL_BUILD/tests/lab/branchload
insmod "$LAB_MODULES/../kmod/trawl.ko"
trawl -D branch >list
sed 's/^/# /' list
has "-D says why not" "$(cat list)" \
	'not usable: branch:kmod-lbr: .*the format of this processor.s branch records is not known; use branch:kmod-step'
fails "and so does -i" 3 'the format of this processor.s branch records is not known; use branch:kmod-step' \
	trawl -i branch:kmod-lbr -w x.trawl -- "$load" 10
trawl -i "branch:last=4@uprobe:$load:main" -w last.trawl -- "$load" 10 >load.out 2>said
ok $? "the last branches before a probe are there all the same"
has "by steps" "$(trawl-decode --raw last.trawl)" 'by kmod-step'
# perf-lbr gets what Linux's driver reads: it is usable if its stacks have the branches of a known
# loop.
if grep -q 'not usable: branch:perf-lbr' list; then
	fails "-i branch:perf-lbr says why not" 3 'records a known loop wrongly' \
		trawl -i branch:perf-lbr -w p.trawl -- "$load" 10
else
	sysctl -q kernel.perf_event_max_sample_rate=1000000
	trawl -i branch:perf-lbr -w p.trawl -- "$load" 3000 >load.out 2>said
	ok $? "perf-lbr, by which -D recorded a known loop"
	objdump -d "$load" >load.objdump
	trawl-export --to brstack p.trawl | grep -v '^PERF' >stacks
	found=$(/usr/bin/python3 "$TRAWL_SRC/tests/lab/brstack.py" load.objdump stacks)
	ok $? "is a way through the program: $found"
fi
rmmod trawl
ok $? "the module can be unloaded"
tap_done
