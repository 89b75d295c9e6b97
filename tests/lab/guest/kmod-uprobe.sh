# SPDX-License-Identifier: MIT
# The uprobe interface of trawl.ko: what its manual says, its sample tracer, and stress.
# LAB_STRESS=180 gives 180 seconds of random requests, 100,000 stops and 1,000 kills; make lab-long
# has 3.
# long: 6.1
. "$TRAWL_SRC/tests/tap.sh"
. "$TRAWL_SRC/tests/lab/lab.sh"
PATH=$TRAWL_BUILD/tests/uprobe:$PATH
stress=${LAB_STRESS:-1}
ulimit -c 0

insmod "$LAB_MODULES/../kmod/trawl.ko"
ok $? "the module can be loaded"
insmod "$LAB_MODULES/../khandler/histogram.ko"
ok $? "and the sample with a khandler of its own"
install -m 4755 "$(type -p sleep)" /var/tmp/uprobe-suid
interface >said
while read -r line; do
	case $line in
	"ok "*) ok 0 "${line#* - }" ;;
	"not ok "*) ok 1 "${line#* - }" ;;
	"#"*) echo "$line" ;;
	esac
done <said
same "all sentences were tried" "1..$(grep -Ec '^(not )?ok' said)" "$(tail -1 said)"
has "which are many" "$(tail -1 said)" '^1\.\.([89][0-9]|1[0-9][0-9])$'

# The sample tracer: the second half compares its calls and arguments with gdb's.
load=$TRAWL_BUILD/tests/lab/branchload
calls jump_odd "$load" 40 >"$LAB_KEEP/calls.txt"
ok $? "calls, the sample tracer"
same "every call returns" 40 "$(grep -c '= 0x' "$LAB_KEEP/calls.txt")"
calls strtoul "$load" 10 >calls.txt
has "a library's function, too" "$(cat calls.txt)" '^strtoul\(0x[0-9a-f]* "10", '
printf x >section
objcopy --add-section .gopclntab=section "$load" ./of-go
calls jump_odd ./of-go 3 >calls.txt 2>said.txt
has "a function of Go: its calls" "$(cat calls.txt)" '^jump_odd\('
has "but not its returns, and why" "$(cat said.txt)" 'without its returns: .* a function of Go'
calls nothing "$load" 1 2>said.txt
same "a function that is not there: status 2" 2 $?
has "is named" "$(cat said.txt)" '^calls: nothing: no such function'

# The manual's example of a program that starts another one and stops it at its entry.
. "$TRAWL_SRC/tests/uprobe/example.sh"
example 'second example' >second.c
cp "$TRAWL_SRC/uprobe/trawl-uprobe.h" "$TRAWL_SRC/kmod/trawl_uprobe.h" .
gcc -I. -o second second.c -L"$TRAWL_BUILD/.libs" -ltrawl-uprobe -Wl,-rpath,"$TRAWL_BUILD/.libs"
said=$(timeout 300 ./second "$load" 1 2>&1)
same "the manual's second example stops at the entry" \
	"$(readelf -h "$load" | sed -n 's/.*Entry point address: *0x.*\(...\)$/\1/p')" \
	"$(echo "$said" | sed -n 's/^at 0x.*\(...\)$/\1/p')"

stress stops $((stress * 555))
ok $? "$((stress * 555)) stops"
before=$(awk '/^Slab:/ { print $2 }' /proc/meminfo)
stress stops $((stress * 166))
after=$(awk '/^Slab:/ { print $2 }' /proc/meminfo)
echo "# slab: $before KiB, $after KiB"
ok $((after > before + 4096)) "keep no memory"
stress kill $((stress * 6)) 7
ok $? "$((stress * 6)) tracers and tracees are killed"
before=$(dmesg | grep -c 'leaking uprobe')
stress register $((stress * 10))
ok $? "$((stress * 10)) tracers are killed while they register"
same "and the kernel keeps none of their uprobes" "$before" "$(dmesg | grep -c 'leaking uprobe')"
stress random "$stress" 3
ok $? "random requests"

# rmmod is refused while the device is open.
exec 5<>/dev/trawl
rmmod trawl 2>/dev/null
ok $((! $?)) "a module in use cannot be unloaded"
exec 5>&-
rmmod trawl 2>/dev/null
ok $((! $?)) "nor while another module has a khandler"
rmmod histogram
rmmod trawl
ok $? "and then it can"
tap_done
