#!/bin/bash
# SPDX-License-Identifier: MIT
# A program has all our libraries in one place: no name may be defined in two of them, which the
# linker does not say of libraries.
. "$TRAWL_SRC/tests/tap.sh"
names() {
	for lib; do
		nm -g --defined-only "$TRAWL_BUILD/.libs/lib$lib.a" 2>/dev/null |
			awk 'NF == 3 && $2 ~ /[TDRB]/ { print $3 }' | sort -u
	done | sort
}
for libs in "format common decode import" "format common decode capture"; do
	ok $(($(names $libs | wc -l) < 500)) "$libs: their names are there to be looked at"
	same "$libs: none is defined in two of them" "" "$(names $libs | uniq -d | xargs)"
done
tap_done
