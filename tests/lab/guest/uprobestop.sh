# SPDX-License-Identifier: MIT
# The cost of a stop by libtrawl-uprobe, by ptrace and by gdb, and of a khandler's hit beside a
# uprobe of tracefs, for make uprobe-bench. Prints figures; only the programs themselves can fail.
# kernels: bench
. "$TRAWL_SRC/tests/tap.sh"
. "$TRAWL_SRC/tests/lab/lab.sh"
insmod "$LAB_MODULES/../kmod/trawl.ko"
"$TRAWL_BUILD/tests/bench/uprobestop" >figures
ok $? "uprobestop"
sed 's/^/# /' figures

# gdb reads the same: a register and the word at rsp.
stops=300
cat >script.gdb <<'END'
set pagination off
set confirm off
break jump_odd
commands
silent
printf "%lx %lx\n", $rdi, *(long *)$rsp
continue
end
run
END
began=$(date +%s%N)
gdb -q -batch -x script.gdb --args "$TRAWL_BUILD/tests/lab/branchload" $stops 2>/dev/null >stops.txt
more=$(date +%s%N)
gdb -q -batch -ex 'break jump_odd' -ex run -ex kill \
	--args "$TRAWL_BUILD/tests/lab/branchload" $stops >/dev/null 2>&1
end=$(date +%s%N)
same "gdb stops as often" $stops "$(grep -cE '^[0-9a-f]+ [0-9a-f]+$' stops.txt)"
gdb=$((((more - began) - (end - more)) / (stops - 1)))
echo "# gdb stop $gdb"
awk -v gdb=$gdb '/^libtrawl-uprobe stop/ { printf "# ratio of gdb %.0f\n", gdb / $3 }' figures
rmmod trawl
tap_done
