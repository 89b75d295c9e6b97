# SPDX-License-Identifier: MIT
# trawl-decode and trawl-export with wrong command lines and bad files: status and message.
. "$TRAWL_SRC/tests/tap.sh"
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
export TZ=UTC
f=$dir/s.trawl
"$TRAWL_BUILD/tests/decode/make-sample" "$f" 8 || exit 99

# ---- command lines
fails "no file" 2 '^trawl-decode: no file is given; ' trawl-decode
fails "two files" 2 'a second file; give one file at a time' trawl-decode "$f" "$f"
fails "no such option" 2 '^trawl-decode: --nonsense: no such option; --help lists all$' \
	trawl-decode --nonsense "$f"
fails "unknown short option" 2 '^trawl-decode: -k: no such option' trawl-decode -tkt "$f"
fails "an argument is missing" 2 '^trawl-decode: --where: needs an argument' trawl-decode \
	"$f" --where
fails "two kinds of output" 2 '--json, --summary, --meta: cannot be combined; give one of them' trawl-decode --json \
	--summary "$f"
fails "bad expression" 2 '^trawl-decode: --where: expected a field, a number or a text$' \
	trawl-decode --where 'arg1 == )' "$f"
has "with a caret under the place" "$(trawl-decode --where 'arg1 == )' "$f" 2>&1 | sed -n 3p)" \
	'^ {12}\^$'
fails "unknown field: the known ones are listed" 2 \
	"^trawl-decode: --where: no event has a field 'agr1'; did you mean arg1, " \
	trawl-decode --where 'agr1 == 1' "$f"
has "with a caret too" "$(trawl-decode --where 'cpu == 1 and agr1 == 1' "$f" 2>&1 | sed -n 3p)" \
	'^ {17}\^$'
fails "unknown field on a pipe" 2 "no event has a field 'agr1'" \
	bash -c "cat '$f' | trawl-decode --where 'agr1 == 1' -"
fails "unknown source: the known ones are listed" 2 \
	"^trawl-decode: --source: the file has no source 'usb'; did you mean usdt" trawl-decode \
	--source usb "$f"
fails "unknown source on a pipe" 2 "the file has no source 'usb'" \
	bash -c "cat '$f' | trawl-decode --source usb -"
fails "a glob that is not closed" 2 '^trawl-decode: --name: no \] closes this set' trawl-decode \
	--name 'app:[a' "$f"
has "with a caret under it" "$(trawl-decode --name 'app:[a' "$f" 2>&1 | tail -1)" '^ {8}\^$'
trawl-decode --name '[a]pp:*' "$f" >/dev/null; ok $? "one that is closed"
fails "a glob of --where that is not closed" 2 \
	'^trawl-decode: --where: no \] closes this set' trawl-decode --where 'arg2 ~ "[a"' "$f"
fails "an escape that is not known" 2 '^trawl-decode: --where: unknown escape: ' trawl-decode \
	--where 'arg2 == "\q"' "$f"
fails "csv: a column that no event has" 2 \
	"^trawl-export: --fields: no event has a field 'nosuch'; there are .*arg1, " \
	trawl-export --to csv --fields arg1,nosuch "$f"
fails "csv: likewise from a pipe" 2 "no event has a field 'nosuch'" \
	bash -c "cat '$f' | trawl-export --to csv --fields arg1,nosuch -"
same "each name is listed once" "" \
	"$(trawl-decode --where 'agr1 == 1' "$f" 2>&1 | head -1 | sed 's/.*there are //' |
		tr -d ' ' | tr , '\n' | grep -v '\.\.\.' | sort | uniq -d)"
fails "bad time" 2 '^trawl-decode: --from: not a time: ' trawl-decode --from yesterday "$f"
has "with a caret as well" "$(trawl-decode --to 2026-11-99 "$f" 2>&1 | tail -1)" '^ +\^$'
fails "a day that is not in the calendar" 2 \
	'^trawl-decode: --until: this month has no such day$' trawl-decode --until 2026-02-30 "$f"
