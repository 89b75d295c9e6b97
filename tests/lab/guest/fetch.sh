# SPDX-License-Identifier: MIT
# The fetch language of the kernel's Documentation/trace/eprobetrace.rst: each form, with the value
# that it must have.
# long: 6.12
. "$TRAWL_SRC/tests/tap.sh"
. "$TRAWL_SRC/tests/lab/lab.sh"

truncate -s 8192 data
banner=$(awk '$3 == "linux_banner" { print $1 }' /proc/kallsyms)
trawl -q -w fetch.trawl \
	-i 'eprobe:lab/fetch=syscalls.sys_enter_lseek $offset a=$offset:u8 b=$offset:u16
	c=$offset:u32 d=$offset:u64 e=$offset:s8 f=$offset:s16 g=$offset:s32 h=$offset:s64
	bits=$offset:b4@4/16	$comm own=\7:u32
	at=@linux_banner+6:string there=@0x'"$banner"':string array=@linux_banner:u8[5]
	words=+0(@saved_command_line):string
	x=$offset:x32 name=@sys_call_table:symbol if offset == 4660' -i \
	'eprobe:lab/user=syscalls.sys_enter_openat before=-3($filename):ustring user=-u3($filename):ustring' -- \
	dd if=data of=/dev/null bs=1 skip=4660 count=1 status=none
ok $? "it records"
lines=$(trawl-decode --json --source eprobe fetch.trawl)
json() { # NAME FIELDS: passes if the JSON has these members
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

# Memory that cannot be read gives no value, rather than that of an earlier event or another string.
cat >unread.py <<'PY'
import ctypes
import mmap
libc = ctypes.CDLL(None, use_errno=True)
name = ctypes.create_string_buffer(b"/proc/self/some-name-that-is-long" + bytes(64))
pointer = ctypes.c_void_p(ctypes.addressof(name))
file = open("data", "r+b")
absent = mmap.mmap(file.fileno(), 8192)
at = ctypes.addressof(ctypes.c_char.from_buffer(absent)) + 4096
for i in range(8):
    absent.madvise(mmap.MADV_DONTNEED)  # mapped, and not in memory
    for where in ctypes.addressof(name), 0, 0x2000, at:
        libc.readlink(ctypes.c_void_p(where), name, 7000 + i)
    for where in ctypes.addressof(pointer), 0x2000:
        libc.readlink(name, ctypes.c_void_p(where), 8000 + i)
PY
trawl -q -w unread.trawl \
	-i 'eprobe:lab/one=syscalls.sys_enter_readlink v=+0($path):x64 half=+8($path):u16
	list=+0($path):u8[32] text=+0($path):string name=+0($buf):string
	size=$bufsiz:s32 if bufsiz >= 7000 && bufsiz < 8000' \
	-i 'eprobe:lab/two=syscalls.sys_enter_readlink v=+0(+0($buf)):x64 inner=+0(+0($buf)):string
	last=+0($path):string size=$bufsiz:s32 if bufsiz >= 8000' -- python3 unread.py
cat >unread-check.py <<'PY'
import json
import sys
value = int.from_bytes(b"/proc/se", "little")
seen = [0, 0]
for line in sys.stdin:
    e = json.loads(line)
    f, why, turn = e["fields"], e.get("unavailable", {}), e["name"] == "lab:two"
    seen[turn] += 1
    good = seen[turn] % (2 if turn else 4) == 1
    for name in set(f) - {"size", "name", "last"}:
        if (f[name] is None) == good or (f[name] is None) != (name in why):
            print(e["name"], seen[turn], name, f[name], why.get(name))
    if good and f["v"] != value:
        print(e["name"], f["v"])
    if not (f["last"] if turn else f["name"] or "").startswith("/proc/self/some"):
        print(e["name"], "another string:", f)
if seen != [32, 16]:
    print("events:", seen)
PY
same "what an eprobe cannot read has no value" "" \
	"$(trawl-decode --json --source eprobe unread.trawl | python3 unread-check.py 2>&1)"
has "text says why" "$(trawl-decode --source eprobe unread.trawl)" \
	'v=<unavailable: its page was not in memory, or its address is not mapped> .*text=<unavailable: its page'

# Strings that are too long for this kernel alternate with others: each call is one event, in order,
# with the beginning of its string. This depends on the order in which the kernel calls two probes
# at one place (capture/tracefs/longtext.h). No string has 4,070 to 4,095 bytes, for which this
# kernel would print a warning.
cat >long.py <<'PY'
import ctypes
libc = ctypes.CDLL(None)
for i in range(60):
    libc.access(b"a" * (0, 5, 600, 4000, 4096, 4097, 5000, 12000, 9000, 3)[i % 10], 7000 + i)
PY
cat >long-check.py <<'PY'
import json
import sys
sizes = 0, 5, 600, 4000, 4096, 4097, 5000, 12000, 9000, 3
events = [json.loads(line) for line in sys.stdin]
events = [e for e in events if e["fields"]["mode"] >= 7000]
if [e["fields"]["mode"] - 7000 for e in events] != list(range(60)):
    print("not each call once and in order:", [e["fields"]["mode"] - 7000 for e in events])
cut = 0
for e in events:
    size, text = sizes[(e["fields"]["mode"] - 7000) % 10], e["fields"]["path"]
    is_cut = "path" in e.get("cut", [])
    cut += is_cut
    if text is None or set(text) > {"a"} or len(text) > size or \
            (not is_cut and len(text) != size) or \
            (is_cut and len(text) < 512):
        print(f"{size}: {text and len(text)}, cut: {is_cut}")
if cut < 30:
    print(f"only {cut} are cut")
PY
libc=$(python3 -c 'import re; print(re.search(r"/\S*/libc\.so\.6", open("/proc/self/maps").read())[0])')
for more in "" " \$comm"; do
	trawl -w long.trawl -i "uprobe:$libc:access path=+0(%di):string mode=%si:s32$more" \
		-- python3 long.py 2>err
	has "strings too long for the kernel: none is lost$more" "$(cat err)" ' 0 lost'
	same "each call is one event with its string, or the beginning of it$more" "" \
		"$(trawl-decode --json long.trawl --source uprobe | python3 long-check.py)"
done
tap_done
