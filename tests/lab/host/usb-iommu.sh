# SPDX-License-Identifier: MIT
. "$TRAWL_SRC/tests/tap.sh"
trawl-export --to pcap --source usb iommu.trawl -w iommu.pcap
out=$(/usr/bin/python3 "$TRAWL_SRC/tests/lab/host/pcapsame.py" --fields tcpdump.pcap iommu.pcap 2>&1)
ok $? "tcpdump's events are the same: $(head -2 <<<"$out" | tr '\n' ' ')"
lost=$(tshark -r iommu.pcap -Y "usb.data_flag == 'D'" -T fields -e usb.urb_len \
	-e usb.data_len 2>/dev/null)
has "there is data that the kernel cannot read" "$lost" '^65536.0$'
count=$(grep -c . <<<"$lost")
has "the verdict counts it" "$(trawl-decode --meta=usb/verdict iommu.trawl)" \
	"\"replayable\":false.*\"reason\":\"unmapped\",[^}]*\"count\":$count\}"
has "the line of the transfer states it" "$(trawl-decode iommu.trawl)" \
	'READ.10. .* data, 65536 bytes, .*, 65536 bytes not captured'
tap_done
