# SPDX-License-Identifier: MIT
"""What is printed of transfers of every class of device, and of thousands of variants of them
(tests/decode/usb/sweep.py), is what tests/printed/usb has of it."""
import functools
import os
import subprocess
import sys
import tempfile

SRC, BUILD = os.environ["TRAWL_SRC"], os.environ["TRAWL_BUILD"]
sys.path[:0] = [SRC + "/tests", SRC + "/tests/printed", SRC + "/tests/decode/usb"]
sys.dont_write_bytecode = True
import bluetooth  # noqa: E402
import cameras  # noqa: E402
import codes  # noqa: E402
import discs  # noqa: E402
import gadgets  # noqa: E402
import modem  # noqa: E402
import parts  # noqa: E402
import usbsynth  # noqa: E402
from printed import Printed  # noqa: E402
from sweep import sweep  # noqa: E402
from tap import finish  # noqa: E402
from usbsynth import pcap  # noqa: E402

VARIANTS = 2000

SWEPT = {
    "bluetooth": bluetooth.bluetooth, "channels": bluetooth.channels, "frames": bluetooth.odd,
    "camera": cameras.camera, "pictures": cameras.pictures, "ptp": cameras.ptp,
    "vision": cameras.industrial_camera, "optical": discs.optical, "disk": discs.disk,
    "drive": discs.drive, "modem": modem.modem, "odd-modem": modem.odd, "eem": modem.eem,
    "keys": codes.keys, "card": codes.card, "card-reader": gadgets.card_reader,
    "uvc": gadgets.requests, "mixer": gadgets.mixer, "mixer-2": parts.mixer_2,
    "midi": gadgets.synthesizer, "dfu": gadgets.loader, "colorimeter": gadgets.colorimeter,
    "converter": gadgets.converter, "mpsse": gadgets.serial_engine, "ipp": gadgets.ipp_printer,
    "printer": gadgets.printer, "halves": gadgets.serial_halves, "hub": parts.hub,
    "pedal": parts.pedal, "cut": parts.cut_messages, "cpu-bus": parts.cpu_bus,
    "sound": parts.described_sound,
    **{part.__name__ + "-1": functools.partial(codes.of, part) for part in (
        usbsynth.hub, usbsynth.storage, usbsynth.keyboard, usbsynth.tablet, usbsynth.serial,
        usbsynth.ftdi, usbsynth.uas, usbsynth.odd, usbsynth.headset)},
}
PLAIN = {
    **{make.__name__: make for make in (
        codes.requests, codes.descriptors, codes.languages, codes.bos, codes.reports, codes.usages,
        codes.ends, codes.inquiries, codes.senses, codes.hci, codes.links, codes.containers,
        codes.mobile, codes.remote_ndis, usbsynth.everything)},
    **{f"commands-{kind}": functools.partial(codes.commands, kind) for kind in (0, 1, 5)},
    **{f"modes-{kind}": functools.partial(codes.modes, kind) for kind in (0, 5)},
    **{part.__name__: functools.partial(codes.configured, part) for part in (
        usbsynth.webcam, usbsynth.headset, usbsynth.serial, usbsynth.uas)},
    **{f"functions-{bits:x}": functools.partial(codes.configuration, gadgets.functions(bits))
       for bits in (0x555555, 0xaaaaaa)},
}
FORMS = {"text": (), "json": ("--json",), "raw": ("--raw",), "summary": ("--summary",),
         "protocol": ("--protocol",)}


def decoded(d, p, name, *args):
    """Takes what a command line prints in a folder with captures."""
    r = subprocess.run([BUILD + "/trawl-decode", *args], cwd=d, capture_output=True,
                       env={**os.environ, "TZ": "UTC"})
    p.take(name, b"%d\n" % r.returncode + r.stderr + r.stdout)


def main():
    p = Printed("usb")
    with tempfile.TemporaryDirectory() as d:
        def write(name, records):
            with open(f"{d}/{name}.pcap", "wb") as f:
                f.write(pcap(records))

        for name, make in {**SWEPT, **PLAIN}.items():
            records = make().records
            write("some", sweep(records, VARIANTS) if name in SWEPT else records)
            write("few", records)
            for file, form in (("some", "text"), ("some", "json"), ("few", "raw"),
                               ("few", "summary"), ("few", "protocol")):
                decoded(d, p, f"{name}.{form}", *FORMS[form], file + ".pcap")
            if name not in SWEPT:
                continue
            for seed in 1, 2:
                write(f"few{seed}", sweep(records, 30, seed))
            for form in "text", "json":
                decoded(d, p, f"{name}.diff.{form}", *FORMS[form], "--diff", "few1.pcap",
                        "few2.pcap")
            decoded(d, p, name + ".protocol.json", "--protocol", "--json", "few1.pcap", "few2.pcap")
    p.close()
    return finish()


sys.exit(main())
