# SPDX-License-Identifier: MIT
# The emulated processor with branch records (tests/lab/qemu): the kernel's driver and perf get
# exact branches from it. So a difference in another test is trawl's error.
# machine: skylake
. "$TRAWL_SRC/tests/tap.sh"
. "$TRAWL_SRC/tests/lab/lab.sh"
modprobe msr
sysctl -q kernel.perf_event_max_sample_rate=1000000 kernel.perf_cpu_time_max_percent=0
load=$TRAWL_BUILD/tests/lab/branchload

has "the kernel finds the LBR" "$(dmesg)" 'Skylake events, 32-deep LBR'
lbr=$("$TRAWL_BUILD/tests/lab/lbr")
while read -r line; do
	[ "${line%% *}" != "#" ] || { echo "$line"; continue; }
	ok "$([ "${line%% *}" = ok ]; echo $?)" "${line#* - }"
done <<<"$lbr"
same "in nine cases" 9 "$(grep -vc '^#' <<<"$lbr")"

objdump -d "$load" >load.objdump
perf record -q -m 4M -B -N -b -e branches:u -c 101 -o stack.data "$load" 20000 >load.out 2>perf.err
ok $? "perf record -b"
perf script -i stack.data -F brstack >stack.txt 2>>perf.err
found=$(/usr/bin/python3 "$TRAWL_SRC/tests/lab/brstack.py" load.objdump stack.txt static)
ok $? "its stacks are ways through the program"
has "which are many" "$found" '^[0-9]{4,} records, [0-9]{4,} neighbours, 0 bad$'
[ -s perf.err ] && head -5 perf.err >&2

# Period 1 makes perf use BTS. Every second jump of jump_odd() is taken, and the loop's every time
# but the last.
perf record -q -m 8192 -B -N -e branches:u -c 1 -d -o all.data "$load" 20000 >load.out 2>>perf.err
ok $? "perf record of every branch"
perf script -i all.data -F ip,addr >all.txt 2>>perf.err
head -3 all.txt | sed 's/^/# /'
# taken OPERATION FUNCTION: prints how often this branch of the function was recorded.
taken() {
	local from
	from=$(awk -v f="<$2>:" -v op="$1" '$2 == f { in_it = 1; next } /^$/ { in_it = 0 } in_it && $0 ~ "\t" op "( |$)" { sub(/:.*/, ""); print $1 }' load.objdump | tail -1)
	grep -c "\<$from\>" all.txt
}
same "the calls of a loop" 20000 "$(taken call work)"
same "the loop's jumps" 19999 "$(taken jne work)"
same "the jumps of every second call" 10000 "$(taken je jump_odd)"
cp ./*.txt load.objdump "$LAB_KEEP"
tap_done
