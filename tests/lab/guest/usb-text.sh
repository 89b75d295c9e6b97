# SPDX-License-Identifier: MIT
# usbmon's text form, saved by cat and recorded by trawl, beside the binary form. The second half
# compares all that the text has.
# long: 6.1
. "$TRAWL_SRC/tests/tap.sh"
. "$TRAWL_SRC/tests/lab/lab.sh"
modprobe usbmon

record binary ""
record text text
ok $? "trawl records the text form"
has "and says what it lacks" "$(cat text.log)" '32 bytes of each transfer'
fails "both forms at once are refused" 2 'cannot be combined' trawl -i usb:text -i usb -w /dev/null
fails "a bus that is not there" 3 '/9u is missing' trawl -i usb:text:9 -w /dev/null
has "a keyboard is warned of first" "$(head -1 text.log)" 'is a keyboard: what is typed'
cat /sys/kernel/debug/usb/usbmon/0u >saved.txt &
cat /sys/kernel/debug/usb/usbmon/1t >old.txt &
sleep 1
# Slowly, because the kernel keeps a hundred lines for each reader and drops more.
for key in h e l l o; do
	host sendkey $key >/dev/null
	sleep 0.2
done
# This mouse makes sure that there are requests on the bus of old.txt.
host device_add usb-mouse,bus=xhci.0,port=5,id=mouse >/dev/null
wait_for usb_count $KEYBOARD 3
disk=$(disks | head -1)
dd if=/dev/urandom of="/dev/$disk" bs=4k count=2 oflag=direct status=none
dd if="/dev/$disk" of=/dev/null bs=4k count=2 iflag=direct status=none
aplay -q -s 2400 -t raw -f S16_LE -r 48000 -c 2 -D hw:0 /dev/zero
host device_del mouse >/dev/null
sleep 1
kill %3 %4
finish text
ok $? "the text capture ends well"
finish binary

# The losses of a slow reader are counted.
record binary2 3
record_options=(-s 8)
record lossy text:3
kill -STOP $pid_lossy
dd if="/dev/$(disks | tail -1)" of=/dev/null bs=4k count=50 iflag=direct status=none
kill -CONT $pid_lossy
sleep 1
finish binary2
finish lossy
same "losses of the text form are reported" 1 $?
events() {
	sed -n 's/^\([0-9]*\) events* captured, \([0-9]*\) lost.*/\1 \2/p' "$1.log"
}
read -r events lost < <(events lossy)
read -r all none < <(events binary2)
[ "$lost" -gt 0 ] && [ "$none" = 0 ]
ok $? "and how many: $lost of $all"
same "exactly" "$all" $((events + lost))
same "-s cuts the text form too" 8 \
	"$(trawl-decode --json --raw lossy.trawl | jq .fields.data_length | sort -n | tail -1)"
cp saved.txt old.txt ./*.trawl ./*.log "$LAB_KEEP"
tap_done
