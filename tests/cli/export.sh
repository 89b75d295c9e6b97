# SPDX-License-Identifier: MIT
# trawl-export, checked with the programs that it is for: tshark, capinfos, tcpdump's library,
# Python.
. "$TRAWL_SRC/tests/tap.sh"
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
export TZ=UTC
unset XDG_CONFIG_HOME XDG_CONFIG_DIRS
f=$dir/s.trawl
lua=$TRAWL_SRC/wireshark/trawl.lua
"$TRAWL_BUILD/tests/decode/make-sample" "$f" 8 || exit 99

# ---- JSON and CSV
same "JSON is that of trawl-decode" "$(trawl-decode --json "$f")" "$(trawl-export --to json "$f")"
same "-w - is standard output" "$(trawl-decode --json "$f")" "$(trawl-export --to json "$f" -w -)"
trawl-export --to json "$f" -w "$dir/s.json"; ok $? "-w FILE"
same "the file is for its owner only" 600 "$(stat -c %a "$dir/s.json")"
trawl-export --to csv "$f" | /usr/bin/python3 -c '
import csv, sys
sys.stdin.reconfigure(newline="", encoding="utf-8", errors="strict")
rows = list(csv.DictReader(sys.stdin))
assert len(rows) == 10
assert list(rows[0])[:7] == ["ts_ns", "source", "name", "cpu", "pid", "tid", "comm"]
a = rows[1]
assert a["ts_ns"] == "1795225477001000000" and a["comm"] == "app" and a["tid"] == "100", a
assert a["arg2"] == "two\nlines \"x\"" and a["arg1"] == "-1" and a["arg3"] == "" and a["symbol"] == "serve+0x8" and a["site.offset"] == "8554"
assert rows[2]["arg3"] == "22" and rows[2]["line"] == "12"
assert rows[0]["arg1"] == "-2" and rows[8]["arg1"] == hex(2**64 - 1)
assert rows[8]["mask"] == "65280" and rows[8]["raw"] == "deadbeef"
assert rows[9]["prev_comm"] == "app" and rows[9]["arg1"] == ""
assert "arg3_base" not in rows[0]
'; ok $? "CSV has a column for each field, and every cell comes back"
"$TRAWL_BUILD/tests/decode/make-sample" "$dir/empty.trawl" 10
same "CSV: an empty string is not one that could not be read" '5:3, 9:7,""' \
	"$(trawl-export --to csv --name app:start --fields arg1,arg2 "$dir/empty.trawl" |
		tr -d '\r' |
		sed -n 's/^[0-9]*00\([59]\)000000,.*,\([37],[^,]*\)$/\1:\2/p' | xargs -d '\n')"
same "CSV with chosen columns, from a pipe" "ts_ns,source,name,cpu,pid,tid,comm,arg1,mask" \
	"$(cat "$f" | trawl-export --to csv --fields arg1,mask - | head -1 | tr -d '\r')"
same "CSV has only the columns of chosen events" \
	"ts_ns,source,name,cpu,pid,tid,comm,prev_comm,prev_pid,prev_prio,prev_state,next_comm,next_pid,next_prio" \
	"$(trawl-export --to csv --name 'sched:*' "$f" | head -1 | tr -d '\r')"
same "selections are those of trawl-decode" 2 \
	"$(trawl-export --to json --from +5ms --until +7ms --where 'arg1 > 0' "$f" | wc -l)"

same "where nothing is chosen, it says so" \
	"trawl-export: standard output: no event is chosen, so it has none; trawl-decode --summary shows what can be" \
	"$(trawl-export --to html --where 'pid == 99999999' "$f" 2>&1 >/dev/null)"

# ---- pcapng
trawl-export --to pcapng "$f" -w "$dir/s.pcapng"; ok $? "pcapng"
if ! command -v tshark >/dev/null; then
	skip "tshark reads the pcapng" "tshark is not installed"
	tap_done
fi
export HOME=$dir/home
mkdir -p "$HOME"
shark() { tshark "$@" 2>"$dir/err" ||
	echo "tshark ended with $?"; grep -v 'Running as user' "$dir/err"; }
plain() { shark -r "$dir/s.pcapng" "$@"; }
lua() { shark -X "lua_script:$lua" -r "$dir/s.pcapng" "$@"; }

has "the section names the system" "$(capinfos "$dir/s.pcapng")" \
	'^Capture oper-sys: +Linux 6.1.0-test$'
