#!/bin/bash
# SPDX-License-Identifier: MIT
# Branches: bytes and ns a branch in full traces of real programs, the slowdown by each back end
# that works here, and the export of the coverage of ten million branches.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
PATH=$TRAWL_BUILD:$PATH
bench=$TRAWL_BUILD/tests/bench/branch
cd "$work" || exit 1
head -c 20000 "$TRAWL_SRC/docs/format.md" >text

ms() { echo $(($(date +%s%N) / 1000000)); }
# Prints the back ends that trawl -D does not call unusable in the line after their name.
usable() {
	trawl -D branch | awk '/not usable/ { how = "" }
		/^branch:/ { if (how) print how; how = $1 ~ /@/ ? "" : $1 }
		END { if (how) print how }'
}
# trace NAME COMMAND...: records the command by each back end that is usable here.
trace() {
	local name=$1 plain began n bytes
	shift
	began=$(ms)
	for _ in 1 2 3 4 5; do "$@" >/dev/null; done
	plain=$((($(ms) - began) / 5))
	for how in $(usable); do
		began=$(ms)
		trawl -q -i "$how" -w "$name.trawl" -- "$@" >/dev/null || continue
		began=$(($(ms) - began))
		n=$(/usr/bin/python3 -B "$TRAWL_SRC/tests/reader_branch.py" --count "$name.trawl")
		bytes=$(stat -c %s "$name.trawl")
		echo "$name $how: $n branches, $((bytes * 1000 / n)) thousandths of a byte each;" \
			"$began ms, without $plain ms"
	done
	echo "$name again: $("$bench" "$name.trawl" again.trawl 0)"
}
trace gzip gzip -nc text
trace sqlite3 sqlite3 :memory: \
	'create table t(a); insert into t values(3),(1),(2); select sum(a) from t;'
"$bench" gzip.trawl ten.trawl 10000000
for format in drcov lcov; do
	began=$(ms)
	trawl-export --to $format ten.trawl -w out
	echo "trawl-export --to $format of 10,000,000 branches: $(($(ms) - began)) ms"
done
