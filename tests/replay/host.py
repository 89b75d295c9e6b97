# SPDX-License-Identifier: MIT
"""trawl-replay host: the recorded requests are sent by libusb, by the C program and by the Python
program to the device that umockdev plays from trawl-export --to umockdev."""
import io
import json
import os
import shutil
import struct
import subprocess
import sys
import tarfile
import tempfile

SRC, BUILD = os.environ["TRAWL_SRC"], os.environ["TRAWL_BUILD"]
sys.path[:0] = [SRC + "/tests", SRC + "/tests/decode/usb"]
sys.dont_write_bytecode = True
import usbsynth  # noqa: E402
from tap import finish, ok, same  # noqa: E402
from usbsynth import BULK, INTERRUPT  # noqa: E402

KEYBOARD = SRC + "/samples/usb-keyboard.trawl"
SERIAL = SRC + "/samples/usb-serial.trawl"
ENVIRONMENT = dict(os.environ, ASAN_OPTIONS="verify_asan_link_order=0:detect_leaks=0",
                   PYTHONDONTWRITEBYTECODE="1")


def run(*args, status=None):
    r = subprocess.run(args, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                       env=ENVIRONMENT, timeout=120)
    if status is not None and r.returncode != status:
        ok(False, f"{' '.join(args)[:200]} ends with {status}", r.returncode, r.stdout[-500:],
           r.stderr[-500:])
    return r


def replay(*args, **kw):
    return run(BUILD + "/trawl-replay", "host", *args, **kw)


def vendor(c, dev=5, change=False):
    """A vendor-specific device with requests, interrupts, a stall, a cancelled read and a failed
    submission. It has a second configuration, which nobody asked for."""
    c.get_descriptor(1, usbsynth.device(0x1234, 0x0002, 0xff)[:-1] + b"\2", dev)
    c.get_descriptor(2, usbsynth.config(usbsynth.interface(0, 0xff, 0, 0, 4),
                                        usbsynth.endpoint(0x81, 2, 64),
                                        usbsynth.endpoint(0x02, 2, 64),
                                        usbsynth.endpoint(0x83, 3, 8, 4),
                                        usbsynth.endpoint(0x04, 3, 8, 4)), dev)
    c.control(bytes([0x40, 1, 2, 0, 3, 0, 4, 0]), b"abcd", dev=dev)
    c.control(bytes([0xc0, 2, 0, 0, 0, 0, 8, 0]), b"answer", dev=dev)
    c.control(bytes([0xc0, 3, 0, 0, 0, 0, 8, 0]), status=-32, dev=dev)
    c.transfer(BULK, 0x02, out=bytes(range(200)), dev=dev)
    c.transfer(BULK, 0x81, answer=b"X" * 70 if change else b"x" * 70, asked=128, dev=dev)
    c.transfer(INTERRUPT, 0x04, out=b"12345678", dev=dev, interval=4)
    c.transfer(INTERRUPT, 0x83, answer=b"87654321", asked=8, dev=dev, interval=4)
    c.transfer(BULK, 0x81, status=-2, asked=64, dev=dev)
    id = c.next_id + 0x100
    c.record("S", BULK, 0x02, dev, status=-115, length=3, data=b"bad", id=id)
    c.record("E", BULK, 0x02, dev, status=-28, flag_data="E", id=id)
    c.transfer(BULK, 0x02, out=b"last", dev=dev)


PLACES = {"serial": "3", "vendor": "5"}
PLACE = """
import sys, usb.core
vendor, product = (int(x, 16) for x in sys.argv[1].split(":"))
d = usb.core.find(idVendor=vendor, idProduct=product)
p = d.parent
print(*d.port_numbers, f"{p.idVendor:04x}:{p.idProduct:04x}" if p else "no parent")
"""


