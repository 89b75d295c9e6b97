# SPDX-License-Identifier: MIT
# Behind an IOMMU the kernel maps a disk's scattered pages to one address, so that usbmon cannot
# find them: no capture has the data of such transfers (flag 'D'). trawl has to say so.
# kernels: 6.12
# machine: iommu
# long: 6.12
. "$TRAWL_SRC/tests/tap.sh"
. "$TRAWL_SRC/tests/lab/lab.sh"
modprobe usbmon

record iommu ""
start tcpdump tcpdump -i usbmon0 -w tcpdump.pcap
wait_for grep -q listening tcpdump.log
# Reads into scattered pages: pages get their places in the order in which they are touched.
/usr/bin/python3 - "/dev/$(disks | head -1)" <<'END'
import mmap
import os
import sys
disk = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT)
for i in range(4):
    memory = mmap.mmap(-1, 65536)
    for page in 3, 9, 1, 14, 6, 11, 0, 8, 15, 5, 12, 2, 10, 7, 13, 4:
        memory[page * 4096] = 1
    if os.preadv(disk, [memory], i * 65536) != 65536:
        sys.exit("short read")
END
ok $? "a disk is read"
sleep 0.5
finish tcpdump
finish iommu
ok $? "the capture ends well"
cp ./*.trawl ./*.pcap "$LAB_KEEP"
tap_done
