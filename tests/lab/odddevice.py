#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A USB device that does what emulated ones do not: isochronous IN with gaps and errors, and every
way for a transfer to fail. It is a usbip server behind vhci_hcd; this program also uses it by
usbfs.

Plugs the device in, uses it, and unplugs it during a transfer. Then submits two requests for the
state of its root hub's ports at once, of which the second is refused.

Protocol: Documentation/usb/usbip_protocol.rst of the kernel (big-endian, headers of 48 bytes).
"""
import ctypes
import errno
import glob
import os
import socket
import struct
import threading
import time

VID, PID = 0x1209, 0x0001
ISO, BULK_IN, BULK_OUT, INTERRUPT = 0x81, 0x82, 0x03, 0x84
NO_PACKETS = 0xFFFFFFFF
ENOENT, ECONNRESET, EPIPE = 2, 104, 32
# (status, length) of the transfers of BULK_IN, in order; further ones are never answered.
ENDS = [(0, 512), (0, 100), (0, 0), (-32, 0), (-71, 0), (-75, 512), (-84, 0), (-62, 0)]
BIG = 16384  # bytes of a transfer that a small ring of usbmon does not keep whole
# Lengths and errors of the packets of one isochronous transfer.
PACKET = 192
PACKETS = [(192, 0), (0, 0), (100, 0), (0, -84), (64, 0), (0, -18), (1, 0), (192, 0)]


def endpoint(address, kind, size, interval):
    return struct.pack("<BBBBHB", 7, 5, address, kind, size, interval)


def descriptors():
    interface = struct.pack("<9B", 9, 4, 0, 0, 4, 0xFF, 0, 0, 0)
    body = (interface + endpoint(ISO, 1, PACKET, 1) + endpoint(BULK_IN, 2, 512, 0) +
            endpoint(BULK_OUT, 2, 512, 0) + endpoint(INTERRUPT, 3, 64, 4))
    config = struct.pack("<BBHBBBBB", 9, 2, 9 + len(body), 1, 1, 0, 0x80, 50)
    device = struct.pack("<BBHBBBBHHHBBBB", 18, 1, 0x200, 0xFF, 0, 0, 64, VID, PID, 0x100, 0, 0, 0,
                         1)
    return {1: device, 2: config + body}


class Server(threading.Thread):
    """The device's side of the wire."""

    def __init__(self, wire):
        super().__init__(daemon=True)
        self.wire, self.ends = wire, iter(ENDS)

    def take(self, count):
        data = b""
        while len(data) < count:
            more = self.wire.recv(count - len(data))
            if not more:
                raise EOFError
            data += more
        return data

    def run(self):
        try:
            while True:
                self.serve(self.take(48))
        except (EOFError, OSError):
            pass  # unplugged

    def serve(self, header):
        command, number, _, into, ep = struct.unpack_from(">5I", header)
        if command == 2:
            self.reply(4, number, struct.pack(">i", -ECONNRESET))
            return
        _, length, start, packets, _ = struct.unpack_from(">5I", header, 20)
        if not into and length:
            self.take(length)
        if packets not in (0, NO_PACKETS):
            self.isochronous(number, start, self.take(16 * packets))
        elif ep == 0:
            self.control(number, struct.unpack_from("<BBHHH", header, 40), length)
        elif not into:
            self.answer(number, 0, length)
        elif ep == BULK_IN & 15 and length == BIG:
            self.answer(number, 0, BIG, bytes(range(256)) * (BIG // 256))
        elif ep == BULK_IN & 15:
            status, got = next(self.ends, (None, 0))
            if status is not None:
                self.answer(number, status, got, b"odd!" * (got // 4))

    def descriptor(self, kind, index):
        return descriptors().get(kind)

    def reply(self, command, number, rest):
        self.wire.sendall((struct.pack(">5I", command, number, 0, 0, 0) + rest).ljust(48, b"\0"))

    def answer(self, number, status, length, data=b""):
        self.reply(3, number, struct.pack(">iIIIi", status, length, 0, NO_PACKETS, 0))
        self.wire.sendall(data)

    def control(self, number, setup, length):
        kind, request, value, _, _ = setup
        data = b""
        if request == 6 and kind == 0x80:
            data = self.descriptor(value >> 8, value & 255)
        elif request == 0:
            data = b"\0\0"
        if data is None:
            self.answer(number, -EPIPE, 0)
        else:
            data = data[:length]
            self.answer(number, 0, len(data) if kind & 0x80 else length, data)

    def isochronous(self, number, start, wanted):
        data, packets = b"", b""
        for i, (length, status) in enumerate(PACKETS):
            offset = struct.unpack_from(">I", wanted, 16 * i)[0]
            data += bytes([0x10 + i]) * length
            packets += struct.pack(">IIIi", offset, PACKET, length, status)
        errors = sum(status != 0 for _, status in PACKETS)
        self.reply(3, number, struct.pack(">iIIIi", 0, len(data), start, len(PACKETS), errors))
        self.wire.sendall(data + packets)


class Packet(ctypes.Structure):
    _fields_ = [("length", ctypes.c_uint), ("actual", ctypes.c_uint), ("status", ctypes.c_uint)]


class Urb(ctypes.Structure):
    """struct usbdevfs_urb."""
    _fields_ = [("type", ctypes.c_ubyte), ("endpoint", ctypes.c_ubyte), ("status", ctypes.c_int),
                ("flags", ctypes.c_uint), ("buffer", ctypes.c_void_p), ("length", ctypes.c_int),
                ("actual", ctypes.c_int), ("start", ctypes.c_int), ("packets", ctypes.c_int),
                ("errors", ctypes.c_int), ("signal", ctypes.c_uint), ("context", ctypes.c_void_p),
                ("packet", Packet * len(PACKETS))]


LIBC = ctypes.CDLL(None, use_errno=True)


def ioctl(fd, request, argument):
    """Like fcntl.ioctl(), which would pass a copy: the kernel keeps the address."""
    if LIBC.ioctl(fd, ctypes.c_ulong(request), ctypes.byref(argument)) < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


class User:
    """The host's side: usbfs."""
    SUBMIT, REAP, DISCARD, DISCONNECT_CLAIM = 0x8038550A, 0x4008550C, 0x550B, 0x8108551B

    def __init__(self, node):
        self.fd = os.open(node, os.O_RDWR)
        ioctl(self.fd, self.DISCONNECT_CLAIM, ctypes.create_string_buffer(264))  # interface 0

    def submit(self, kind, ep, length, packets=0):
        self.memory = ctypes.create_string_buffer(length)
        urb = Urb(type=kind, endpoint=ep, buffer=ctypes.addressof(self.memory), length=length,
                  packets=packets)
        urb.flags = 2 if kind == 0 else 0  # USBDEVFS_URB_ISO_ASAP
        for p in urb.packet:
            p.length = PACKET
        ioctl(self.fd, self.SUBMIT, urb)
        return urb

    def reap(self, urb):
        ioctl(self.fd, self.REAP, ctypes.c_void_p())
        return urb.status, urb.actual

    def transfer(self, *arguments):
        return self.reap(self.submit(*arguments))

    def discard(self, urb):
        ioctl(self.fd, self.DISCARD, urb)


def find():
    """Waits until the device has its configuration; returns its folder in sysfs."""
    for _ in range(200):
        for path in glob.glob("/sys/bus/usb/devices/*/idVendor"):
            folder = os.path.dirname(path)
            if open(path).read().strip() == f"{VID:04x}" and glob.glob(folder + "/*:1.0"):
                return folder
        time.sleep(0.1)
    raise SystemExit("the device did not appear")


def node(folder):
    number = [int(open(f"{folder}/{name}").read()) for name in ("busnum", "devnum")]
    return "/dev/bus/usb/%03d/%03d" % tuple(number)


def check(what, have, want):
    if have != want:
        raise SystemExit(f"{what}: {have} instead of {want}")


def reap_unplugged(user, urb):
    """The status of a transfer whose device is gone. ENODEV may come before the transfer has
    ended."""
    for _ in range(600):
        try:
            return user.reap(urb)[0]
        except OSError as e:
            if e.errno != errno.ENODEV:
                raise
        time.sleep(0.1)
    raise SystemExit("the pending transfer did not end")


def use_device():
    device, kernel = socket.socketpair()
    server = Server(device)
    server.start()
    with open("/sys/devices/platform/vhci_hcd.0/attach", "w") as f:
        f.write(f"0 {kernel.fileno()} {1 << 16 | 1} 3")
    kernel.close()
    path = node(find())
    user = User(path)
    urb = user.submit(0, ISO, PACKET * len(PACKETS), len(PACKETS))
    check("isochronous", user.reap(urb), (0, sum(length for length, _ in PACKETS)))
    check("packets", [(p.actual, ctypes.c_int(p.status).value) for p in urb.packet], PACKETS)
    for status, length in ENDS:
        check("bulk in", user.transfer(3, BULK_IN, 512), (status, length))
    check("big", user.transfer(3, BULK_IN, BIG), (0, BIG))
    check("bulk out", user.transfer(3, BULK_OUT, 700), (0, 700))
    urb = user.submit(3, BULK_IN, 512)
    user.discard(urb)
    check("discarded", user.reap(urb)[0], -ENOENT)
    pending = user.submit(1, INTERRUPT, 64)
    device.shutdown(socket.SHUT_RDWR)
    status = reap_unplugged(user, pending)
    print(f"pulled out: {status}")
    return path.split("/")[-2]


def refuse(hub):
    """A root hub accepts one request for its state at a time."""
    user = User(hub)
    user.submit(1, 0x81, 4)
    try:
        user.submit(1, 0x81, 4)
    except OSError as e:
        print(f"refused: {e.errno}")


if __name__ == "__main__":
    refuse(f"/dev/bus/usb/{use_device()}/001")
