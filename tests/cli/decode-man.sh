# SPDX-License-Identifier: MIT
# The manual, --help and option table of each program have the same options.
. "$TRAWL_SRC/tests/tap.sh"

# The manual without its markup.
page() { sed 's/\\f[A-Z]//g; s/\\-/-/g' "$TRAWL_SRC/docs/$1.1"; }

# options: prints the options, --long and -s, in the text on standard input.
options() { grep -oE -- '--[a-z][a-z0-9-]*[a-z0-9]|(^|[ ,("])-[a-zA-Z]\b' | tr -d ' ,("' |
	sort -u; }

# entries PAGE: prints the options that have an entry: in the line after each .TP or .TQ.
entries() { page "$1" | awk '/^\.T[PQ]/ { heading = 1; next } heading { print; heading = 0 }' |
	options; }

help_of() {
	$1 --help
	if [ "$1" = trawl-replay ]; then
		for way in $($1 --help | sed -n 's/^  \([a-z]*\)  .*/\1/p'); do
			$1 "$way" --help
		done
	fi
}

# The long options as the sources have them.
table() {
	(cd "$TRAWL_SRC" &&
			grep -ohE '^\s+\{ ?"[a-z0-9-]+", (no|required|optional)_argument' "$@") |
		sed 's/.*"\(.*\)".*/--\1/' | sort -u
}

# without LIST LIST: prints the lines of the first list that are not in the second.
without() { comm -23 <(printf '%s\n' "$1") <(printf '%s\n' "$2"); }

check() {
	local p=$1 help
	shift
	help=$(help_of "$p")
	same "$p: every option of --help is in the manual" "" \
		"$(without "$(options <<<"$help")" "$(page "$p" | options)")"
	same "$p: every option that the manual describes is in --help" "" \
		"$(without "$(entries "$p")" "$(options <<<"$help")")"
	same "$p: every option of the source is in --help" "" \
		"$(without "$(table "$@")" "$(options <<<"$help")")"
	has "$p: --help begins with the usage" "$(head -1 <<<"$help")" "^Usage: $p "
	has "$p: --version" "$($p --version)" "^$p [0-9]+\\.[0-9]+"
}

reading="decode/query/selection.h decode/query/reading.h"
cd "$TRAWL_SRC" || exit 99
check trawl capture/cli/options.c
check trawl-decode decode/trawl-decode.c $reading
check trawl-export decode/trawl-export.c $reading
check trawl-edit $(ls edit/*.c | grep -v report) decode/query/selection.h
check trawl-replay replay/*.c
check trawl-report edit/trawl-report.c
tap_done