same "tshark reads every packet without a warning" 10 \
	"$(plain -T fields -e frame.number | wc -l)"
same "times to the nanosecond" 1795225477.008001000 \
	"$(plain -T fields -e frame.time_epoch | tail -1)"
has "without a plugin the list shows name and fields" "$(plain -c 2 | tail -1)" \
	' app:start arg1=-1 arg2="two\\nlines \\"x\\"" arg3=<unavailable: optimised out> arg4=200 \(serve\+0x8 app\.c:99\)$'
short='s/<unavailable: [^>]*>/<unavailable>/g'
messages=$(plain -T fields -e systemd_journal.message)
same "of every packet, as trawl-decode prints it" "$(trawl-decode -t "$f" | grep -v '^\*\*\*' |
	sed -e 's/^\[...\] [^ ]* *\([^ ]*\) */\1 /' -e "$short")" "$(echo "$messages" | sed "$short")"
same "but each packet has the reason of a missing value" 0 "$(echo "$messages" | grep -c 'unavailable>')"
same "filters without a plugin" "1 8 8 2 2" \
	"$(for y in 'message contains "arg1=5 "' 'message matches "^app:start "' \
	'syslog_id == "usdt" && systemd_journal.pid == 100' 'comm == "worker"' \
	'field.name == "ratio" || frame.number == 1'; do
	plain -Y "systemd_journal.$y" -T fields -e frame.number | wc -l; done | tr '\n' ' ' | sed \
		's/ $//')"
tree=$(plain -V -Y 'frame.number == 2')
has "a field is a line of the tree" "$tree" 'Field name: arg1'
has "with its value" "$tree" 'Field value: "two\\nlines \\"x\\""$'
same "the last is the JSON object" "$(trawl-decode --json "$f")" \
	"$(plain -T fields -E occurrence=l -e systemd_journal.field.value)"
same "losses before a packet" 17 "$(plain -Y 'frame.number == 4' -T fields -e frame.drop_count)"
info=$(capinfos -M "$dir/s.pcapng" 2>&1)
has "capinfos: one interface for each source" "$info" 'Number of interfaces in file: 2'
has "capinfos: the comment describes the capture" "$info" 'Capture application: +trawl-export'
same "capinfos: no comment names the host or a command" "" \
	"$(grep -a 'sample\|argv' <<<"$info" | grep -v '^File name')"
same "nor does any byte of it" 0 \
	"$(strings "$dir/s.pcapng" | grep -c '"hostname"\|"argv"\|"cmdline"')"
trawl-export --to pcapng --with-machine "$f" -w "$dir/machine.pcapng"
has "--with-machine: capinfos names it" "$(capinfos "$dir/machine.pcapng" 2>&1)" \
	'Capture comment: +machine: \{.*"hostname":"sample"'
has "capinfos: in order of time" "$info" 'Strict time order: +True'
same "all blocks are whole and the statistics count the losses" "9 17 1 0 " \
	"$(/usr/bin/python3 - "$dir/s.pcapng" <<'PY'
import struct, sys
b, at, out = open(sys.argv[1], "rb").read(), 0, ""
packets = {}
while at < len(b):
    kind, n = struct.unpack_from("<II", b, at)
    assert n % 4 == 0 and struct.unpack_from("<I", b, at + n - 4)[0] == n
    if kind == 6:
        i = struct.unpack_from("<I", b, at + 8)[0]
        packets[i] = packets.get(i, 0) + 1
    if kind == 5:
        i, o = struct.unpack_from("<I", b, at + 8)[0], at + 20
        while True:
            code, size = struct.unpack_from("<HH", b, o)
            if code == 0:
                break
            if code == 5:
                out += "%d %d " % (packets[i], struct.unpack_from("<Q", b, o + 4)[0])
            o += 4 + (size + 3) // 4 * 4
    at += n
assert at == len(b)
print(out)
PY
)"

# ---- the dissector
same "dissector: no warnings" 10 "$(lua -T fields -e trawl.event.name | wc -l)"
names() { lua -Y "$1" -T fields -e frame.number | tr '\n' ' '; }
same "filter: event name" "9 " "$(names 'trawl.event.name == "app:stop"')"
same "filter: source" "10 " "$(names 'trawl.event.source == "event"')"
same "filter: signed field" "2 " "$(names 'trawl.field.arg1 == -1')"
same "filter: order" "7 8 " "$(names 'trawl.field.arg1 > 3')"
same "filter: text" "1 5 " "$(names 'trawl.field.arg2 == "plain"')"
same "filter: computed argument" "3 " "$(names 'trawl.field.arg3 == 22')"
same "filter: field of a kernel event" "10 " \
	"$(names 'trawl.field.prev_comm == "app" && trawl.field.prev_pid == 100')"
