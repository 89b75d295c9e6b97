# SPDX-License-Identifier: MIT
# The branches of each program that the guest recorded are one unbroken path for each task.
. "$TRAWL_SRC/tests/tap.sh"
for path in "$LAB_KEEP"/*.path; do
	name=$(basename "$path" .path)
	/usr/bin/python3 "$TRAWL_SRC/tests/kmod/flow.py" "$path" >gaps
	ok $? "$name: a path without a gap, $(tail -1 gaps)"
	head -9 gaps | sed 's/^/# /'
done
# The check itself must find gaps: leave out all returns.
awk '$2 != 4' "$LAB_KEEP/gzip.path" >cut
fails "returns that are missing are found" 1 '^$' /usr/bin/python3 \
	"$TRAWL_SRC/tests/kmod/flow.py" cut
tap_done
