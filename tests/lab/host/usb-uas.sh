# SPDX-License-Identifier: MIT
. "$TRAWL_SRC/tests/tap.sh"
trawl-export --to pcapng --source usb uas.trawl -w uas.pcapng

# Write each command as "command TAG OPCODE", each answer as "status TAG OPCODE STATUS".
trawl-decode --json uas.trawl | jq \
	-r '.fields.decoded.storage? // empty | select(.transport == "UAS") |
	if .phase == "command" then "command \(.tag) \(.scsi.opcode)"
	elif .phase == "status" then "status \(.tag) \(.scsi.opcode) \(.status)" else empty end' | sort >ours
tshark -r uas.pcapng -Y 'uasp.iu_id == 1 || uasp.iu_id == 3' -T fields -e uasp.iu_id -e uasp.tag \
	-e scsi_sbc.opcode -e uasp.sense.status 2>/dev/null |
	while IFS=$'\t' read -r iu tag opcode status; do
		case $iu in
		0x01) echo "command $((tag)) $((opcode))" ;;
		*) echo "status $((tag)) $((opcode)) $((status))" ;;
		esac
	done | sort >theirs
[ "$(grep -c ^command ours)" -gt 20 ] && cmp ours theirs
ok $? \
	"Wireshark reads the same $(grep -c ^command ours) commands and $(grep -c ^status ours) answers"
text=$(trawl-decode uas.trawl)
same "all reads are seen" 3 "$(grep -cE 'READ\(10\) lba (64|192|320) .* good' <<<"$text")"
same "and all writes" 3 "$(grep -cE 'WRITE\(10\) lba (128|136|144) .* good' <<<"$text")"
has "and what the disk refused, and why" "$text" \
	'check condition, illegal request: invalid command operation code'
tap_done
