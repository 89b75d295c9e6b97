# SPDX-License-Identifier: MIT
# Every golden file is read to the same events by libtrawl, as a file and as a pipe, and by the
# independent reader that was written from docs/format.md.
. "$TRAWL_SRC/tests/tap.sh"
dump=$TRAWL_BUILD/tests/format/dump
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

for file in "$TRAWL_SRC"/tests/golden/*.trawl; do
	name=$(basename "$file" .trawl)
	want=0
	case $name in killed) want=1 ;; esac

	"$dump" "$file" >"$tmp/file" 2>"$tmp/err"
	same "$name: status of libtrawl" "$want" "$?"
	"$dump" - <"$file" >/dev/null 2>&1
	same "$name: status through a redirection" "$want" "$?"
	cat "$file" | "$dump" - >"$tmp/pipe" 2>/dev/null
	# A pipe gives the sections of one timeline one after another.
	order=cat
	case $name in timeline) order=sort ;; esac
	grep '^{"event"' "$tmp/pipe" | $order | cmp -s - <(grep '^{"event"' "$tmp/file" | $order)
	ok $? "$name: a pipe gives the same events as the file"
	/usr/bin/python3 -B "$TRAWL_SRC/tests/reader.py" "$file" >"$tmp/python" 2>"$tmp/err"
	same "$name: status of the independent reader" "$want" "$?"
	cmp "$tmp/file" "$tmp/python" >"$tmp/diff" 2>&1
	ok $? "$name: the independent reader gives the same"
	sed 's/^/# /' "$tmp/diff" "$tmp/err"
done

# A file that this build writes must be read by the independent reader too.
"$TRAWL_BUILD/tests/format/golden" "$tmp" >/dev/null
ok $? "the samples can be written"
for file in "$tmp"/*.trawl; do
	"$dump" "$file" >"$tmp/file" 2>/dev/null
	/usr/bin/python3 -B "$TRAWL_SRC/tests/reader.py" "$file" 2>&1 | cmp - "$tmp/file" >/dev/null
	ok $? "fresh $(basename "$file"): the independent reader gives the same"
done

# So must a compacted file: compact tries every encoding, and columns may refer to any other column.
for file in "$tmp"/*.trawl; do
	"$TRAWL_BUILD/trawl-edit" compact "$file" -w "$tmp/compact" 2>/dev/null || continue
	"$dump" "$tmp/compact" >"$tmp/file" 2>/dev/null
	/usr/bin/python3 -B "$TRAWL_SRC/tests/reader.py" "$tmp/compact" 2>&1 |
		cmp - "$tmp/file" >/dev/null
	ok $? "compact $(basename "$file"): the independent reader gives the same"
done

# Every form of the text occurs in some golden file.
forms=$(cd "$TRAWL_SRC/tests" && /usr/bin/python3 -B -c '
import glob, reader, reader_chunk
for path in glob.glob("golden/*.trawl"):
    with open(path, "rb") as f:
        r = reader.Reader(f.read())
    for s in r.sections:
        r.events(s)
print("\n".join(sorted(reader_chunk.FORMS)))')
for form in constant "0 predictors" "1 predictors" "2 predictors" "3 predictors" \
	"literals 0" "literals 1" "literals 2" "literals 3" \
	"relative to 0" "relative to 1" "relative to 2" "relative to 3" \
	"mask bit 0" "mask bit 1" "mask bit 2" "mask bit 3" "mask bit 4" \
	"numbered strings" "plain strings, FIXED" "plain strings, of any length" \
	"more than 256 classes" "whole records" "payload version 2" "payload version 3" \
	"payload version 4" "times in ticks" "the following pid" "the time since the event before" \
	"a group" "more than 4096 events" "one sync" "a stepped clock" "a stepped TSC" "a moved time" \
	"bounds that differ"; do
	has "a golden file has: $form" "$forms" "^$form\$"
done

# The text of the format names a version; so does the code.
version=$(sed -n 's/.*FORMAT_VERSION = \([0-9]*\).*/\1/p' "$TRAWL_SRC/format/block.h")
has "docs/format.md is of the code's version" "$(cat "$TRAWL_SRC/docs/format.md")" \
	"^# The .trawl file format, version $version\$"

# So do the dictionaries, which are part of it for ever.
for dictionary in DICTIONARY DICTIONARY2; do
	has "$dictionary: docs/zdict*.txt is the dictionary of docs/format.md" \
		"$(cat "$TRAWL_SRC/docs/format.md")" \
		"\`$(cd "$TRAWL_SRC/tests" && /usr/bin/python3 -B -c 'import reader, sys
print("%016x" % reader.xxh64(getattr(reader, sys.argv[1])))' $dictionary)\`"
done
tap_done