for n in many 0 -1 3x '' 99999999999999999999; do
	fails "bad count '$n'" 2 \
		"^trawl-decode: -c: '$n' is not a number of events: give a whole number above 0, as in -c 100$" trawl-decode -c "$n" "$f"
done
fails "bad pid" 2 \
	"^trawl-decode: --pid: '-3' is not the id of a process or thread: give a number from 0 to 2147483647$" trawl-decode --pid -3 "$f"
for twice in "-c 5" "--until 1ms" "--from 1ms" "--window 1ms" "--color never" "--fields all" \
	"--meta=x"; do
	fails "$twice twice" 2 "^trawl-decode: ${twice%%[ =]*}: given twice; leave one out$" \
		trawl-decode --join $twice $twice "$f"
done
fails "--until and --to" 2 'mean the same; leave one out$' trawl-decode --until 1ms --to 2ms "$f"
fails "export: -w twice" 2 '^trawl-export: -w: given twice' trawl-export --to json \
	"$f" -w "$dir/a" -w "$dir/b"
fails "--window without --around or --join" 2 '^trawl-decode: --window: has no effect alone; add --around or' \
	trawl-decode --window 5ms "$f"
fails "an ambiguous abbreviation of an option" 2 \
	'^trawl-decode: --s: may mean --source, --show-keys, --summary; write more of it$' \
	trawl-decode --s "$f"
fails "an argument for an option that takes none" 2 \
	'^trawl-decode: --json=x: the option takes no argument; leave out =x$' trawl-decode \
	--json=x "$f"
fails "fields that cannot be chosen here" 2 \
	"^trawl-decode: --fields: 'a,b' is unknown; use 'all'" trawl-decode --fields a,b "$f"
fails "a window with another unit" 2 '^trawl-decode: --window: not a duration: ' trawl-decode \
	--around 'arg1 == 1' --window 5q "$f"
fails "no window" 2 '^trawl-decode: --window: not a duration: ' trawl-decode --around 'arg1 == 1' \
	--window '' "$f"
fails "a text without quotes" 2 \
	"no event has a field 'app'; if it is meant as a text, that stands in quotes: \"app\"" trawl-decode --where 'comm ==app' "$f"
fails "a link type" 2 "^trawl-export: --linktype: '7' is not a link type of USB packets; use 220, 189" \
	trawl-export --to pcap --linktype 7 "$f"
fails "bad colour" 2 "^trawl-decode: --color: 'red' is unknown; use auto, always or never" trawl-decode \
	--color red "$f"
fails "too many -t" 2 'at most five' trawl-decode -tttttt "$f"
fails "metadata that is not there" 2 \
	"^trawl-decode: --meta: no metadata has the name 'nosuch'" trawl-decode \
	--meta=nosuch "$f"

fails "export: no format" 2 '^trawl-export: --to: no format is given' trawl-export "$f"
fails "export: unknown format: the known ones are listed" 2 \
	"^trawl-export: --to: 'docx' is not a format; choose one of pcapng, pcapng.gz, .*json, .*csv" \
	trawl-export --to docx "$f"
fails "export: output cannot be made" 3 \
	'^trawl-export: -w /nonexistent/x: cannot be made: No such file or directory' trawl-export \
	--to json "$f" -w /nonexistent/x
fails "export: onto the capture itself" 2 'is the input file; choose another name' trawl-export --to json \
	"$f" -w "$f"
fails "export: csv from a pipe" 2 'the columns must be known before the first line' \
	bash -c "cat '$f' | trawl-export --to csv -"
fails "export: columns for another format" 2 'applies to csv only; leave' trawl-export --to json --fields a,b "$f"
fails "export: bad expression" 2 '^trawl-export: --where: ' trawl-export --to json --where '(' "$f"
fails "export: an invalid time is quoted as given" 2 \
	'^trawl-export: --until: not a time' trawl-export --to json --until never "$f"

