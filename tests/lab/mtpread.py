#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Reads the description of an MTP device through usbfs: mtpread.py SYSFS-FOLDER. Prints one line
for each property."""
import ctypes
import fcntl
import os
import struct
import sys

BULK, CLAIM = 0xC0185502, 0x8004550F


class Bulk(ctypes.Structure):
    _fields_ = [("ep", ctypes.c_uint), ("len", ctypes.c_uint), ("timeout", ctypes.c_uint),
                ("data", ctypes.c_void_p)]


def number(folder, name):
    with open(os.path.join(folder, name), encoding="ascii") as f:
        return int(f.read(), 10)


class Mtp:
    def __init__(self, folder):
        self.fd = os.open("/dev/bus/usb/%03d/%03d" % (number(folder, "busnum"),
                                                      number(folder, "devnum")), os.O_RDWR)
        fcntl.ioctl(self.fd, CLAIM, struct.pack("I", 0))
        self.transaction = 0
        with open(os.path.join(folder, "descriptors"), "rb") as f:
            d = f.read()
        at, self.ends = 18, []
        while at < len(d) and d[at]:
            if d[at + 1] == 5 and d[at + 3] & 3 == 2:
                self.ends.append(d[at + 2])
            at += d[at]
        self.into = next(e for e in self.ends if e & 0x80)
        self.out = next(e for e in self.ends if not e & 0x80)

    def bulk(self, end, data):
        buffer = ctypes.create_string_buffer(data, len(data))
        n = fcntl.ioctl(self.fd, BULK, Bulk(end, len(data), 5000, ctypes.addressof(buffer)))
        return buffer.raw[:n]

    def ask(self, code, *parameters):
        """(data, response code) of an operation."""
        self.bulk(self.out, struct.pack("<IHHI%dI" % len(parameters), 12 + 4 * len(parameters), 1,
                                        code,
                                        self.transaction, *parameters))
        self.transaction += 1
        data = b""
        while True:
            got = self.bulk(self.into, bytes(16384))
            while len(got) >= 12 and len(got) < struct.unpack("<I", got[:4])[0]:
                got += self.bulk(self.into, bytes(16384))
            if struct.unpack("<H", got[4:6])[0] == 3:
                return data, struct.unpack("<H", got[6:8])[0]
            data = got[12:]


def handles(data):
    return struct.unpack("<%dI" % struct.unpack("<I", data[:4])[0], data[4:])


def main():
    m = Mtp(sys.argv[1])
    print("device", len(m.ask(0x1001)[0]))
    print("session", m.ask(0x1002, 1)[1])
    for storage in handles(m.ask(0x1004)[0]):
        print("storage", storage, len(m.ask(0x1005, storage)[0]))
        for handle in handles(m.ask(0x1007, storage, 0, 0xFFFFFFFF)[0]):
            data = m.ask(0x1008, handle)[0]
            name = data[53:53 + 2 * data[52] - 2].decode("utf-16-le")
            print("object", handle, name, struct.unpack("<H", data[4:6])[0],
                  struct.unpack("<I", data[8:12])[0])
    print("closed", m.ask(0x1003)[1])


main()
