# SPDX-License-Identifier: MIT
. "$TRAWL_SRC/tests/tap.sh"

# lines_same NAME FILE [SAVED [OPTION]]: passes if the text has the saved lines, except for times.
lines_same() {
	local out
	out=$(/usr/bin/python3 "$TRAWL_SRC/tests/lab/host/textsame.py" $4 "${3:-saved.txt}" "$2" 2>&1)
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

# The two forms have times of different clocks.
trawl-decode --json --raw text.trawl >text.json
trawl-decode --json --raw binary.trawl >binary.json
apart=$(/usr/bin/python3 - <<'END'
import json
def events(path):
    for line in open(path):
        e = json.loads(line)
        yield (e["fields"]["id"], e["fields"]["type"], e["fields"]["length"]), e["ts_ns"]
(text, at), (binary, all_at) = zip(*events("text.json")), zip(*events("binary.json"))
n = len(text)
starts = [i for i in range(len(binary) - n + 1) if binary[i:i + n] == text]
print(min(max(abs(a - b) for a, b in zip(all_at[i:], at)) for i in starts) // 10**6)
END
)
[ "$apart" -lt 2000 ]
ok $? "both say when it was: times within $apart ms"

# The kernel's older form has neither bus nor intervals nor isochronous packets.
grep -q ' Zo:' old.txt && grep -q ' Ii:' old.txt && grep -q ' s 80 ' old.txt
ok $? "the form with two colons was saved"
trawl-edit import -w old.trawl old.txt
ok $? "it can be imported"
trawl-export --to usbmon old.trawl -w imported-old.txt
trawl-export --to usbmon --where 'bus == 1' binary.trawl -w bus1.txt
lines_same "and the binary capture says the same" bus1.txt imported-old.txt --old
tap_done
