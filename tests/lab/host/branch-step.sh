# SPDX-License-Identifier: MIT
# Full traces of real programs take less than a byte a branch, and their functions have names.
. "$TRAWL_SRC/tests/tap.sh"
for file in "$LAB_KEEP"/*.trawl; do
	name=$(basename "$file" .trawl)
	read -r n bytes < <(/usr/bin/python3 -B "$TRAWL_SRC/tests/reader_branch.py" --sizes "$file")
	echo "# $name: $n branches, $bytes bytes, $((bytes * 1000 / n)) thousandths of a byte each; the file has $(stat -c %s "$file")"
	ok $((bytes > n)) "$name: at most a byte a branch"
	has "$name: functions have names" "$(trawl-decode --counts "$file" | head -200)" \
		'libc\.so\.6'
done
tap_done
