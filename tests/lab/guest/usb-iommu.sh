# SPDX-License-Identifier: MIT
# Behind an IOMMU the kernel gives a disk's scattered pages one address, and usbmon can no longer find
# them: the data of such transfers is not in any capture (flag 'D'). That has to be told.
# kernels: 6.12
# machine: iommu
. "$TRAWL_SRC/tests/tap.sh"
. "$TRAWL_SRC/tests/lab/lab.sh"
modprobe usbmon

record iommu ""
start tcpdump tcpdump -i usbmon0 -w tcpdump.pcap
wait_for 10 grep -q listening tcpdump.log
disk=$(disks | head -1)
dd if="/dev/$disk" of=/dev/null bs=64k count=4 iflag=direct status=none
ok $? "a disk is read"
sleep 0.5
finish tcpdump
finish iommu
ok $? "the capture ends well"
cp ./*.trawl ./*.pcap "$LAB_KEEP"
tap_done
