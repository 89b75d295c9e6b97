# SPDX-License-Identifier: MIT
# trawl-edit cut beside trawl-decode on the same file, in processor seconds and their ratio. Goals:
# 1 s to cut a part by time from 1 GB, a ratio of 1 to cut by an expression, and a minute for
# trawl-report. EDIT_OF=FILE measures another capture; EDIT_SPAN is the times of the part,
# EDIT_WHERE the expression.
: "${TRAWL_BUILD:?run it with make edit-bench}"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
file=${EDIT_OF:-$tmp/made.trawl}
[ "${EDIT_OF:-}" ] || "$TRAWL_BUILD/tests/decode/make-sample" "$file" 5000000
read -r -a span <<<"${EDIT_SPAN:---from +1s --until +2s}"
where=${EDIT_WHERE:-cpu == 1}
export TIMEFORMAT='%R %U %S'

# measure NAME COMMAND...: prints the command's line; sets $cpu to its processor seconds.
measure() {
	local name=$1 real user sys
	shift
	read -r real user sys < <({ time "$@" >/dev/null 2>&1; } 2>&1)
	cpu=$(awk "BEGIN { print $user + $sys }")
	printf '%-40s %8.2f s of processor time, %8.2f s\n' "$name" "$cpu" "$real"
}

bin=$TRAWL_BUILD
echo "file: $(stat -c %s "$file") bytes; load $(cut -d' ' -f1 /proc/loadavg) on $(nproc) processors"
measure "cut ${span[*]}" "$bin/trawl-edit" cut "$file" -w "$tmp/a.trawl" "${span[@]}"
measure "trawl-decode" "$bin/trawl-decode" "$file"
text=$cpu
measure "trawl-decode --where" "$bin/trawl-decode" --where "$where" "$file"
decode=$cpu
measure "cut --where" "$bin/trawl-edit" cut "$file" -w "$tmp/b.trawl" --where "$where"
awk "BEGIN { printf \"cut --where to trawl-decode --where %.2f, to trawl-decode %.2f\n\",
	$cpu / $decode, $cpu / $text }"
measure "trawl-report" "$bin/trawl-report" --yes --title bench -o "$tmp/r.zip" "$file"
