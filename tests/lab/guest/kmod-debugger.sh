# SPDX-License-Identifier: MIT
# gdb debugs a program that trawl.ko steps: breakpoints, single steps, a watchpoint by single steps,
# finish. gdb prints the same as without the module, and the module has the branches that the
# program takes without gdb. Hardware watchpoints are left out: QEMU 7.2 hangs, also without the
# module, when gdb steps over a watched access.
# kernels: 6.12
# long: 6.12
. "$TRAWL_SRC/tests/tap.sh"
. "$TRAWL_SRC/tests/lab/lab.sh"
PATH=$TRAWL_BUILD/tests/kmod:$PATH
load=$TRAWL_BUILD/tests/lab/branchload
insmod "$LAB_MODULES/../kmod/trawl.ko"

# session COMMAND-AT-START: prints gdb's output.
session() {
	timeout 300 gdb -nx -batch -ex 'set width 0' -ex 'set can-use-hw-watchpoints 0' -ex starti \
		-ex "$1" -ex 'tbreak jump_odd' -ex continue -ex 'stepi 9' \
		-ex 'info registers rip eflags' -ex 'break jump_odd' -ex continue -ex continue -ex bt \
		-ex 'delete' -ex 'watch sum' -ex continue -ex continue -ex 'info registers eflags' \
		-ex delete -ex finish -ex continue --args "$load" 40 2>&1 |
		tee "$LAB_KEEP/gdb" | sed 's/process [0-9]*/process/'
}
session 'echo\n' >plain
has "gdb does all of it" "$(tr '\n' ' ' <plain)" \
	'Breakpoint 2.*atchpoint.*New value = 6.*exited normally'
cat >trace.py <<'END'
import subprocess, time
subprocess.Popen(["kbranch", "-p", str(gdb.selected_inferior().pid), "-s", "0", "-t", "60",
                  "-o", "path"], stdout=subprocess.DEVNULL, stderr=open("said", "w"))
time.sleep(1)
END
session 'source trace.py' | sed '/^$/d' >got
sed '/^$/d' plain | cmp - got
ok $? "and says the same of a program that is stepped"
wait_for grep -q lost said
has "the module loses nothing" "$(cat said)" ' 0 lost$'
kbranch -s 0 -o whole -- "$load" 40 >/dev/null 2>&1
first=$(nm "$load" | sed -n 's/^0*\([0-9a-f]*\) t jump_odd$/\1/p')
end=$(printf %x $((0x$first + 128)))
for file in path whole; do
	# Only its own functions: gdb adds to the environment, and lets copies of instructions run
	# at _start.
	awk -v a="$first" -v b="$end" '$2 < 7 && $3 >= a "" && $3 < b "" { print $2, $3, $4 }' \
		$file >$file.near
done
n=$(wc -l <path.near)
[ "$n" -gt 130 ] && cmp whole.near path.near
ok $? "its $n branches are those without gdb"
cp plain got path whole "$LAB_KEEP"
rmmod trawl
ok $? "the module can be unloaded"
tap_done
