# SPDX-License-Identifier: MIT
# TAP for shell tests. Source it, call ok, skip, same, has or fails, and end with tap_done.
tap_n=0
tap_bad=0

# ok STATUS NAME: reports a test, which passed if STATUS is 0.
ok() {
	tap_n=$((tap_n + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $tap_n - $2"
	else
		tap_bad=1
		echo "not ok $tap_n - $2"
	fi
}

# skip NAME WHY: reports a test that cannot run here.
skip() {
	tap_n=$((tap_n + 1))
	echo "ok $tap_n - $1 # SKIP $2"
}

# same NAME WANTED GOT: passes if both texts are equal.
same() {
	if [ "$2" = "$3" ]; then
		ok 0 "$1"
	else
		ok 1 "$1"
		printf 'wanted: %s\ngot:    %s\n' "$2" "$3" | sed 's/^/# /'
	fi
}

# has NAME TEXT PATTERN: passes if a line of TEXT matches the extended regular expression.
has() {
	if printf '%s\n' "$2" | grep -Eq -- "$3"; then
		ok 0 "$1"
	else
		ok 1 "$1"
		printf 'no line matches: %s\n%s\n' "$3" "$2" | head -40 | sed 's/^/# /'
	fi
}

# fails NAME STATUS PATTERN COMMAND...: passes if COMMAND ends with STATUS and a line of its stderr
# matches the extended regular expression.
fails() {
	local name=$1 want=$2 pattern=$3 out status
	shift 3
	out=$("$@" 2>&1 >/dev/null </dev/null)
	status=$?
	if [ $status -eq "$want" ] && printf '%s\n' "$out" | grep -Eq -- "$pattern"; then
		ok 0 "$name"
	else
		ok 1 "$name"
		printf 'status %s, wanted %s; pattern %s; stderr:\n%s\n' \
			"$status" "$want" "$pattern" "$out" | head -40 | sed 's/^/# /'
	fi
}

# tasks FILE: prints time and task of each event as trawl-decode has them, in the form of
# tests/reader.py --tasks.
tasks() {
	trawl-decode --json "$1" | /usr/bin/python3 -c 'import json, sys
for line in sys.stdin:
    e = json.loads(line)
    print(json.dumps([e[k] for k in ("ts_ns", "name", "tid", "pid", "comm")]))'
}

tap_done() {
	echo "1..$tap_n"
	exit $tap_bad
}
