# SPDX-License-Identifier: MIT
# The man pages name every option that the programs take, and --help knows them too.
. "$TRAWL_SRC/tests/tap.sh"
for p in trawl-decode trawl-export; do
	page=$(sed 's/\\f[A-Z]//g; s/\\-/-/g' "$TRAWL_SRC/docs/$p.1")
	help=$($p --help)
	missing=
	# the long options as the source has them
	for o in $(grep -oh '{"[a-z-]*", [a-z]*_argument' "$TRAWL_SRC/decode/$p.c" "$TRAWL_SRC/decode/query/selection.h" \
		   "$TRAWL_SRC/decode/query/reading.h" |
		   cut -d'"' -f2); do
		printf '%s\n' "$page" | grep -qe "--$o" || missing="$missing man:--$o"
		printf '%s\n' "$help" | grep -qE -e "--$o([ ,=[]|\$)" || missing="$missing help:--$o"
	done
	same "$p: every option is in the man page and in --help" "" "$missing"
	first=$(printf '%s\n' "$help" | head -1)
	has "$p: --help begins with the usage" "$first" "^Usage: $p "
	has "$p: --version" "$($p --version)" "^$p [0-9]+\.[0-9]+"
done
tap_done
