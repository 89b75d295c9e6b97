# SPDX-License-Identifier: MIT
# Every print format of this kernel is understood.
. "$TRAWL_SRC/tests/tap.sh"

modprobe -a usbmon dummy_hcd vhci_hcd 2>/dev/null
# Remove the modules: vhci_hcd adds sixteen buses, which would slow down the tests after this one.
trap 'modprobe -r vhci_hcd dummy_hcd usbmon' EXIT
count=$(ls -d /sys/kernel/tracing/events/*/*/format | "$TRAWL_BUILD/tests/decode/formats" 2>wrong)
read -r total understood calls dropped <<<"$count"
[ "$total" -gt 1000 ]
ok $? "the kernel has $total event formats"
same \
	"$understood print formats are understood ($calls call the kernel or have a constant that it does not tell)" "$total" "$understood"
same "all of their fields are fields of the event types" 0 "$dropped"
grep -v ': calls ' wrong | sed 's/^/# /'
tap_done