class Mock:
    """A capture as umockdev plays it."""

    def __init__(self, folder, path):
        self.folder = tempfile.mkdtemp(dir=folder)
        tar = subprocess.run([BUILD + "/trawl-export", "--to", "umockdev", path],
                             stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
        with tarfile.open(fileobj=io.BytesIO(tar)) as t:
            self.names = t.getnames()
            t.extractall(self.folder)
        with open(self.folder + "/usb.umockdev") as f:
            self.devices = [x.split()[1] for x in f if x.startswith("P: ")]

    def run(self, *command):
        return run("umockdev-run", "-d", self.folder + "/usb.umockdev", "-p",
                   f"/sys{self.devices[0]}={self.folder}/usb.pcap", "--", *command)


def programs(folder, path, name):
    """Makes the C and the Python program of a session; returns the commands that run them."""
    with open(f"{folder}/{name}.c", "w") as f:
        f.write(replay("--to-c", path, status=0).stdout)
    with open(f"{folder}/{name}.py", "w") as f:
        f.write(replay("--to-python", path, status=0).stdout)
    r = run("cc", "-Wall", "-Wextra", "-Werror", "-o", f"{folder}/{name}", f"{folder}/{name}.c",
            "-lusb-1.0")
    ok(r.returncode == 0, f"the C program of {name} compiles without a warning", r.stderr)
    return [f"{folder}/{name}"], ["/usr/bin/python3", f"{folder}/{name}.py"]


def test_sessions(d):
    c = usbsynth.Capture()
    vendor(c)
    made = d + "/vendor.pcap"
    with open(made, "wb") as f:
        f.write(usbsynth.pcap(c.records))
    c = usbsynth.Capture()
    vendor(c, change=True)
    changed = d + "/changed.pcap"
    with open(changed, "wb") as f:
        f.write(usbsynth.pcap(c.records))
    for path, name, device, n in ((SERIAL, "serial", "0403:6001", 25),
                                  (made, "vendor", "1234:0002", 8)):
        mock = Mock(d, path)
        same(["usb.umockdev", "usb.pcap"], mock.names,
             f"--to umockdev: description and transfers of {name}")
        ok(device in mock.run("lsusb").stdout, "lsusb finds the device", mock.run("lsusb").stderr)
        r = mock.run("/usr/bin/python3", "-c", PLACE, device)
        same((0, f"{PLACES[name]} 1d6b:0002\n"), (r.returncode, r.stdout),
             "libusb finds its place and the root hub")
        for command, what in zip(programs(d, path, name), ("C", "Python")):
            r = mock.run(*command)
            ok(r.returncode == 0 and f"{n} transfers as recorded, 0 otherwise" in r.stdout,
               f"the {what} program of {name} does the session again", r.stdout, r.stderr[-600:])
        r = mock.run(BUILD + "/trawl-replay", "host", "--really", "--speed", "0", "--device",
                     device, path)
        ok(r.returncode == 0 and f"same: {n} recorded transfers" in r.stdout,
           f"so does --really with {name}", r.stdout,
           r.stderr[-600:])
    mock = Mock(d, KEYBOARD)
    same((["/devices/usb1/1-132", "/devices/usb1"], "132 1d6b:0002\n"),
         (mock.devices, mock.run("/usr/bin/python3", "-c", PLACE, "0627:0001").stdout),
         "a device behind a hub that was not captured is at the root hub")
    mock = Mock(d, changed)
    for command, what in zip(programs(d, made, "vendor"), ("C", "Python")):
        r = mock.run(*command)
        ok(r.returncode == 1 and "first difference: transfer 7: " in r.stdout,
           f"the {what} program tells where another device's answer differs", r.stdout,
           r.stderr[-600:])
    r = mock.run(BUILD + "/trawl-replay", "host", "--really", "--speed", "0", "--device",
                 "1234:0002", made)
    ok(r.returncode == 1 and "byte 0 is 0x58, was 0x78" in r.stdout, "so does --really", r.stdout,
       r.stderr[-600:])
    r = mock.run(BUILD + "/trawl-replay", "host", "--really", "--any-data", "--speed", "0",
                 "--device", "1234:0002", made)
    ok(r.returncode == 0, "with --any-data that is none", r.stdout, r.stderr[-600:])


def test_absent(d):
    """Without the device, the programs end as trawl-replay does: not as if an answer differed."""
    for command, what in zip(programs(d, SERIAL, "absent"), ("C", "Python")):
        r = run(*command)
        ok(r.returncode == 3 and len(r.stderr.splitlines()) == 1,
           f"the {what} program without its device: status 3", r.returncode, r.stderr)


def test_devices(d):
    """If two devices fit the capture, the replay refuses to choose."""
    mock = Mock(d, SERIAL)
    with open(mock.folder + "/usb.umockdev") as f:
        text = f.read()
    device = text[:text.index("P: ", 1)]  # without the root hub, which is there once
    second = device.replace("/usb1/1-3", "/usb1/1-4").replace("001/003", "001/004").replace(
        "DEVNUM=003", "DEVNUM=004").replace("MINOR=2", "MINOR=3").replace("devnum=3", "devnum=4")
    really = BUILD + "/trawl-replay", "host", "--really", "--speed", "0", "--device", "0403:6001"
    with open(mock.folder + "/usb.umockdev", "w") as f:
        f.write(second + text)
    r = mock.run(*really, SERIAL)
    ok(r.returncode == 3 and "0403:6001: is plugged in 2 times; unplug" in r.stderr,
       "of two devices none is written to", r.stdout, r.stderr[-600:])
    with open(mock.folder + "/usb.umockdev", "w") as f:
        f.write(text.replace("03040160", "03040260"))
    r = mock.run(*really, SERIAL)
    ok(r.returncode == 3 and "0403:6001: is not plugged in; plug it in" in r.stderr,
       "a device that is not there", r.stdout, r.stderr[-600:])


def test_packets(d):
    mock = Mock(d, SERIAL)
    with open(mock.folder + "/usb.pcap", "rb") as f:
        raw = f.read()
    at, kinds = 24, []
    while at < len(raw):
        n = struct.unpack("<I", raw[at + 8:at + 12])[0]
        kinds.append(raw[at + 24:at + 25])
        at += 16 + n
    ok(b"E" not in kinds and len(kinds) == 50, "what was cancelled is not in it", len(kinds))


def test_owner(d):
    """A transfer that was never completed belongs to the device that had the address when it was
    submitted, also if another one has the address when its URB is used again."""
    c = usbsynth.Capture()
    vendor(c)
    c.record("S", BULK, 0x02, 5, status=-115, length=5, data=b"first", id=1)
    c.get_descriptor(1, usbsynth.device(0x1234, 0x0003, 0xff))
    c.get_descriptor(2, usbsynth.config(usbsynth.interface(0, 0xff, 0, 0, 1),
                                        usbsynth.endpoint(0x02, 2, 64)))
    c.record("S", BULK, 0x02, 5, status=-115, length=6, data=b"second", id=1)
    c.record("C", BULK, 0x02, 5, length=6, id=1)
    with open(d + "/owner.pcap", "wb") as f:
        f.write(usbsynth.pcap(c.records))
    got = [[x in replay("--device", ids, d + "/owner.pcap", status=0).stdout
            for x in (b"first".hex(" "), b"second".hex(" "))] for ids in ("1234:0002", "1234:0003")]
    same([[True, False], [False, True]], got, "an unanswered transfer is in the tape of its device")


def test_names(d):
    """A device's names have control characters and backslashes: programs read all of them."""
    product = "two\nlines\ta \\n of two \x07\x7f ü"
    c = usbsynth.Capture()
    vendor(c)
    with open(d + "/names.records", "wb") as f:
        f.write(b"".join(struct.pack("<I", len(x)) + x for x in c.records))
    with open(d + "/names.json", "w") as f:
        json.dump({"path": "1-1", "busnum": 1, "devnum": 5, "product": product,
                   "descriptors": usbsynth.device(0x1234, 0x0002, 0xff).hex()}, f)
    run(BUILD + "/tests/decode/usb/make-usb", d + "/names.trawl", d + "/names.records",
        "usb/1-1=" + d + "/names.json", status=0)
    mock = Mock(d, d + "/names.trawl")
    same(product + "\n", mock.run("cat", f"/sys{mock.devices[0]}/product").stdout,
         "a name with newlines and other control characters is what sysfs had")


def test_functions(d):
    """The C program of a session with one kind of transfer has no function that nothing calls."""
    for name, more in (("none", lambda c: None),
                       ("ask", lambda c: c.control(bytes([0xc0, 1, 0, 0, 0, 0, 1, 0]), b"x")),
                       ("tell", lambda c: c.control(bytes([0x40, 1, 0, 0, 0, 0, 0, 0]))),
                       ("send", lambda c: c.transfer(INTERRUPT, 0x02, out=b"x")),
                       ("receive", lambda c: c.transfer(INTERRUPT, 0x81, answer=b"x"))):
        c = usbsynth.Capture()
        c.get_descriptor(1, usbsynth.device(0x1234, 0x0003, 0xff))
        more(c)
        with open(f"{d}/{name}.pcap", "wb") as f:
            f.write(usbsynth.pcap(c.records))
        with open(f"{d}/{name}.c", "w") as f:
            f.write(replay("--to-c", f"{d}/{name}.pcap").stdout)
        r = run("cc", "-Wall", "-Wextra", "-Werror", "-c", "-o", f"{d}/{name}.o", f"{d}/{name}.c")
        ok(r.returncode == 0, f"a program that calls {name} compiles without a warning", r.stderr)


def refused(name, status, text, *args):
    r = replay(*args)
    ok(r.returncode == status and text in r.stderr and len(r.stderr.splitlines()) == 1, name,
       r.returncode, r.stderr)


def test_errors(d):
    listed = replay(SERIAL, status=0).stdout.splitlines()
    ok(len(listed) == 25 and listed[0].startswith("write"),
       "without --really it only lists what it would do", listed[:2], listed[-1:])
    refused("--really without a device", 2, "name the device", "--really", SERIAL)
    refused("two ways at once", 2, "cannot be combined", "--really", "--to-c", "--device", "0403:6001",
            SERIAL)
    refused("another device than the capture's", 2, "no device is called so", "--really",
            "--device", "0403:6002", SERIAL)
    r = replay("--really", "--device", "0403:6001", SERIAL)
    ok(r.returncode == 3 and len(r.stderr.splitlines()) == 1, "a device that is not there",
       r.returncode, r.stderr)
    c = usbsynth.Capture()
    c.transfer(INTERRUPT, 0x81, answer=bytes(8), dev=6)
    with open(d + "/bare.pcap", "wb") as f:
        f.write(usbsynth.pcap(c.records))
    for how in ("--to-c", "--to-python"):
        refused(f"{how}: a device without descriptors", 3, "begin the capture before", how,
                d + "/bare.pcap")
    same("read    ep1 IN interrupt, 8 bytes\n",
         replay(d + "/bare.pcap", status=0).stdout, "its requests can be listed")
    c = usbsynth.Capture()
    usbsynth.keyboard(c)
    whole = usbsynth.pcap(c.records)
    with open(d + "/cut.pcap", "wb") as f:
        f.write(whole[:-5])
    refused("a pcap file that is cut: what is there, and that it is not all", 1,
            "is damaged after byte", "--to-c", d + "/cut.pcap")
    with open(d + "/mixed.pcapng", "wb") as f:
        f.write(usbsynth.pcapng(c.records) +
                usbsynth.block("<", 1, struct.pack("<HHI", 1, 0, 0)) +
                usbsynth.block("<", 6, struct.pack("<IIIII60x", 1, 0, 0, 60, 60)))
    r = replay("--to-c", d + "/mixed.pcapng")
    ok(r.returncode == 0 and not r.stderr,
       "packets of a network beside the USB are nothing of the device's", r.returncode, r.stderr)
    with open(d + "/old.pcap", "wb") as f:
        f.write(whole[:20] + struct.pack("<I", 186) + whole[24:])
    refused("one without USB: what it holds instead", 3, "of link type 186", d + "/old.pcap")
    r = run(BUILD + "/trawl-export", "--to", "umockdev", d + "/bare.pcap")
    ok(r.returncode == 3 and
       "the file has no descriptors of a USB device" in r.stderr,
       "--to umockdev, likewise", r.stderr)


def main():
    for program in ("umockdev-run", "lsusb", "cc"):
        if not shutil.which(program):
            print(f"1..0 # SKIP {program} is missing")
            return 0
    with tempfile.TemporaryDirectory() as d:
        test_sessions(d)
        test_absent(d)
        test_devices(d)
        test_packets(d)
        test_owner(d)
        test_names(d)
        test_functions(d)
        test_errors(d)
    return finish()


sys.exit(main())