same "filter: float, boolean, bits" "9 " \
	"$(names 'trawl.field.ratio > 2.4 && trawl.field.flag == 1 && trawl.field.mask & 0xff00')"
same "filter: address" "9 " "$(names 'trawl.field.__probe_ip == 0x55d000003000')"
same "filter: site" "2 4 6 8 " \
	"$(names 'trawl.site.line == 99 && trawl.site.symbol contains "serve"')"
same "filter: task" "4 7 " \
	"$(names 'trawl.comm == "worker" && trawl.tid == 101 && trawl.pid == 100')"
same "filter: any field by text" "8 " "$(names 'trawl.field == "arg1=5"')"
# A member, and an element of an array: the same bytes with another name.
LC_ALL=C sed 's/ ratio=f/ r.tio=f/; s/"ratio"/"r.tio"/g; s/ mask=x/ m[0]=x/; s/"mask"/"m[0]"/g' \
	"$dir/s.pcapng" >"$dir/dots.pcapng"
same "filter: names with dots and brackets" "2.5" \
	"$(shark -X "lua_script:$lua" -r "$dir/dots.pcapng" -T fields -e trawl.field.r.tio \
		-Y 'trawl.field.r.tio > 2.4 && trawl.field.m_0_ & 0xff00')"
cat >"$dir/bits.c" <<'C'
struct bits { unsigned u : 4; int s : 6; int w; };
__attribute__((noinline)) int f(struct bits *b) { __asm__ volatile("" ::: "memory"); return b->s; }
int main(void) { struct bits b = { 9, -5, 77 }; return f(&b) + 5; }
C
gcc -g -O1 -o "$dir/bits" "$dir/bits.c" && trawl -q -w "$dir/bits.trawl" \
	-i "uprobe:$dir/bits:f b->u b->s b->w" -- "$dir/bits" >/dev/null 2>&1
trawl-export --to pcapng "$dir/bits.trawl" -w "$dir/bits.pcapng"
same "filter: members of a recorded structure, a signed bit field" "9 -5 77" \
	"$(shark -X "lua_script:$lua" -r "$dir/bits.pcapng" -Y 'trawl.field.b.s == -5' -T fields \
		-E separator=/s -e trawl.field.b.u -e trawl.field.b.s -e trawl.field.b.w)"
same "filter: a value that its type cannot hold, by text" "9 " \
	"$(names 'trawl.field == "arg1=18446744073709551615"')"
has "why an argument is not there" "$(lua -V -Y 'frame.number == 3')" \
	'^ +arg4: \(unavailable: in %xmm0\)$'
has "an unknown task" "$(lua | sed -n 1p)" ' \?-101 .*trawl .*app:start'
has "tree" "$(lua -V -Y 'frame.number == 3')" '^ +arg3: 22$'
has "one line has everything" "$(lua | sed -n 3p)" \
	'app-100 .*trawl .*app:start arg1=0 arg2="gr.*n" arg3=22 arg4=\(unavailable: in %xmm0\)'
# A task whose name has ESC [ 3 1 m, a newline, a quote and a C1 control.
/usr/bin/python3 - "$dir/s.pcapng" "$dir/esc.pcapng" <<'PY'
import struct, sys
b, out, at = open(sys.argv[1], "rb").read(), b"", 0
while at < len(b):
    kind, n = struct.unpack_from("<II", b, at)
    block = b[at:at + n]
    if kind == 6:
        size = struct.unpack_from("<I", block, 20)[0]
        data = block[28:28 + size].replace(b'"comm":"app"', b'"comm":"e\\u001b[31m\\n\\"\\u009b"')
        data = data.replace(b'"plain"', b'"\\u001b]0;x\\u0007"').replace(b'"app:start"', b'"\\u001bc"')
        block = block[:20] + struct.pack("<II", len(data), len(data)) + data + bytes(-len(data) % 4)
        size = struct.pack("<I", len(block) + 4)
        block = block[:4] + size + block[8:] + size
    out, at = out + block, at + n
