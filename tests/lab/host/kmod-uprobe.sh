# SPDX-License-Identifier: MIT
# The sample tracer of the uprobe interface against gdb: the same calls and arguments of a foreign
# program's function. gdb runs here, since in a guest it takes up to two minutes to start.
. "$TRAWL_SRC/tests/tap.sh"
cat >script.gdb <<'END'
set pagination off
set confirm off
set startup-with-shell off
break jump_odd
commands
silent
printf "jump_odd(0x%lx)\n", $rdi
continue
end
run 40
END
gdb -nx -q -batch -x script.gdb "$TRAWL_BUILD/tests/lab/branchload" 2>/dev/null |
	grep -a '^jump_odd' >gdb.txt
same "gdb sees 40 calls" 40 "$(wc -l <gdb.txt)"
sed -n 's/^ *\(jump_odd(0x[0-9a-f]*\),.*/\1)/p' calls.txt >ours.txt
cmp gdb.txt ours.txt
ok $? "calls sees the $(wc -l <gdb.txt) calls that gdb sees"
tap_done
