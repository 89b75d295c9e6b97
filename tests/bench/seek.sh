# SPDX-License-Identifier: MIT
# Seek by time in a capture of 1 GB. Goals: less than 1 MB read, and less than 10 ms.
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
"$TRAWL_BUILD/tests/bench/seek" "$tmp/seek.trawl" 1024
