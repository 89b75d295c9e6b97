# SPDX-License-Identifier: MIT
# The guest's recordings: bytes of the whole file a branch, beside perf's file of the same run, ns to
# encode a branch, and the coverage export of ten million branches.
. "$TRAWL_SRC/tests/tap.sh"
for file in "$LAB_KEEP"/*.trawl; do
	name=$(basename "$file" .trawl)
	n=$(/usr/bin/python3 -B "$TRAWL_SRC/tests/reader_branch.py" --count "$file")
	bytes=$(stat -c %s "$file")
	# With only ten thousand branches, most of the file is names and source lines.
	if [ "$name" != true-ptrace ]; then
		[ "${bytes:-1}" -le "${n:-0}" ]
		ok $? "$name: at most a byte a branch"
	fi
	echo "# $name: $n branches, a file of $bytes bytes: $((bytes * 1000 / n)) thousandths of" \
		"a byte a branch"
	perf=${file%-perf-bts.trawl}.perf
	[ ! -e "$perf" ] || echo "# the same by perf record: $(cat "$perf") bytes"
	[[ $name != *-kmod-step ]] ||
		echo "# $name again: $("$TRAWL_BUILD/tests/bench/branch" "$file" again.trawl 0)"
done
"$TRAWL_BUILD/tests/bench/branch" "$LAB_KEEP/gzip-kmod-step.trawl" ten.trawl 10000000 >/dev/null
for format in drcov lcov; do
	began=${EPOCHREALTIME/./}
	trawl-export --to $format ten.trawl -w out
	ok $? "trawl-export --to $format of 10,000,000 branches"
	echo "# it took $(((${EPOCHREALTIME/./} - began) / 1000)) ms"
done
rm -f ten.trawl again.trawl out
tap_done
