#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""decodesame.py FILE: compares the output of trawl-decode with that of tshark for every event of
this capture: all fields of the header, the setup packet and isochronous packets that both
have, and for storage the tags, commands, addresses, lengths and statuses. Prints how many of
each were compared."""
import collections
import json
import subprocess
import sys
import tempfile

XFER = {"0x00": "iso", "0x01": "interrupt", "0x02": "control", "0x03": "bulk"}


def number(text):
    return int(text, 0)


def numbers(text):
    return [number(n) for n in text.split(",") if n]


# Rows: tshark's field, the function that reads its text, the function that gets our value.
EVENT = [
    ("usb.urb_id", lambda t: int(t, 16), lambda f: f["id"]),
    ("usb.urb_type", lambda t: t.strip("'"), lambda f: f["type"]),
    ("usb.transfer_type", XFER.get, lambda f: f["xfer"]),
    ("usb.bus_id", number, lambda f: f["bus"]),
    # SET_ADDRESS has a second value, the new address.
    ("usb.device_address", lambda t: numbers(t)[0], lambda f: f["dev"]),
    ("usb.endpoint_address", number, lambda f: f["ep"] | (0x80 if f["dir"] == "in" else 0)),
    ("usb.urb_status", number, lambda f: f["status"]),
    ("usb.urb_len", number, lambda f: f["length"]),
    ("usb.data_len", number, lambda f: f["captured"]),
    ("usb.copy_of_transfer_flags", number, lambda f: f["flags"]),
    ("usb.interval", number, lambda f: f.get("interval", 0)),
    ("usb.start_frame", number, lambda f: f.get("start_frame", 0)),
    ("usb.iso.error_count", number, lambda f: f["error_count"]),
    # The header has it twice: the number of packets, and the number of descriptors that follow.
    ("usb.iso.numdesc", lambda t: numbers(t)[0], lambda f: f.get("packet_count", 0)),
    ("usb.iso.iso_status", numbers, lambda f: [p["status"] for p in f["packets"]]),
    ("usb.iso.iso_off", numbers, lambda f: [p["offset"] for p in f["packets"]]),
    ("usb.iso.iso_len", numbers, lambda f: [p["length"] for p in f["packets"]]),
    ("usb.bmRequestType", number, lambda f: f["setup"]["bmRequestType"]),
    ("usb.setup.wValue", number, lambda f: f["setup"]["wValue"]),
    *((kind + ".setup." + name, number, lambda f, name=name: f["setup"][name])
      for kind in ("usb", "usbhub", "usbhid", "usbms") for name in ("bRequest", "wLength")),
]
STORAGE = [
    ("usbms.dCBWTag", number, ("command", "status"), lambda s: s["tag"]),
    ("usbms.dCSWStatus", number, ("status",), lambda s: s["status"]),
    ("usbms.dCSWDataResidue", number, ("status",), lambda s: s["residue"]),
    ("scsi_sbc.rdwr10.lba", number, ("command",), lambda s: s["scsi"]["lba"]),
    ("scsi_sbc.rdwr10.xferlen", number, ("command",), lambda s: s["scsi"]["blocks"]),
]


def output(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          text=True).stdout.splitlines()


def ours(path, *options):
    return [json.loads(line)["fields"] for line in output("trawl-decode", "--json", *options, path)]


def theirs(path):
    names = [row[0] for row in EVENT + STORAGE]
    with tempfile.NamedTemporaryFile(suffix=".pcapng") as f:
        output("trawl-export", "--to", "pcapng", "--source", "usb", path, "-w", f.name)
        # Packets with a comment are not from the capture: the export added them.
        command = ["tshark", "-r", f.name, "-Y", "!frame.comment", "-T", "fields", "-E",
                   "separator=|", "-E",
                   "occurrence=a", "-E", "aggregator=,"]
        for name in names:
            command += ["-e", name]
        return [dict(zip(names, line.split("|"))) for line in output(*command)]


def main():
    path = sys.argv[1]
    rows, events = theirs(path), ours(path, "--raw")
    if not rows or len(rows) != len(events):
        raise SystemExit(f"tshark has {len(rows)} events, trawl-decode {len(events)}")
    seen = collections.Counter()
    for i, (row, event) in enumerate(zip(rows, events)):
        for name, read, find in EVENT:
            if row[name] and read(row[name]) != find(event):
                raise SystemExit(
                    f"event {i + 1}: {name} is {row[name]}, for trawl-decode {find(event)}: "
                    f"{event}")
            seen[name] += bool(row[name])
    steps = [f["decoded"]["storage"] for f in ours(path)
             if f["decoded"].get("storage", {}).get("transport") == "bulk-only"]
    for name, read, phases, find in STORAGE:
        want = [read(row[name]) for row in rows if row[name]]
        have = [find(s) for s in steps if s["phase"] in phases and
                ("rdwr10" not in name or s["scsi"].get("command") in ("READ(10)", "WRITE(10)"))]
        if want != have:
            raise SystemExit(f"{name}: {want} by tshark, {have} by trawl-decode")
        seen[name] += len(want)
    print(f"{sum(seen.values())} fields of {len(rows)} events:")
    print(" ".join(f"{name}={n}" for name, n in seen.items() if n))


main()
