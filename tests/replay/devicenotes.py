# SPDX-License-Identifier: MIT
"""What trawl-replay device says of captures that lack something, and of hosts that do not take the
device."""
import os
import struct
import sys
import tempfile
import time

SRC = os.environ["TRAWL_SRC"]
sys.path[:0] = [SRC + "/tests", SRC + "/tests/decode/usb", SRC + "/tests/replay"]
sys.dont_write_bytecode = True
import usbsynth  # noqa: E402
from tap import finish, ok  # noqa: E402
from usbipclient import BULK, Replay, events  # noqa: E402

GET_DEVICE = b"\x80\x06\0\1\0\0\x12\0"
GET_CONFIG = b"\x80\x06\0\2\0\0\xff\0"
SET_CONFIGURATION = bytes([0, 9, 1, 0, 0, 0, 0, 0])
STRINGS = b"\x80\x06\x00\x03\x00\x00\xff\x00"  # GET_DESCRIPTOR string 0


def save(d, name, fill):
    c = usbsynth.Capture()
    fill(c)
    path = f"{d}/{name}.pcap"
    with open(path, "wb") as f:
        f.write(usbsynth.pcap(c.records))
    return path


def replayed(path, play, *args):
    """The end of a replay with a host that does play(host): its result, status, output, messages."""
    r = Replay(path, "--speed", "0", "--linger", "2s", "--timeout", "5s", *args)
    try:
        h = r.host()
        got = h.attach() and play(h)
        out = r.end()
        h.close()
        return got, *out
    finally:
        if r.p.poll() is None:
            r.p.kill()


def plug(c, device, interface=(0xff, 0, 0)):
    c.get_descriptor(1, device, 5)
    c.get_descriptor(2, usbsynth.config(usbsynth.interface(0, *interface, 2),
                                        usbsynth.endpoint(0x81, 2, 64),
                                        usbsynth.endpoint(0x02, 2, 64)), 5)
    c.control(SET_CONFIGURATION, dev=5)


def test_configurations(d):
    def two(c):
        plug(c, usbsynth.device(0x1234, 1)[:17] + b"\2")
        c.transfer(BULK, 0x02, out=b"hello", dev=5)
    path = save(d, "two", two)

    def play(h):
        device, _ = h.enumerate()
        h.wait(h.submit(0x02, 0, 5, data=b"hello"))
        return device
    device, status, out, err = replayed(path, play)
    ok(device[17] == 1, "a configuration that the capture lacks is not promised to the host", device)
    ok(status == 0 and "has 1 of the device's 2 configurations" in err, "and mentioned", out, err)


def test_configuration_zero(d):
    """Some devices number their only configuration 0 (smart card readers of Broadcom)."""
    config = usbsynth.config(usbsynth.interface(0, 0xff, 0, 0, 1), usbsynth.endpoint(0x81, 2, 64))

    def zero(c):
        c.get_descriptor(1, usbsynth.device(0x1234, 1), 5)
        c.get_descriptor(2, config[:5] + b"\0" + config[6:], 5)
        c.control(bytes([0, 9, 0, 0, 0, 0, 0, 0]), dev=5)
    path = save(d, "zero", zero)
    _, status, out, _ = replayed(path, lambda h: h.enumerate())
    ok(status == 0, "a host that sets configuration 0 of a device that has one has configured it",
       out)
    _, status, out, _ = replayed(path, lambda h: h.control(STRINGS))
    ok(status == 1 and "did not configure the device" in out, "one that sets none has not", out)


def test_analyser(d):
    """Packets of the bus, as an analyser records them."""
    with open(d + "/bus.pcap", "wb") as f:
        f.write(struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 288) +
                struct.pack("<IIII", 1700000000, 0, 3, 3) + b"\x2d\0\x10")
    r = Replay(d + "/bus.pcap")
    status, _, err = r.end()
    ok(status == 2 and "packets of the bus, which are not joined into transfers; capture what" in err,
       "a capture of an analyser is refused with the reason", status, err)


def test_hub(d):
    path = save(d, "hub", lambda c: plug(c, usbsynth.device(0x1234, 1, 9), (9, 0, 0)))
    status, _, err = Replay(path, "--device", "1:5").end()
    ok(status == 3 and "it is a hub" in err, "a hub is refused", status, err)


def test_nothing(d):
    path = save(d, "nothing", lambda c: plug(c, usbsynth.device(0x1234, 1)))
    _, status, out, err = replayed(path, lambda h: h.enumerate())
    ok(status == 0 and out.startswith("same: 0 ") and "only that a host configures" in err,
       "a capture of nothing but an enumeration", status, out, err)
    _, status, out, err = replayed(path, lambda h: h.control(STRINGS))
    ok(status == 1 and "did not configure the device" in out,
       "a host that does not configure the device is a difference", status, out, err)

    def slow(h):  # takes longer than the device would linger, but asks more often
        for _ in range(25):
            h.control(STRINGS)
            time.sleep(0.1)
        return h.enumerate()
    _, status, out, err = replayed(path, slow, "--linger", "2s")
    ok(status == 0, "the device stays plugged in while the host enumerates it", status, out, err)