# ---- an existing output file
echo before >"$dir/old"
head -c 1000 "$TRAWL_SRC/tests/golden/branches.trawl" >"$dir/cut"
for o in "trawl-decode --calls" "trawl-decode --counts" "trawl-export --to lcov" "trawl-replay branch" \
	"trawl-export --to usbmon"; do
	fails "$o: what is missing may have had them" 1 'cut at byte .*: what follows is missing' \
		$o "$dir/cut"
done
fails "stream to usbmon: no USB" 2 'the file has no USB events' trawl-replay stream --to usbmon \
	"$TRAWL_SRC/tests/golden/branches.trawl"
fails "export: a failure" 2 'the file has no USB events' trawl-export --to usbmon \
	"$f" -w "$dir/old"
same "an existing file is unchanged" before "$(cat "$dir/old")"
fails "export: --to pcap likewise" 2 '^trawl-export: --to pcap: ' trawl-export --to pcap \
	"$f" -w "$dir/old"
same "it is unchanged, and no temporary file remains" "before old" \
	"$(cat "$dir/old") $(cd "$dir" && echo old*)"
fails "export: nothing there before" 2 '^trawl-export: --to pcap: ' trawl-export --to pcap \
	"$f" -w "$dir/none"
same "and nothing after" "" "$(cd "$dir" && ls | grep none)"
ln -s old "$dir/link"
trawl-export --to json "$f" -w "$dir/link"; ok $? "export: success"
same "the new file takes its place, through a link, for its owner only" \
	"$(trawl-decode --json "$f") 600 symbolic link" \
	"$(cat "$dir/old") $(stat -c %a "$dir/old") $(stat -c %F "$dir/link")"
mkfifo "$dir/fifo"
trawl-export --to json "$f" -w "$dir/fifo" & same "a pipe is written directly" \
	"$(trawl-decode --json "$f")" "$(cat "$dir/fifo")"
wait
same "and stays a pipe" fifo "$(stat -c %F "$dir/fifo")"
fails "export: a device is written directly" 3 \
	'^trawl-export: /dev/full: cannot be written: No space left on device' trawl-export \
	--to json "$f" -w /dev/full
# ---- a heading without an event does not replace a file
head -c 300 "$TRAWL_SRC/samples/tick.trawl" >"$dir/stump"
for to in csv pcapng html json; do
	echo there >"$dir/standing"
	fails "export --to $to: nothing could be read" 1 'standing: not written: no event for it' \
		trawl-export --to $to "$dir/stump" -w "$dir/standing"
	same "$to: the other file stays" there "$(cat "$dir/standing")"
done
rm -f "$dir/stump" "$dir/standing"
# ---- a limit on the size of files
usb=$TRAWL_SRC/samples/usb-errors.trawl
trawl-export --to pcap "$usb" -w "$dir/there.pcap"
limited() { ( ulimit -f "$1"; shift; "$@" ); }
fails "export: a file that may not grow" 3 'x.json: cannot be written: File too large$' \
	limited 20 trawl-export --to json "$usb" -w "$dir/x.json"
fails "decode: the same on standard output" 3 \
	'standard output: cannot be written: File too large$' \
	limited 20 bash -c 'trawl-decode --json "$1" >"$2"' - "$usb" "$dir/x.txt"
fails "import: the same" 3 'x.trawl: the file may not grow further' \
	limited 4 trawl-edit import "$dir/there.pcap" -w "$dir/x.trawl"
fails "a foreign file's temporary one: the same" 3 'temporary file: the file may not grow further' \
	limited 4 trawl-decode "$dir/there.pcap"
rm -f "$dir/x.txt" "$dir/there.pcap"
same "no file remains after any of them" "" "$(cd "$dir" && ls | grep -E '^x\.|~$|there')"

