# SPDX-License-Identifier: MIT
# What the readers' sandbox costs.
: "${TRAWL_BUILD:?run it with make bench}"
# not the wrapper that libtool puts around programs of the build folder
decode=$TRAWL_BUILD/.libs/trawl-decode
[ -x "$decode" ] || decode=$TRAWL_BUILD/trawl-decode
LD_LIBRARY_PATH=$TRAWL_BUILD/.libs "$TRAWL_BUILD/tests/bench/sandbox" "$decode" \
	"$TRAWL_SRC/tests/golden/single.trawl"