def test_names(d):
    def bluetooth(c):
        plug(c, usbsynth.device(0x1234, 1, 0xe0, 1, 1), (0xe0, 1, 1))
        c.control(bytes([0x20, 0, 0, 0, 0, 0, 3, 0]), b"\x03\x0c\0", dev=5)
    _, _, out, _ = replayed(save(d, "bluetooth", bluetooth), lambda h: h.enumerate())
    ok("HCI_COMMAND" in out, "a class's request to a device that is no hub", out)

    def disk(c):
        plug(c, usbsynth.device(0x46f4, 1), (8, 6, 0x50))
        c.transfer(BULK, 0x02, out=b"USBC" + bytes([1, 0, 0, 0, 36, 0, 0, 0, 0x80, 0, 6, 0x12, 0, 0,
                                                    0, 36]) + bytes(11), dev=5)
    _, _, out, _ = replayed(save(d, "disk", disk), lambda h: h.enumerate())
    ok("(ep2 OUT bulk, INQUIRY" in out, "a disk's command by its name", out)


def pcap_control(irp, setup, answer=b""):
    """A request as USBPcap writes it."""
    ep = setup[0] & 0x80
    return [usbsynth.usbpcap(irp, 0, ep, 2, setup, stage=0, function=11),
            usbsynth.usbpcap(irp, 1, ep, 2, answer, stage=3, function=8)]


def save_usbpcap(path, records):
    with open(path, "wb") as f:
        f.write(usbsynth.usbpcap_file(records))
    return path


def test_inserted(d):
    """USBPcap begins with what a device that was there before would have been asked."""
    config = usbsynth.config(usbsynth.interface(0, 0xff, 0, 0, 2), usbsynth.endpoint(0x81, 2, 64),
                             usbsynth.endpoint(0x02, 2, 64))
    path = save_usbpcap(d + "/inserted.pcap",
                        pcap_control(0, GET_DEVICE, usbsynth.device(0x1234, 1)) +
                        pcap_control(0, GET_CONFIG, config) + pcap_control(0, SET_CONFIGURATION) +
                        [usbsynth.usbpcap(0x700, 0, 0x02, 3, b"hello"),
                         usbsynth.usbpcap(0x700, 1, 0x02, 3, b"")])

    def play(h):
        h.enumerate()
        h.control(b"\xc0\x11\0\0\0\0\2\0")  # a driver that starts
        return h.wait(h.submit(0x02, 0, 5, data=b"hello"))
    _, status, out, err = replayed(path, play)
    ok(status == 0 and "1 came before" in out,
       "what a driver asks first of a device that was there before is no difference", out, err)


def hid(number, report):
    return (usbsynth.interface(number, 3, 0, 0, 1) +
            bytes([9, 0x21, 0x11, 1, 0, 1, 0x22, len(report), 0]) +
            usbsynth.endpoint(0x81 + number, 3, 8, 10))


def test_report_owner(d):
    """USBPcap before 1.4.1 writes interface 0, whose report descriptor it ever is."""
    pen, keys = usbsynth.TABLET_REPORT, usbsynth.KEYBOARD_REPORT
    config = usbsynth.config(hid(0, pen), hid(1, keys), interfaces=2)

    def ask(number, length):
        return b"\x81\x06\0\x22" + bytes([number, 0, length, 0])
    path = save_usbpcap(d + "/owner.pcap",
                        pcap_control(0x700, GET_DEVICE, usbsynth.device(0x1234, 1)) +
                        pcap_control(0x700, GET_CONFIG, config) +
                        pcap_control(0x700, SET_CONFIGURATION) +
                        pcap_control(0x700, ask(0, 64 + len(keys)), keys))

    def play(h):
        h.enumerate()
        return [h.control(ask(i, 255)) for i in range(2)]
    got, _, _, err = replayed(path, play)
    ok(got[0][0] == -32 and got[1][:2] == (0, keys), "a report descriptor is its interface's", got)
    ok(f"has 0 of the {len(pen)} bytes of the report descriptor of interface 0" in err,
       "and the other one is missing", err)


def test_uas(d):
    def disk(c):
        c.get_descriptor(1, usbsynth.device(0x46f4, 1)[:7] + b"\x09" +
                         usbsynth.device(0x46f4, 1)[8:], 5)
        c.get_descriptor(2, usbsynth.config(
            usbsynth.interface(0, 8, 6, 0x50, 2), usbsynth.endpoint(0x81, 2, 1024),
            usbsynth.endpoint(0x02, 2, 1024), usbsynth.interface(0, 8, 6, 0x62, 4, 1),
            usbsynth.endpoint(0x81, 2, 1024), usbsynth.endpoint(0x02, 2, 1024),
            usbsynth.endpoint(0x83, 2, 1024), usbsynth.endpoint(0x04, 2, 1024)), 5)
        c.control(SET_CONFIGURATION, dev=5)
        c.transfer(BULK, 0x81, answer=bytes(36), dev=5)
    path = save(d, "uas", disk)
    tape = [e for e in events(path) if e.dev == 5]
    _, _, _, err = replayed(path, lambda h: (h.enumerate(), h.play(tape)))
    ok("streams do not exist in vhci_hcd" in err, "UAS at SuperSpeed is mentioned", err)


def main():
    with tempfile.TemporaryDirectory() as d:
        test_configurations(d)
        test_configuration_zero(d)
        test_analyser(d)
        test_hub(d)
        test_nothing(d)
        test_names(d)
        test_inserted(d)
        test_report_owner(d)
        test_uas(d)
    return finish()


sys.exit(main())
