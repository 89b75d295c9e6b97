# SPDX-License-Identifier: MIT
# usbmon's text form beside the binary one: saved by cat, recorded by trawl. The second half
# compares all that the text carries.
. "$TRAWL_SRC/tests/tap.sh"
. "$TRAWL_SRC/tests/lab/lab.sh"
modprobe usbmon

record binary ""
record text text
ok $? "trawl records the text form"
has "and says what it lacks" "$(cat text.log)" '32 bytes of each transfer'
fails "both forms at once are refused" 2 'cannot be joined' trawl -i usb:text -i usb -w /dev/null
fails "a bus that is not there" 3 '/9u is missing' trawl -i usb:text:9 -w /dev/null
cat /sys/kernel/debug/usb/usbmon/0u >saved.txt &
sleep 1
# Gently: the kernel keeps a hundred lines for each reader and does not tell what it drops.
for key in h e l l o; do
	host sendkey $key >/dev/null
	sleep 0.2
done
host device_add usb-mouse,bus=ehci.0,port=3,id=mouse >/dev/null
wait_for 5 usb_count $KEYBOARD 3
disk=$(disks | head -1)
dd if=/dev/urandom of="/dev/$disk" bs=4k count=2 oflag=direct status=none
dd if="/dev/$disk" of=/dev/null bs=4k count=2 iflag=direct status=none
aplay -q -s 2400 -t raw -f S16_LE -r 48000 -c 2 -D hw:0 /dev/zero
host device_del mouse >/dev/null
sleep 1
kill %3
finish text
ok $? "the text capture ends well"
finish binary
cp saved.txt ./*.trawl ./*.log "$LAB_KEEP"
tap_done
