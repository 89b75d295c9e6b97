# SPDX-License-Identifier: MIT
# machine: skylake
# A debugger that runs from branch to branch (PTRACE_SINGLEBLOCK, by the processor's BTF) sees the
# same while trawl.ko steps the program, and the module marks the gaps in its records.
. "$TRAWL_SRC/tests/tap.sh"
. "$TRAWL_SRC/tests/lab/lab.sh"
PATH=$TRAWL_BUILD/tests/kmod:$PATH
load=$TRAWL_BUILD/tests/lab/branchload
step() { /usr/bin/python3 "$TRAWL_SRC/tests/lab/blockstep.py" "$@"; }
first=$(nm "$load" | sed -n 's/^0*\([0-9a-f]*\) t jump_odd$/\1/p')
end=$(printf %x $((0x$first + 128)))

# within: prints the input lines whose addresses are in the program's own functions.
within() { awk -v a="$first" -v b="$end" 'length($1) == length(a) && $1 >= a "" && $1 < b ""'; }
trawl -q -i branch:ptrace -w all.trawl -- "$load" 40 >load.out
trawl-decode --json all.trawl | sed -n 's/.*"to":"0x\([0-9a-f]*\)".*/\1/p' | within >targets
ok $(($(wc -l <targets) < 130)) "the program's $(wc -l <targets) branches"
step "$first" "$end" "$load" 40 2>load.out >stops
cmp stops targets
ok $? "a debugger stops after each of them, and nowhere else"
insmod "$LAB_MODULES/../kmod/trawl.ko"
step "$first" "$end" -k records "$load" 40 2>said >both
cmp both targets
ok $? "and where it stops is the same while trawl.ko steps the program"
has "the module loses no record" "$(cat said)" ' 0 lost$'
# The marks in the program's own code: kind 33 (resumed), reason 1 (block-step), and the address.
awk '$2 == 33 && $3 == 1 { print $4 }' records | within | cmp - targets
ok $? "which has a mark for each of these stops"
same "and no branch of which it cannot know" 0 \
	"$(awk '$2 < 7 { print $3 }' records | within | wc -l)"
# In the loop of work() the debugger goes by single steps, whose branches are known, and in the
# function that the loop calls by blocks: the last branches of a turn begin after that function.
read -r loop end < <(objdump -d --no-show-raw-insn "$load" |
	awk '/<work>:/ { on = 1 } on && $2 == "jne" { at = $3 } on && $2 == "ret" { sub(":", "", $1); print at, $1; exit }')
step "$loop" "$end" -k turns -c "$load:$((0x$loop - 0x400000)):32" "$load" 40 2>said >both
same "40 turns of a loop" 40 "$(awk '$2 == 37' turns | wc -l)"
same "each has the jump that led to it, and no branch from before the gap" "1 0
39 1" "$(awk '$2 == 37 { print $5 }' turns | sort -n | uniq -c | awk '{ print $1, $2 }')"
cp turns all.trawl targets stops both records said "$LAB_KEEP" 2>/dev/null
rmmod trawl
ok $? "the module can be unloaded"
tap_done
