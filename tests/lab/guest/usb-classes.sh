# SPDX-License-Identifier: MIT
# Device classes with foreign drivers and devices: this kernel's MIDI and printer gadgets, QEMU's
# MTP. The second half compares trawl-decode's fields with those of Wireshark's dissectors.
# kernels: 6.12
. "$TRAWL_SRC/tests/tap.sh"
. "$TRAWL_SRC/tests/lab/lab.sh"
modprobe -a usbmon usblp snd-usb-audio
# A sound card is impossible: dummy_hcd has no isochronous endpoints.
mountpoint -q /sys/kernel/config || mount -t configfs none /sys/kernel/config

record classes ""
gadget midi midi.0 1d6b:0104
ok $? "a MIDI gadget is plugged in"
two_ports() {
	mapfile -t ports < <(amidi -l | sed -n 's/^IO  *\(hw:[0-9,]*\).*/\1/p')
	[ ${#ports[@]} -ge 2 ]
}
wait_for two_ports
ok $? "which both sides have a port of (${ports[*]})"
for port in "${ports[@]}"; do
	amidi -p "$port" -S '90 3C 7F 80 3C 00 B1 07 64 E0 00 40 F0 7E 7F 06 01 F7'
done
sleep 0.5
gadget_gone midi

gadget printer printer.0 1d6b:0105 'pnp_string=MFG:Nobody;MDL:Paper 1;CLS:PRINTER;CMD:PCL,PJL;'
wait_for test -c /dev/usb/lp0 -a -c /dev/g_printer0
ok $? "a printer gadget is plugged in"
cat /dev/g_printer0 >printed &
reader=$!
printf '\033%%-12345X@PJL INFO ID\r\n@PJL ENTER LANGUAGE=PCL\r\n' >/dev/usb/lp0
/usr/bin/python3 -c 'import fcntl, os
f = os.open("/dev/usb/lp0", os.O_RDWR)
fcntl.ioctl(f, 0x060b, bytearray(4))'
kill $reader
wait $reader 2>/dev/null
gadget_gone printer

host device_add usb-mtp,bus=xhci.0,port=5,id=mtp,rootdir=/usr/share/base-files,readonly=on \
	>/dev/null
wait_for usb_device 46f4:0004 >/dev/null
ok $? "an MTP device is plugged in"
/usr/bin/python3 "$TRAWL_SRC/tests/lab/mtpread.py" "$(usb_device 46f4:0004)" >mtp.txt
ok $? "its files are read ($(wc -l <mtp.txt))"
host device_del mtp >/dev/null
sleep 0.5
finish classes
ok $? "the capture ends well"
cp classes.trawl mtp.txt "$LAB_KEEP"
tap_done