open(sys.argv[2], "wb").write(out)
PY
escapes() { shark -X "lua_script:$lua" -r "$dir/esc.pcapng" "$@" | tr -d '\n' |
	grep -c "$(printf '[[:cntrl:]]\|\302\233')"; }
same "no column has escape sequences" "0 10" \
	"$(escapes) $(shark -X "lua_script:$lua" -r "$dir/esc.pcapng" | wc -l)"
same "nor any line of the tree" 0 "$(escapes -V -O trawl)"
has "only the name itself is there" "$(shark -X "lua_script:$lua" -r "$dir/esc.pcapng" -c 2)" \
	' e \[31m "[^-]*-100 '
same "a packet that is not JSON is malformed, not a script error" "1" "$(
	/usr/bin/python3 - "$dir/s.pcapng" "$dir/bad.pcapng" <<'PY'
import sys
b = open(sys.argv[1], "rb").read()
i = b.index(b'{"ts_ns"')
open(sys.argv[2], "wb").write(b[:i] + b"[" + b[i + 1:])
PY
	shark -X "lua_script:$lua" -r "$dir/bad.pcapng" -Y trawl.malformed -T fields \
		-e frame.number)"

trawl-export --to pcapng.gz "$f" -w "$dir/s.pcapng.gz"; ok $? "pcapng.gz"
same "gzip unpacks it to the same" "$(sha256sum <"$dir/s.pcapng")" \
	"$(gzip -dc "$dir/s.pcapng.gz" | sha256sum)"
same "filters work in it too" 9 \
	"$(shark -X "lua_script:$lua" -r "$dir/s.pcapng.gz" -Y 'trawl.field.flag == 1' -T fields -e frame.number)"

mkdir -p "$HOME/.local/lib/wireshark/plugins"
cp "$lua" "$HOME/.local/lib/wireshark/plugins/"
same "found in the personal plugin folder, input from a pipe" 8 \
	"$(shark -r - -Y 'trawl.field.arg1 == 5' -T fields -e frame.number <"$dir/s.pcapng")"
same "installed where configure says" "$lua" "$(
	make -s -C "$TRAWL_BUILD" install-dist_luapluginDATA DESTDIR="$dir/dest" >/dev/null 2>&1
	find "$dir/dest" -name trawl.lua -exec cmp {} "$lua" \; -exec echo "$lua" \;)"

# ---- trace.dat: a loss without a CPU may be on any
for cpu in 1 -1; do
	"$TRAWL_BUILD/tests/decode/make-sample" "$dir/lost.trawl" 8 main $cpu
	trawl-export --to trace-dat "$dir/lost.trawl" -w "$dir/lost.dat"
	same "sub-buffers with missing events, loss of CPU $cpu" "$([ $cpu = 1 ] && echo 1 || echo 2)" "$(
		/usr/bin/python3 -c '
import struct, sys
d = open(sys.argv[1], "rb").read()
commits = [struct.unpack("<QQ", d[at:at + 16])[1] for at in range(65536, len(d) - 15, 65536)]
print(sum(c >> 31 & 1 for c in commits))' "$dir/lost.dat")"
done

# ---- packets of a source whose event type has no field packet_length
same "packets have their original lengths" "90 0" "$(
	trawl-export --to pcap "$TRAWL_SRC/tests/golden/kinds.trawl" | /usr/bin/python3 -c '
import struct, sys
d, at, lengths = sys.stdin.buffer.read(), 24, []
while at < len(d):
    lengths.append(struct.unpack("<2I", d[at + 8:at + 16]))
    at += 16 + lengths[-1][0]
print(len(lengths), sum(a != b for a, b in lengths))')"

# ---- one source, for tcpdump
trawl-export --to pcapng --source event "$f" -w "$dir/one.pcapng"
has "--source leaves one interface" "$(capinfos "$dir/one.pcapng" 2>/dev/null)" \
	'Number of interfaces in file: 1$'
same "large files keep their order and number" "20002 True" "$(
	"$TRAWL_BUILD/tests/decode/make-sample" "$dir/big.trawl" 20000
	trawl-export --to pcapng "$dir/big.trawl" | tee "$dir/big.pcapng" >/dev/null
	capinfos -Trco "$dir/big.pcapng" 2>/dev/null | cut -f2,3 | tr '\t' ' ')"
tap_done