printf '\324\303\262\241\002\000\004\000\000\000\000\000' >"$dir/cut.pcap"
fails "import: a failure" 3 '^trawl-edit: .*cut.pcap: libpcap cannot read it' trawl-edit import \
	-w "$dir/old" "$dir/cut.pcap"
same "an existing file is unchanged" "$(trawl-decode --json "$f")" "$(cat "$dir/old")"

# The type of an argument is known only from events: the first that cannot be compared is reported.
out=$(trawl-decode --where 'arg2 == 5 or arg2 == 6' "$f" 2>&1 >/dev/null)
same "a text compared with a number: status" 0 $?
same "a text compared with a number: one message each" 2 \
	"$(echo "$out" | grep -c 'app:start has a text here, which cannot be compared with a number')"
fails "a number with a pattern, known before" 2 \
	'--where: mask is a number: write one, without quotes$' trawl-decode \
	--where 'mask ~ "0x*"' "$f"
fails "likewise a number with a text" 2 '--where: mask is a number: write one, without quotes$' \
	trawl-decode --where 'mask == "x"' "$f"

# ---- files
for p in "trawl-decode" "trawl-export --to json" "trawl-edit verify"; do
	n=${p%% *}
	fails "$n: no such file" 3 \
		"^$n: /nonexistent: cannot be opened: No such file or directory" $p /nonexistent
	: >"$dir/empty"
	fails "$n: empty file" 3 "^$n: $dir/empty: .*empty" $p "$dir/empty"
	echo "this is no capture, but it is long enough to look at" >"$dir/other"
	fails "$n: not our file" 3 'is not a trawl file; give one, or a pcap, .* with USB$' $p "$dir/other"
	fails "$n: a program" 3 "^$n: /bin/bash: is not a trawl file but .*ELF" $p /bin/bash
	head -c 4096 /dev/zero >"$dir/zeros"
	fails "$n: zeros" 3 "^$n: $dir/zeros: is not a trawl file" $p "$dir/zeros"
	fails "$n: a folder" 3 "^$n: $dir: " $p "$dir"
	head -c 3500 "$f" >"$dir/cut"
	fails "$n: cut file" 1 "^$n: $dir/cut: cut at byte [0-9]+" $p "$dir/cut"
	{ cat "$f"; echo "<!-- sent by mail -->"; } >"$dir/junk"
	fails "$n: data after the end" 1 \
		"^$n: $dir/junk: complete, but the last 22 bytes, from byte $(stat -c %s "$f") on, are no part of it$" $p "$dir/junk"
	same "$n: all events before it are read" \
		"$($p "$f" | cut -d, -f1)" "$($p "$dir/junk" 2>/dev/null | sed 's:/junk:/s.trawl:' |
			cut -d, -f1)"
	[ "$n" = trawl-edit ] && continue # it takes files only, and prints a line
	fails "$n: cut pipe" 1 "^$n: -: cut at byte [0-9]+" \
		bash -c "$p - < '$dir/cut' | cat >/dev/null; exit \${PIPESTATUS[0]}"
	fails "$n: full disk" 3 "^$n: standard output: cannot be written: No space left on device" \
		bash -c "$p '$f' >/dev/full"
done

for n in trawl trawl-decode trawl-export trawl-edit trawl-replay trawl-report; do
	for o in --help --version; do
		fails "$n $o: full disk" 3 "^$n: standard output: cannot be written: No space left on device" \
			bash -c "$n $o >/dev/full"
	done
done
fails "trawl-replay branch: full disk" 3 "^trawl-replay: standard output: cannot be written" \
	bash -c "trawl-replay branch '$TRAWL_SRC/tests/golden/branches.trawl' </dev/null >/dev/full"
fails "trawl-replay device --help: full disk" 3 "^trawl-replay: standard output: cannot be written" \
	bash -c "trawl-replay device --help >/dev/full"

