#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""pcapsame.py THEIRS OURS: checks that OURS has every event of THEIRS, in order and byte for byte.

Both are pcap or pcapng of linktype 220. OURS may have more events before and after, as its recorder
ran longer, but none in between. Compares both lengths and all bytes: header, isochronous
descriptors, data. Times may differ by SLACK, because the kernel reads its clock for each reader; in
each file the packet's time must be the one in the header.

pcapsame.py --fields THEIRS OURS: the same, and compares what tshark shows of each event. The fields
in BASE must be the same, and those in CLASS where tshark has them in THEIRS: it may know more of
the class in OURS, which has the descriptors of devices that were plugged in before.

pcapsame.py --addresses FILE: prints BUS:DEV of its events, each once, in the order of appearance.
"""
import collections
import struct
import subprocess
import sys

# ns: on a busy machine an emulated CPU may wait for long between the two readings.
SLACK = 2 * 10**9

# Without times and numbers of frames, which may differ.
BASE = """frame.len frame.cap_len usb.urb_id usb.urb_type usb.transfer_type usb.bus_id
usb.device_address usb.endpoint_address usb.src usb.dst usb.setup_flag usb.data_flag
usb.urb_status usb.urb_len
usb.data_len usb.bmRequestType usb.setup.bRequest usb.setup.wValue usb.setup.wIndex
usb.setup.wLength usb.DescriptorIndex usb.bDescriptorType usb.idVendor usb.idProduct
usb.bcdDevice usb.bNumEndpoints usb.wMaxPacketSize usb.bEndpointAddress usb.interval
usb.start_frame usb.copy_of_transfer_flags usb.iso.error_count usb.iso.numdesc
usb.iso.iso_status usb.iso.iso_off usb.iso.iso_len""".split()
CLASS = """usb.bInterfaceClass usbms.dCBWSignature usbms.dCBWTag usbms.dCBWDataTransferLength
usbms.dCSWDataResidue usbms.dCSWStatus scsi_sbc.opcode scsi.spc.opcode scsi_sbc.rdwr10.lba
scsi_sbc.rdwr10.xferlen scsi.inquiry.vendor_id usbhid.data usbhid.setup.bRequest
usbhub.setup.Port usbhub.status.port.power usb.capdata""".split()


def pcap(data):
    magic = struct.unpack_from("<I", data)[0]
    unit = {0xA1B2C3D4: 1000, 0xA1B23C4D: 1}[magic]
    if struct.unpack_from("<I", data, 20)[0] & 0xFFFF != 220:
        raise SystemExit("linktype is not 220")
    at = 24
    while at + 16 <= len(data):
        sec, sub, cap, length = struct.unpack_from("<IIII", data, at)
        yield sec * 10**9 + sub * unit, length, data[at + 16:at + 16 + cap]
        at += 16 + cap


def options(data, at, end):
    while at + 4 <= end:
        code, length = struct.unpack_from("<HH", data, at)
        if code == 0:
            return
        yield code, data[at + 4:at + 4 + length]
        at += 4 + (length + 3) // 4 * 4


def pcapng(data):
    at, interfaces = 0, []
    while at + 12 <= len(data):
        kind, total = struct.unpack_from("<II", data, at)
        if kind == 1:
            resolution = 10**3
            for code, value in options(data, at + 16, at + total - 4):
                if code == 9:
                    resolution = 10 ** (9 - value[0])
            interfaces.append((struct.unpack_from("<H", data, at + 8)[0], resolution))
        elif kind == 6:
            interface, high, low, cap, length = struct.unpack_from("<IIIII", data, at + 8)
            link, resolution = interfaces[interface]
            if link == 220:
                yield ((high << 32) + low) * resolution, length, data[at + 28:at + 28 + cap]
        at += total


def events(path):
    with open(path, "rb") as f:
        data = f.read()
    return list(pcapng(data) if data[:4] == b"\x0a\x0d\x0d\x0a" else pcap(data))


def show(event):
    time, length, data = event
    return f"{time} length {length}, {len(data)} bytes: {data[:96].hex(' ')}"


def without_time(event):
    _, length, data = event
    return length, data[:16], data[28:]


def shown(path):
    """tshark's texts for each event, in the order of BASE and CLASS."""
    command = ["tshark", "-r", path, "-T", "fields"]
    for field in BASE + CLASS:
        command += ["-e", field]
    out = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                         text=True).stdout
    return [line.split("\t") for line in out.splitlines()]


def same_fields(theirs, ours, count, start):
    """Compares all fields of count events, which begin at start in ours; prints how many fields
    occurred."""
    theirs, ours = shown(theirs), shown(ours)[start:]
    seen = collections.Counter()
    for i in range(count):
        if len(theirs[i]) != len(BASE) + len(CLASS):
            raise SystemExit(f"event {i}: tshark shows {len(theirs[i])} fields")
        for name, a, b in zip(BASE + CLASS, theirs[i], ours[i]):
            # Data of an unknown class is usb.capdata; with a known class it is in the class's
            # fields.
            if a == b or name in CLASS and (a in ("", "0xff") or name == "usb.capdata" and not b):
                seen.update([name] if a else [])
                continue
            raise SystemExit(f"event {i}: {name} is {a[:200]!r} in theirs, {b[:200]!r} in ours")
    return seen


def main():
    fields = sys.argv[1] == "--fields"
    if fields:
        del sys.argv[1]
    if sys.argv[1] == "--addresses":
        seen = dict.fromkeys(struct.unpack_from("<BH", data, 11)
                             for _, _, data in events(sys.argv[2]))
        print("\n".join(f"{bus}:{dev}" for dev, bus in seen))
        return
    theirs, ours = events(sys.argv[1]), events(sys.argv[2])
    if not theirs:
        raise SystemExit(f"{sys.argv[1]} is empty")
    for path, all_events in (sys.argv[1], theirs), (sys.argv[2], ours):
        for time, _, data in all_events:
            sec, usec = struct.unpack_from("<qi", data, 16)
            if sec * 10**9 + usec * 1000 != time:
                raise SystemExit(f"{path}: packet time {time} is not the header's {sec}.{usec:06}")
    first = without_time(theirs[0])
    places = [i for i, event in enumerate(ours) if without_time(event) == first]
    if not places:
        raise SystemExit(f"their first event is not in ours:\n{show(theirs[0])}")
    start = min(places, key=lambda i: abs(ours[i][0] - theirs[0][0]))
    worst = 0
    for i, event in enumerate(theirs):
        if start + i >= len(ours):
            raise SystemExit(f"ours ends after {i} of {len(theirs)} common events")
        if without_time(ours[start + i]) != without_time(event):
            raise SystemExit(
                f"event {i} differs:\ntheirs {show(event)}\nours   {show(ours[start + i])}")
        worst = max(worst, abs(ours[start + i][0] - event[0]))
    if worst > SLACK:
        raise SystemExit(f"the times of an event differ by {worst / 1e6:.1f} ms")
    print(
        f"{len(theirs)} events are the same ({start} before, {len(ours) - start - len(theirs)} "
        f"after, "
          f"clocks within {worst / 1e6:.3f} ms)")
    if fields:
        seen = same_fields(sys.argv[1], sys.argv[2], len(theirs), start)
        print(f"{sum(seen.values())} fields of {len(seen)} kinds")
        print(" ".join(f"{name}={n}" for name, n in seen.items() if n))


main()
