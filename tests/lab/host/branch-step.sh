# SPDX-License-Identifier: MIT
# Full traces of real programs take less than a byte a branch, and their functions have names.
. "$TRAWL_SRC/tests/tap.sh"
for file in "$LAB_KEEP"/*.trawl; do
	name=$(basename "$file" .trawl)
	n=$(/usr/bin/python3 -B "$TRAWL_SRC/tests/reader_branch.py" --count "$file")
	bytes=$(stat -c %s "$file")
	echo "# $name: $n branches, a file of $bytes bytes: $((bytes * 1000 / n)) thousandths of" \
		"a byte a branch"
	ok $((bytes > n)) "$name: at most a byte a branch"
	has "$name: functions have names" "$(trawl-decode --counts "$file" | head -200)" \
		'libc\.so\.6'
done
tap_done
