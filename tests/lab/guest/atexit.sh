# SPDX-License-Identifier: MIT
# Reading at the exit of system calls: examples 3 and 2 of the kernel's
# Documentation/trace/eprobetrace.rst with the values that they must have.
. "$TRAWL_SRC/tests/tap.sh"
. "$TRAWL_SRC/tests/lab/lab.sh"

# Example 3 reads the file name when the call ends.
echo data >'a file'
trawl -q -w 3.trawl \
	-i 'eprobe:syscalls.sys_enter_openat filename=+0($filename):ustring $flags at-exit' -- \
	cat 'a file' /nonexistent
ok $? "example 3 records"
lines=$(decoded 3.trawl --source eprobe)
has "the name is there, with what the call returned" "$lines" \
	'"fields":\{"filename":"a file","flags":0,"ret":[3-9]\}'
has "and of a call that failed" "$lines" '"fields":\{"filename":"/nonexistent","flags":0,"ret":-2\}'
same "no name is a fault" 0 \
	"$(printf '%s\n' "$lines" | grep -c '"filename":\(null\|""\|"(fault)"\)')"
same "nothing is left in tracefs" 0 "$(leftovers)"

# Example 2 uses raw_syscalls. For kernels that cannot read its array, trawl uses the event of
# example 3.
trawl -q -w 4.trawl \
	-i 'eprobe:raw_syscalls.sys_enter filename=+0(+8($args)):ustring at-exit if id == 257' -- \
	cat 'a file'
ok $? "example 2 records"
has "with the name" "$(decoded 4.trawl --source eprobe)" '"filename":"a file","ret":[3-9]'

# Other filters need a kernel that can read the array.
if trawl -D | grep -q '^eprobe.*no arrays'; then
	fails "without one call's number this kernel cannot" 2 \
		"needs 'if id == NUMBER' of one system call on this kernel" \
		trawl -w x \
		-i 'eprobe:raw_syscalls.sys_enter filename=+0(+8($args)):ustring at-exit' -- true
else
	trawl -q -w 5.trawl \
		-i 'eprobe:raw_syscalls.sys_enter call=$id filename=+0(+8($args)):ustring at-exit if id == 257 || id == 262' -- \
		cat 'a file'
	ok $? "example 2 records in its own form, two calls at once"
	lines=$(decoded 5.trawl --source eprobe)
	has "openat, with the name" "$lines" '"call":257,"filename":"a file","ret":[3-9]'
	has "newfstatat, with its own" "$lines" '"call":262,"filename":"[^"]*","ret":0'
	same "and nothing else" 0 "$(grep -vcE '"call":(257|262),' <<<"$lines")"
	same "nothing is left in tracefs" 0 "$(leftovers)"
fi

# Two at once.
trawl -q -w 7.trawl -i 'eprobe:syscalls.sys_enter_openat filename=+0($filename):ustring at-exit' \
	--duration 3s &
trawl -q -w 8.trawl -i 'eprobe:syscalls.sys_enter_openat filename=+0($filename):ustring at-exit' \
	--duration 3s &
for i in 1 2 3 4 5 6; do
	sleep 0.5
	cat 'a file' >/dev/null
done
wait
for f in 7 8; do
	has "two captures at once: number $f has the event" "$(decoded $f.trawl --source eprobe)" \
		'"filename":"a file"'
done
same "nothing is left in tracefs" 0 "$(leftovers)"

tap_done
