# SPDX-License-Identifier: MIT
. "$TRAWL_SRC/tests/tap.sh"

# lines_same NAME FILE: the saved lines are in this text, but for their times.
lines_same() {
	local out
	out=$(/usr/bin/python3 "$TRAWL_SRC/tests/lab/host/textsame.py" saved.txt "$2" 2>&1)
	ok $? "$1: $(tail -3 <<<"$out" | tr '\n' ' ')"
}

trawl-edit import -w imported.trawl saved.txt
ok $? "saved text can be imported"
trawl-export --to usbmon imported.trawl -w imported.txt
cmp imported.txt saved.txt
ok $? "and comes out again as it was"
trawl-export --to usbmon binary.trawl -w binary.txt
lines_same "the binary capture says the same" binary.txt
trawl-export --to usbmon text.trawl -w text.txt
lines_same "and so does the text capture" text.txt
tap_done
