# SPDX-License-Identifier: MIT
. "$TRAWL_SRC/tests/tap.sh"

# addresses NAME: prints BUS:DEV of all events of a capture, each once, in the order of appearance.
addresses() {
	trawl-export --to pcap --source usb "$1.trawl" -w "$1.pcap" &&
		/usr/bin/python3 "$TRAWL_SRC/tests/lab/host/pcapsame.py" --addresses "$1.pcap"
}

# A device on xhci gets its address before the first transfer. A device on ehci, here the mouse,
# starts at address 0, which must not be in the files of other devices.
before=$(cat before) disk=$(cat disk) after=$(cat after)
same "by id: both disks, the second under both addresses" \
	"$(printf '%s\n' "$disk" "$before" "$after" | sort)" \
	"$(addresses id | sort)"
same "by serial number: the second disk only" \
	"$(printf '%s\n' "$before" "$after" | sort)" "$(addresses serial | sort)"
same "by port: the mouse, from address 0 on" \
	"$(printf '%s\n' 3:0 "$(cat mouse)")" "$(addresses port)"
same "two filters: the serial adapter was idle, the keyboard's reports are there" \
	"$(cat keyboard)" "$(addresses two)"
fields=$(tshark -r id.pcap -Y 'usb.idVendor == 0x46f4' -T fields -e usb.idProduct 2>/dev/null)
has "the enumeration of the new address is in the file" "$fields" '0x0001'
tap_done
