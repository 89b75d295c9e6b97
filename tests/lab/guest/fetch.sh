# SPDX-License-Identifier: MIT
# The fetch language of the kernel's Documentation/trace/eprobetrace.rst: each form, with the value
# that it must have.
. "$TRAWL_SRC/tests/tap.sh"
. "$TRAWL_SRC/tests/lab/lab.sh"

truncate -s 8192 data
banner=$(awk '$3 == "linux_banner" { print $1 }' /proc/kallsyms)
trawl -q -w fetch.trawl -i 'eprobe:lab/fetch=syscalls.sys_enter_lseek $offset a=$offset:u8 b=$offset:u16 c=$offset:u32
	d=$offset:u64 e=$offset:s8 f=$offset:s16 g=$offset:s32 h=$offset:s64 bits=$offset:b4@4/16 $comm own=\7:u32
	at=@linux_banner+6:string there=@0x'"$banner"':string array=@linux_banner:u8[5] words=+0(@saved_command_line):string
	x=$offset:x32 name=@sys_call_table:symbol if offset == 4660' -i \
	'eprobe:lab/user=syscalls.sys_enter_openat before=-3($filename):ustring user=-u3($filename):ustring' -- \
	dd if=data of=/dev/null bs=1 skip=4660 count=1 status=none
ok $? "it records"
lines=$(trawl-decode --json --source eprobe fetch.trawl)
json() { # NAME FIELDS: the text has these members
	has "$1" "$lines" "\"fields\":\\{.*$2[,}]"
}
json "a field by its own name" '"offset":4660'
json "numbers of all sizes" '"a":52,"b":4660,"c":4660,"d":4660,"e":52,"f":4660,"g":4660,"h":4660'
json "bits" '"bits":3'
json "the name of the task" '"comm":"dd"'
json "an immediate value" '"own":7'
json "memory at a symbol and on" "\"at\":\"version 6\\.[0-9.]+[^ ]* [^\"]*\\\\n\""
json "memory at an address" "\"there\":\"Linux version 6\\.[0-9.]+[^ ]* [^\"]*\\\\n\""
json "an array" '"array":"4c696e7578"'
json "what a pointer in memory points to" '"words":"console=ttyS0 [^"]*"'
json "in front of a pointer, in the program's memory" '"before":"if=data","user":"if=data"'
lines=$(trawl-decode --print --source eprobe fetch.trawl)
has "hex, and a symbol by its name" "$lines" 'x=0x1234 name=[a-z_0-9]*sys_read(\+0x0)?( |$)'
tap_done