# ---- a block of ours anywhere makes a file ours
# changed FILE PLACE: FILE with the byte at PLACE inverted, on standard output.
changed() {
	/usr/bin/python3 -c 'import sys
b = bytearray(open(sys.argv[1], "rb").read()); b[int(sys.argv[2])] ^= 0xff
sys.stdout.buffer.write(b)' "$@"
}
two=$TRAWL_SRC/tests/golden/two.trawl bad=0
for ((n = 416; n < 440; n++)); do # type, length, UUID of the first start block
	changed "$two" $n >"$dir/flip"
	for p in "trawl-decode" "trawl-export --to json"; do
		lines="$($p "$dir/flip" 2>/dev/null | wc -l).$($p "$dir/flip" 2>&1 >/dev/null | wc -l)"
		[ "$lines" = 160.1 ] ||
			{ bad=$((bad + 1)); echo "# $p, flip at $n"; }
	done
	fails "import of a damaged capture, byte $n" 3 \
		"^trawl-edit: $dir/flip: is a trawl file already, which needs no import$" \
		trawl-edit import -w "$dir/old" "$dir/flip"
done
same "a damaged start block hides no events and is reported" 0 $bad
trawl-export --to pcapng "$usb" -w "$dir/foreign.pcapng"; ok $? "a pcapng of others"
cat "$dir/foreign.pcapng" "$two" >"$dir/both"
fails "a capture after a foreign pcapng section" 1 \
	"^trawl-decode: $dir/both: no end block.*damaged or missing block" trawl-decode "$dir/both"
same "has its events" 160 "$(trawl-decode "$dir/both" 2>/dev/null | wc -l)"
fails "in a pipe it counts as foreign" 3 'is a pcapng file that trawl did not write' \
	bash -c "cat '$dir/both' | trawl-decode -"
/usr/bin/python3 -c 'import struct, sys
ours = open(sys.argv[1], "rb").read()
block = lambda t, b: struct.pack("<II", t, len(b) + 12) + b + struct.pack("<I", len(b) + 12)
packet = ours + bytes(-len(ours) % 4)
sys.stdout.buffer.write(block(0x0a0d0d0a, struct.pack("<IHHq", 0x1a2b3c4d, 1, 0, -1)) +
	block(1, struct.pack("<HHI", 220, 0, 0)) +
	block(6, struct.pack("<IIIII", 0, 0, 0, len(ours), len(ours)) + packet))' "$two" >"$dir/carrier.pcapng"
fails "a pcapng with a capture inside a packet is still a foreign file" 1 'left out' trawl-decode \
	"$dir/carrier.pcapng"

# The file cut after each byte, and with each byte flipped: the rest is decoded, the damage is
# reported, and nothing worse happens.
size=$(stat -c %s "$f") bad=0
for ((n = 1; n < size; n += n < 200 ? 1 : 97)); do
	head -c $n "$f" >"$dir/cut"
	trawl-decode "$dir/cut" >/dev/null 2>"$dir/err"
	[ $? -eq 1 ] && [ "$(wc -l <"$dir/err")" -eq 1 ] ||
		{ bad=$((bad + 1)); echo "# cut at $n"; }
done
same "every truncation gives one line and status 1" 0 $bad
bad=0
for ((n = 0; n < size; n += 151)); do
	/usr/bin/python3 -c 'import sys
b = bytearray(open(sys.argv[1], "rb").read()); b[int(sys.argv[3])] ^= 0x40
open(sys.argv[2], "wb").write(b)' \
		"$f" "$dir/flip" $n
	for p in "trawl-decode" "trawl-decode --summary" "trawl-export --to pcapng"; do
		$p "$dir/flip" >/dev/null 2>"$dir/err"
		[ $? -le 1 ] || { bad=$((bad + 1)); echo "# $p, flip at $n: $(cat "$dir/err")"; }
	done
done
same "a flipped byte gives at most status 1" 0 $bad
tap_done
