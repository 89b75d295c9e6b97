# SPDX-License-Identifier: MIT
# The cost of the readers' sandbox.
: "${TRAWL_BUILD:?run it with make bench}"
"$TRAWL_BUILD/tests/bench/sandbox" "$TRAWL_BUILD/trawl-decode" \
	"$TRAWL_SRC/tests/golden/single.trawl"
