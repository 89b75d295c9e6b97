# SPDX-License-Identifier: MIT
# Every real capture in samples/ is complete, decodes as text and JSON, and exports.
. "$TRAWL_SRC/tests/tap.sh"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

for file in "$TRAWL_SRC"/samples/*.trawl; do
	name=$(basename "$file")
	has "$name is complete" "$(trawl-decode --summary "$file")" '^file .*: complete$'
	trawl-decode --raw "$file" >"$tmp/text" && trawl-decode --raw --json "$file" >"$tmp/json"
	ok $? "$name decodes"
	same "$name has a line an event" "$(wc -l <"$tmp/text")" "$(wc -l <"$tmp/json")"
	jq -e . "$tmp/json" >"$tmp/jq" 2>&1
	ok $? "$name as JSON lines"
	trawl-export --to pcapng "$file" -w "$tmp/x.pcapng"
	ok $? "$name exports"
	same "$name: tshark says nothing about the export" "" \
		"$(tshark -r "$tmp/x.pcapng" 2>&1 >/dev/null | grep -v 'Running as user')"
done

text=$(trawl-decode "$TRAWL_SRC/samples/tick.trawl")
has "a USDT argument and its line" "$text" \
	'tick:loop +arg1=4 arg2="two" arg3=16 \(tick_step\+0xa .*tick\.c:45\)'
has "a parameter by name" "$text" 'tick:tick_step +n=3 name="one"'
has "a returned string" "$text" 'tick:tick_name%return +retval="three" \(tick_name .*\)'

# --join says which sources it lacks.
joined() { trawl-decode --join "$@" 2>&1 >/dev/null; }
has "--join without USB says so" "$(joined "$TRAWL_SRC/samples/tick.trawl")" \
	'^trawl-decode: --join: the file has no USB transfer$'
has "and without an event to join, which to record" \
	"$(joined "$TRAWL_SRC/samples/usb-storage.trawl")" \
	'--join: no event names the URB .*; record event:xhci-hcd:xhci_urb_enqueue or event:block:block_rq_issue'
tap_done
