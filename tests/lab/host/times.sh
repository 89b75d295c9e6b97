# SPDX-License-Identifier: MIT
# Each event of a system call lies between the event of its begin, or of the end before, and the
# next one.
. "$TRAWL_SRC/tests/tap.sh"
mapfile -t files < <(ls times*.trawl | sort -V)
ok $((${#files[@]} < 4)) "a row of files (${#files[@]})"
# Each file has its own timeline, from its first clock sync: convert all to CLOCK_MONOTONIC.
cat >mono.py <<'PY'
import json, re, sys
dump, decoded, end = open(sys.argv[1]).read(), sys.stdin, json.loads(sys.argv[2])
mono, real = map(int, re.search(r'^\{"sync":\[(\d+),(\d+),', dump, re.M).groups())
for line in decoded:
    e = json.loads(line)
    e["ts_ns"] -= real - mono
    print(json.dumps(e))
    if not end["begin_mono_ns"] <= e["ts_ns"] <= end["end_mono_ns"]:
        print(e["name"], end["begin_mono_ns"] - e["ts_ns"], e["ts_ns"] - end["end_mono_ns"], file=sys.stderr)
PY
for file in times.trawl "${files[@]#times.trawl}"; do
	[ "$file" ] || continue
	"$TRAWL_BUILD/tests/format/dump" "$file" >one
	cat one >>dump
	trawl-decode --json --raw --bounds "$file" |
		/usr/bin/python3 mono.py one "$(trawl-decode --meta=end "$file")"
done >times.json 2>outside
same "all events are within the times that their file states" "" "$(head outside)"
/usr/bin/python3 "$TRAWL_SRC/tests/lab/calls.py" times.json dump kernel.* >result
ok $? "calls and their events are found"
while read -r good text; do
	ok "$good" "$text"
done <result
tap_done
