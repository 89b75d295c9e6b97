# SPDX-License-Identifier: MIT
# Each event of the flight recorder's files lies between the kernel's two texts of it.
. "$TRAWL_SRC/tests/tap.sh"
/usr/bin/python3 "$TRAWL_SRC/tests/lab/together.py" ring.trawl ring.[123].trawl >result
ok $? "four files and the kernel's text can be read"
while read -r good text; do
	ok "$good" "$text"
done <result
tap_done
