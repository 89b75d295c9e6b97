# SPDX-License-Identifier: MIT
"""planteddevice.py OUT.pcap: a capture of the device of module/planted.c, which asks for its table
of 14 bytes."""
import sys

sys.path.insert(0, __file__.rsplit("/", 2)[0] + "/decode/usb")
sys.dont_write_bytecode = True
import usbsynth  # noqa: E402

c = usbsynth.Capture()
c.get_descriptor(1, usbsynth.device(0x1209, 1, 0xff), 5)
c.get_descriptor(2, usbsynth.config(usbsynth.interface(0, 0xff, 0, 0, 1),
                                    usbsynth.endpoint(0x81, 2, 64)), 5)
c.control(bytes([0, 9, 1, 0, 0, 0, 0, 0]), dev=5)
c.control(bytes([0xc0, 1, 0, 0, 0, 0, 64, 0]),
          bytes([6] + [x for i in range(6) for x in (7 * i, 100 + i)]), dev=5)
with open(sys.argv[1], "wb") as f:
    f.write(usbsynth.pcap(c.records))
