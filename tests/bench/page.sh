# SPDX-License-Identifier: MIT
# A page of 1,000,000 events, in every browser that is installed. Goals: less than 10 MB, a first
# picture in less than 1 s, and 60 frames/s (16.7 ms a frame) while the user zooms and moves.
# PAGE_OF=FILE measures another capture.
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
file=${PAGE_OF:-$tmp/made.trawl}
[ "${PAGE_OF:-}" ] || "$TRAWL_BUILD/tests/decode/make-sample" "$file" 1000000
"$TRAWL_BUILD/trawl-export" --to html "$file" -w "$tmp/page.html" 2>/dev/null
echo "page: $(stat -c %s "$tmp/page.html") bytes; load $(cut -d' ' -f1 /proc/loadavg) on $(nproc) processors"
export NODE_PATH=${TRAWL_NODE_MODULES:-$TRAWL_BUILD/node/node_modules}
for browser in chromium-headless-shell firefox-esr; do
	path=$(command -v $browser) || continue
	echo "$browser"
	timeout 120 node "$TRAWL_SRC/tests/bench/page.js" "$path" "$tmp/page.html" ||
		echo "not measured (tests/cli/page.py installs puppeteer-core)"
done
