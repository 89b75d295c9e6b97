# SPDX-License-Identifier: MIT
"""A USB microphone (Audio 1.0, one channel of 16 bits at 48 kHz) behind vhci_hcd; it runs until
it is killed. Its samples count up from 0 at the start of each recording. Its names have the
maximum length and characters of every UTF-8 length."""
import os
import socket
import struct
import sys
import time

sys.dont_write_bytecode = True
from odddevice import Server

VID, PID = 0x1209, 0x0005
SAMPLES = 48  # in a packet, which is sent every ms
NAMES = {1: "\u00e4\u6f22\U0001f3a4" * 31 + "\u6f22\u6f22", 2: "a microphone \U0001f3a4", 3: "\u6f22" * 40}
FULL_SPEED = 2


def interface(number, alternate, endpoints, subclass):
    return bytes([9, 4, number, alternate, endpoints, 1, subclass, 0, 0])


def configuration():
    units = (bytes([12, 0x24, 2, 1]) + struct.pack("<HBBHBB", 0x0201, 0, 1, 0, 0, 0) +
             bytes([9, 0x24, 3, 2]) + struct.pack("<HBBB", 0x0101, 0, 1, 0))
    control = bytes([9, 0x24, 1]) + struct.pack("<HHBB", 0x100, 9 + len(units), 1, 1) + units
    stream = (bytes([7, 0x24, 1, 2, 1, 1, 0]) +
              bytes([11, 0x24, 2, 1, 1, 2, 16, 1]) + (48000).to_bytes(3, "little") +
              struct.pack("<BBBBHBBB", 9, 5, 0x81, 5, 2 * SAMPLES, 1, 0, 0) +
              bytes([7, 0x25, 1, 0, 0, 0, 0]))
    body = (interface(0, 0, 0, 1) + control + interface(1, 0, 0, 2) + interface(1, 1, 1, 2) +
            stream)
    return struct.pack("<BBHBBBBB", 9, 2, 9 + len(body), 2, 1, 0, 0x80, 50) + body


class Microphone(Server):
    sample, slot = 0, 0.0

    def descriptor(self, kind, index):
        if kind == 1:
            return struct.pack("<BBHBBBBHHHBBBB", 18, 1, 0x200, 0, 0, 0, 64, VID, PID, 0x100, 1, 2,
                               3, 1)
        if kind == 2:
            return configuration()
        text = NAMES[index].encode("utf-16-le") if index else b"\t\4"
        return bytes([2 + len(text), 3]) + text if kind == 3 else None

    def control(self, number, setup, length):
        if setup[:3] == (1, 11, 1):  # SET_INTERFACE begins the recording
            self.sample = 0
        super().control(number, setup, length)

    def isochronous(self, number, start, wanted):
        data, packets, n = b"", b"", len(wanted) // 16
        self.slot = max(self.slot, time.monotonic()) + n / 1000
        time.sleep(max(0, self.slot - time.monotonic()))
        for i in range(n):
            offset = struct.unpack_from(">I", wanted, 16 * i)[0]
            packets += struct.pack(">IIIi", offset, 2 * SAMPLES, 2 * SAMPLES, 0)
        for _ in range(n * SAMPLES):
            data += struct.pack("<H", self.sample & 0xffff)
            self.sample += 1
        self.reply(3, number, struct.pack(">iIIIi", 0, len(data), start, n, 0))
        self.wire.sendall(data + packets)


device, kernel = socket.socketpair()
with open("/sys/devices/platform/vhci_hcd.0/attach", "w") as f:
    f.write(f"1 {kernel.fileno()} {1 << 16 | 9} {FULL_SPEED}")
kernel.close()
Microphone(device).run()
