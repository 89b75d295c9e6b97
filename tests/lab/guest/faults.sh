# SPDX-License-Identifier: MIT
# kernels: 6.12
# machine: skylake
# Captures of USB and branches, of which one call fails: an ioctl, an allocation, a read, a write,
# or an open.
. "$TRAWL_SRC/tests/tap.sh"
. "$TRAWL_SRC/tests/lab/lab.sh"
modprobe usbmon
insmod "$LAB_MODULES/../kmod/trawl.ko"
usb_settled
disk=/dev/$(disks | head -n 1)
while dd if="$disk" of=/dev/null bs=4k count=8 iflag=direct; do sleep 0.05; done 2>/dev/null &
traffic=$!
/usr/bin/python3 "$TRAWL_SRC/tests/fault/fault.py" lab >tap
kill $traffic
sed -n 's/^ok [0-9]* -/#/p; /^#/p' tap
same "no failed call has a wrong consequence" "" "$(grep '^not ok' tap)"
ok "$(grep -c '^ok' tap | awk '{ exit $1 < 10 }'; echo $?)" "each kind was tried"
rmmod trawl
ok $? "the module can be unloaded"
tap_done
