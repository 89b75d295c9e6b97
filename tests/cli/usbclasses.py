# SPDX-License-Identifier: MIT
"""Classes of USB devices, compared with tshark's dissectors where it has them."""
import functools
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

SRC, BUILD = os.environ["TRAWL_SRC"], os.environ["TRAWL_BUILD"]
sys.path[:0] = [SRC + "/tests", SRC + "/tests/decode/usb", SRC + "/tests/captures"]
sys.dont_write_bytecode = True
import classes  # noqa: E402
from tap import finish, ok, same, skip  # noqa: E402
from bluetooth import ODD as ODD_CHANNELS, bluetooth, channels, odd as odd_channels  # noqa: E402
from cameras import camera, industrial_camera, pictures, ptp  # noqa: E402
from discs import disk, drive, optical  # noqa: E402
from gadgets import (card, card_reader, colorimeter, converter, described_bits,  # noqa: E402
                     ipp_printer, loader, mixer, pairing, printer, requests, serial_engine,
                     serial_halves, synthesizer)
from members import leaves, mistyped  # noqa: E402
from modem import eem, modem, odd as odd_modem  # noqa: E402
from parts import (cpu_bus, cut_messages, described, described_sound, hub,  # noqa: E402
                   mixer_2, pedal)
from usbsynth import (BULK, INTERRUPT, Capture, at, config, device,  # noqa: E402
                      endpoint, interface, pcap, serial, webcam)


def run(program, *args, **kw):
    return subprocess.run([shutil.which(program) if program == "tshark" else BUILD + "/" + program,
                           *args],
                          stdin=subprocess.DEVNULL, capture_output=True, **kw)


def conditions(item, index):
    """Conditions for --where that find an item by each of its members, with list indices or
    without."""
    found = []
    for where, value in leaves(item.get("decoded", {}), "decoded"):
        if isinstance(value, str) and ("\\" in value or '"' in value or not value.isprintable() or
                                       "\ufffd" in value):
            continue
        where = where if index else re.sub(r"\[\d+\]", "", where)
        found.append("%s == %s" % (where, '"%s"' % value if isinstance(value, str) else int(value)))
    return found


@functools.lru_cache
def tshark_fields():
    return frozenset(line.split("\t")[2]
                     for line in run("tshark", "-G", "fields", text=True).stdout.splitlines()
                     if line.startswith("F\t"))


def check(d, name, c, wanted, least=0):
    """Each text of `wanted` is in some line, tshark has the same fields, --where takes every
    name."""
    path, trawl = d + "/c.pcap", d + "/c.trawl"
    open(path, "wb").write(pcap(c.records))
    run("trawl-edit", "import", path, "-w", trawl)
    lines = run("trawl-decode", path, text=True).stdout
    for text in wanted:
        ok(text in lines, "%s: %s" % (name, text), lines)
    items = [json.loads(line)["fields"]
             for line in run("trawl-decode", "--json", path).stdout.splitlines()]
    # An item must be found by all its members together, first with their indices in lists, then
    # without, where one element suffices. Each condition is asked only once, so that few runs do.
    for index, what in ((True, "finds each member by its name"), (False, "in a list, too")):
        asked, wrong = set(), []
        for item in items:
            new = [w for w in dict.fromkeys(conditions(item, index)) if w not in asked]
            asked |= set(new)
            for at in range(0, len(new), 60):
                r = run("trawl-decode", "--json", "--where", " and ".join(new[at:at + 60]), path)
                found = [json.loads(line)["fields"] for line in r.stdout.splitlines()]
                if r.returncode or r.stderr or item not in found:
                    wrong.append((new[at:at + 60], r.stderr))
        ok(asked and not wrong or not any("decoded" in i for i in items),
           "%s: --where %s" % (name, what), wrong[:5])
    for where, value in mistyped(items):
        r = run("trawl-decode", "--where", where, path, text=True)
        ok(r.returncode == 2 and "did you mean" in r.stderr and value in r.stderr,
           "%s: %s is refused" % (name, where), r.stderr)
    if not shutil.which("tshark"):
        skip(name + " in tshark", "tshark, the judge, is not installed")
        return items
    differ, equal = classes.compare([path], trawl, run, tshark_fields())
    ok(not differ and equal >= least, "%s: %d fields of tshark" % (name, equal), differ, least)
    return items


def secrets(d, name, interface_, endpoints, talk):
    """Secrets are in no form of output, are said to be masked, and are shown when asked for."""
    c = described(interface_, *endpoints)
    masked, texts = talk(c)
    path, trawl = d + "/c.pcap", d + "/c.trawl"
    open(path, "wb").write(pcap(c.records))
    run("trawl-edit", "import", path, "-w", trawl)
    forms = [x for text in texts for x in (text, text.hex().encode(), text.hex(" ").encode(),
                                           text.hex(" ", 2).encode(), text[::-1].hex().encode())]
    for args in ([], ["-x"], ["-X"], ["--raw"], ["--json"], ["--json", "--raw"],
                 ["--fields", "all"], ["--summary"],
                 ["--protocol"], ["--protocol", "--json"]):
        out = run("trawl-decode", *args, trawl)
        ok(not out.returncode and not [f for f in forms if f in out.stdout],
           "%s: hidden by %s" % (name, args),
           out.stdout, out.stderr)
    twice = d + "/twice.pcap"  # by two readers of usbmon
    open(twice, "wb").write(pcap([r for record in c.records for r in (record, at(record, 2))]))
    for args in (["--raw"], ["--raw", "-x"], ["--raw", "--json"]):
        out = run("trawl-decode", *args, twice)
        ok(b"duplicate" in out.stdout and not [f for f in forms if f in out.stdout],
           "%s: hidden by %s in what two readers recorded" % (name, args), out.stdout, out.stderr)
    clear = run("trawl-decode", "--json", "--show-keys", trawl).stdout
    ok(all(any(f in clear for f in (text.hex(" ").encode(), text.hex().encode()))
           for text in texts), name + ": --show-keys shows it", clear)
    items = [json.loads(line)["fields"]
             for line in run("trawl-decode", "--json", trawl).stdout.splitlines()]
    same(masked, sum("masked_by" in i for i in items), name + ": masked, and nothing else")
    export = run("trawl-export", "--to", "pcapng", trawl, "-w", d + "/c.pcapng")
    ok(b"keystrokes or keys" in export.stderr, name + ": a warning when packets are exported",
       export.stderr)


def redacted(d):
    """Data that redact replaced by zeros is marked, also if it is only a part of an answer."""
    c = described(interface(0, 8, 6, 0x50, 2), endpoint(0x81, 2, 512), endpoint(0x02, 2, 512))
    c.get_descriptor(15, bytes([5, 15, 25, 0, 1, 20, 0x10, 4, 0]) + b"container-id-16b")
    inquiry = bytes([0x12, 0, 0, 0, 96, 0]) + bytes(10)
    c.transfer(BULK, 0x02, struct.pack("<4sIIBBB16s", b"USBC", 7, 96, 0x80, 0, 6, inquiry))
    c.transfer(BULK, 0x81, answer=bytes([0, 0, 6, 2, 91, 0, 0, 0]) + b"Vendor  Product         1.00"
               + b"serial".ljust(60))
    c.transfer(BULK, 0x81, answer=struct.pack("<4sIIB", b"USBS", 7, 0, 0))
    trawl, other = d + "/s.trawl", d + "/r.trawl"
    open(d + "/records", "wb").write(b"".join(struct.pack("<I", len(r)) + r for r in c.records))
    known = b"".join(r[64:] for r in c.records[1:4:2])
    open(d + "/known", "w").write(json.dumps({"path": "1-1", "busnum": 1, "devnum": 5,
                                              "configuration": 1, "descriptors": known.hex()}))
    run("tests/decode/usb/make-usb", trawl, d + "/records", "usb/1-1=%s/known" % d)
    run("trawl-edit", "redact", trawl, "-w", other)
    lines = run("trawl-decode", other, text=True).stdout
    for text in ("100 us  (60 zeros from byte 36: perhaps redacted)",
                 "(16 zeros from byte 9: perhaps redacted)"):
        ok(lines.count(text) == 1, "redacted: " + text, lines)
    same((0, 2), (run("trawl-decode", trawl).stdout.count(b"redacted"), len(run(
        "trawl-decode", "--where", "zeroed and zeroed_from > 0", other).stdout.splitlines())),
        "redacted: --where finds them, and nothing is marked in the file that was not")


def test_secrets(d):
    """Keys and PINs are masked."""
    secrets(d, "keys of pairings", interface(0, 0xe0, 1, 1, 3), [
        endpoint(0x81, 3, 64, 1), endpoint(0x82, 2, 64), endpoint(0x02, 2, 64)], pairing)
    secrets(d, "PINs of cards", interface(0, 0x0b, 0, 0, 2),
            [endpoint(0x01, 2, 64), endpoint(0x82, 2, 64)], card)
    redacted(d)


def test_bluetooth(d):
    items = check(d, "Bluetooth", bluetooth(), [
        'Command_Complete Read_Local_Name: Success, local_name "trawl\'s own"',
        "HCI event data 17 to 32 of 254",
        "hci_version 5.0", "HCI_COMMAND: Create_Connection bd_addr 11:22:33:44:55:66",
        "Command_Status Create_Connection: pending",
        "Connection_Complete: hci_status Success, handle 0x002a",
        'remote_name "somebody\'s phone"', "reason Connection Terminated by Local Host",
        "link_policy 0x0005 (role switch, sniff mode)",
        "packet_type 0xcc18 (DM1, DH1, DM3, DH3, DM5, DH5)",
        "HCI ACL handle 0x02a, 104 bytes, L2CAP cid 0x0040", "HCI ACL data 65 to 108 of 108"],
                  40)
    got = [i["decoded"]["hci"] for i in items if "hci" in i.get("decoded", {})]
    same([(0, "Success", "5.0", "5.0")],
         [tuple(h.get(k) for k in ("hci_status", "hci_status_name", "hci_version_name",
                                   "lmp_version_name")) for h in got if "hci_version" in h],
         "a number that has a name is in JSON by both")
    bits = [{k: v for k, v in h.items() if k.endswith("_set")} for h in got
            if any(k.endswith("_set") for k in h)]
    same((["Inquiry_Complete", "LE_Meta"], ["role switch", "sniff mode"],
          ["3-slot packets", "sniff mode", "power control requests", "extended features"],
          ["DM1", "DH1", "DM3", "DH3", "DM5", "DH5"], 5),
         (bits[1]["event_mask_set"][::len(bits[1]["event_mask_set"]) - 1],
          bits[2]["link_policy_set"],
          [bits[3]["lmp_features_set"][i] for i in (0, 7, 8, -1)],
          bits[-2]["packet_type_set"], len(bits[-1]["le_event_mask_set"])),
         "bits of masks and features are in JSON by name")
    same(["secure simple pairing", "simultaneous LE and BR/EDR"], bits[6]["lmp_features_set"],
         "those of the features by their page")
    same(1, sum(i.get("decoded", {}).get("hci", {}).get("remote_name") == "somebody's phone"
                for i in items),
         "an event in parts is shown once, whole")


def test_channels(d):
    """Protocols above L2CAP, those of channels that signals open among them."""
    items = check(d, "L2CAP", channels(), [
        "L2CAP Connection Request psm SDP, scid 0x0040, 16 ",
        "L2CAP Connection Response dcid 0x0050, scid 0x0040, result success, status 0x0000",
        "Configure Response scid 0x0040, flags 0x0000, result success, mtu 672",
        "retransmission_timeout 2000, monitor_timeout 12000, mps 1010, fcs_type 1",
        "SDP Service Search Attribute Request 7 [L2CAP]: 0x0000-0xffff, ServiceName, 31 bytes",
        'ServiceClassIDList [SerialPort], ProtocolDescriptorList [[L2CAP] [RFCOMM 0x05]], '
        'ServiceName "log", 0x0300 0xffffffff and 1 more',
        "SDP Service Search Response 8 0x00010006",
        "SDP Error Response 9: Invalid PDU Size",
        "RFCOMM channel 5 SABM", "PN command channel 5, frames of 667 bytes, 3 credits",
        "MSC command channel 5 RTC RTR DV", "RFCOMM channel 5 UIH, 33 credits",
        "RFCOMM channel 5 UA, check sequence wrong",
        "OBEX Connect, version 1.0, packets of 4000 bytes, Target 4 bytes",
        'OBEX Put, Name "a.vcf", Length 73, Type "text/x-vCard", Body 9 bytes (5 of them here), '
        "46 of 50 bytes",
        "ATT Find Information Response 0x0009 Client Characteristic Configuration, 0x000a "
        "Report Reference", "ATT Read By Group Type Response 0x0001-0x0005 Generic Access",
        "ATT Read By Group Type Request starting_handle 0x0001, ending_handle 0xffff, Primary",
        "ATT Error Response request_opcode Read Request, handle 0x0013, error_code Invalid Handle",
        "ATT Handle Value Notification handle 0x000c, value 4b09",
        "SMP Pairing Request io_capability KeyboardDisplay, oob_data_present 0, auth_req 0x0d "
        "(bonding, MITM protection, secure connections)", "SMP Pairing Failed reason Confirm",
        "L2CAP cid 0x0052 AVDTP", "L2CAP cid 0x0060,", "L2CAP cid 0x0043,"], 370)
    same(["SDP", "SDP", "RFCOMM", "AVDTP"],
         [f["decoded"]["hci"]["psm_name"] for f in items
          if f.get("decoded", {}).get("hci", {}).get("cid") in (0x40, 0x50, 0x51, 0x52)][:2] +
         [next(f["decoded"]["hci"]["psm_name"] for f in items
               if f.get("decoded", {}).get("hci", {}).get("cid") == cid) for cid in (0x51, 0x52)],
         "a channel's CIDs are those that its sides gave it")
    same(1, sum("masked" in f for f in items), "a key is masked, other packets of a pairing are not")


def test_odd_channels(d):
    """What is no value is not shown as one, and what the line leaves out is in its bytes."""
    path = d + "/odd.pcap"
    open(path, "wb").write(pcap(odd_channels().records))
    lines = run("trawl-decode", path, text=True).stdout.splitlines()[-len(ODD_CHANNELS):]
    for line, (want, has_bytes) in zip(lines, ODD_CHANNELS):
        ok(want in line and has_bytes == ("|" in line), "odd: " + want, line)


def test_cameras(d):
    check(d, "camera", camera(), [
        "GET_CUR selector 2 entity 2 interface 0: BRIGHTNESS value -7, processing unit 2",
        "POWER_LINE_FREQUENCY value 60 Hz",
        "EXPOSURE_TIME_ABSOLUTE value 333, camera terminal 1",
        "EXPOSURE_TIME_ABSOLUTE control_info 0x03", "control_length 4, extension unit 3",
        "AE_MODE value aperture priority", "PANTILT_ABSOLUTE pan -3600, tilt 7200",
        "REQUEST_ERROR_CODE value out of range", "VS_PROBE format 1 frame 2 30.00/s",
        "video status bStatusType 1, bOriginator 2, bEvent 0, bSelector 2, attribute value"
        .replace("attribute value", "bAttribute value")], 20)
    items = check(d, "pictures", pictures(), [
        "fid 1, 10 bytes of picture, pts 77, end of frame", "fid 0, 5 bytes of picture"])
    same([{"payloads": 1, "picture_bytes": 10, "fid": 1, "frame_ends": 1, "payload_errors": 1,
           "pts": 77},
          {"payloads": 1, "picture_bytes": 5, "fid": 0, "frame_ends": 0, "payload_errors": 0}],
         [i["decoded"]["video"] for i in items if "video" in i.get("decoded", {})],
         "what a payload's header says is in JSON")
    items = check(d, "PTP", ptp(), [
        'OperationsSupported [GetDeviceInfo OpenSession GetObjectPropList]',
        'ImageFormats [EXIF/JPEG MP4 vCard_2]', 'Model "Model One"',
        "StorageIDs [0x10001]", "StorageType removable RAM", "MaxCapacity 17179869184",
        'ObjectFormat EXIF/JPEG', 'Filename "IMG_0001.JPG"', "PTP data SendObjectInfo 41 to",
        "PTP event ObjectAdded transaction 5 (0x12)"])
    same(["IMG_0001.JPG"] * 1, [i["decoded"]["ptp"]["Filename"] for i in items
                                if "Filename" in i.get("decoded", {}).get("ptp", {})][:1],
         "an object's information is in JSON")
    items = check(d, "industrial camera", industrial_camera(), [
        "mA: USB3 Vision control", "U3V READMEM_CMD 1 SBRM_Address 8 bytes, ", "READMEM_ACK 1 SBRM_Address 0xaffc0000",
        "READMEM_ACK 3 SI_Maximum_Leader_Size 0x400", 'READMEM_ACK 4 Serial_Number "0042"',
        "READMEM_ACK 5 0x00040024, failed: invalid address", "READMEM_ACK 7 0x5, ",
        "WRITEMEM_CMD 8 SI_Control 0x1", "PENDING_ACK 8 SI_Control within 500 ms",
        "WRITEMEM_ACK 8 SI_Control 4 bytes", "READMEM_ACK 9 Timestamp, 16 of 1024 bytes, 100 us  55 33",
        "EVENT_CMD 1 event 0x4fff at 77",
        "leader of block 3, image timestamp 99, pixel_format BayerRG8, width 640, height 480",
        "trailer of block 3, 64 bytes of payload, height 470, ",
        "trailer of block 4, 64 bytes of payload, height 12, failed: data overrun"], 60)
    got = [i["decoded"]["vision"] for i in items if "vision" in i.get("decoded", {})]
    same([({"address", "register"}, None), (set(), 5)],
         [({"address", "register"} & set(v), v.get("value")) for v in got
          if v.get("request_id") in (6, 7)],
         "an answer to another command has no address")
    same([None], [v.get("value") for v in got if v.get("request_id") == 9 and "status" in v],
         "an answer that is cut has no value")


def test_texts(d):
    """Devices of which only lines and tshark's fields are compared."""
    check(d, "card reader", card_reader(), [
        "CCID IccPowerOn slot 0 seq 1", "bmFindexDindex 0x18, bmTCCKST1 0x10", "failed",
        "seq 5 SELECT (00 a4 04 00)", "seq 7 SELECT (00 a4 04 00)",
        "XfrBlock slot 0 seq 8, 15 bytes", "seq 9 SELECT (00 a4 04 00)",
        "NotifySlotChange slot 0 present", "NotifySlotChange slot 0 empty slot 2 empty slot 3 present",
        "HardwareError slot 0 seq 9 code 0x01 overcurrent"], 100)
    check(d, "names of requests", requests(), [
        "GET_CUR_ALL", "GET_MIN_ALL", "GET_MAX_ALL", "GET_RES_ALL", "GET_DEF_ALL"])
    check(d, "colorimeter", colorimeter(), [
        "colorimeter get status: device_status 2048", 'product "i1Display3 "',
        "product_type 258", "locked 256", "measure edges integration_cycles 2400000",
        "red_edges 227, green_edges 119, blue_edges 21", "green_edges_asked 366",
        "(0.092153, 0.611056, 0.582087 s)", "internal EEPROM internal_offset 4, internal_length 3",
        "3 bytes at 4", "4 bytes at 258", "set LED led_mode blink, off_time 5, on_time 2, pulses 3",
        "diffuser ambient", "encode_key 0x4a, decode_key 0xe4, challenge 3132333435363738",
        "challenge_response 3031323334353637...", "unlock_result yes",
        'command 0x1000 failed (0x80): "Error: Unknown command"',
        "answer to 0x12: done"], 60)
    check(d, "hub", hub(), [
        "status connection+enable+suspend", "changed over-current",
        "CLEAR_TT_BUFFER of device 6 ep1 in bulk port 1", "SET_FEATURE PORT_TEST selector 4 port 2"], 130)
    check(d, "DFU", loader(), ["DFU_DNLOAD block 0", "dfuDNLOAD-IDLE, poll in 10 ms"])
    check(d, "printer", printer(), ["MFG:Brother;MDL:PT-D600"])


def test_sound(d):
    check(d, "mixer of Audio 1.0", mixer(), ["SET_CUR", "MIXER -6.00 dB, mixer unit 4 input 3 output 1"])
    items = check(d, "MIDI", synthesizer(), [
        "sysex Novation 7 bytes f0 00 20 29 02 13 f7", "note on channel 1 note 60 velocity 127",
        "MIDI timing clock f8, song position f2 10 20, byte 55, 12 bytes",
        "sysex Roland 8 bytes f0 41 10 42 44 00 01 f7",
        "sysex manufacturer 0x39 4 bytes f0 39 02 f7", "sysex Novation first 6 bytes f0 00 20",
        "sysex 7 to 12 03 04", "sysex 13 to 17 of 17 09 0a 0b 0c f7, 8 bytes"], 40)
    same(True, "f7" in [m.get("bytes") for i in items
                        for m in i["decoded"].get("midi", [])],
 "the padding of a packet is not among its bytes")
    items = check(d, "guitar processor", pedal(), [
        "sysex DigiTech Request WhoAmI first 9 bytes f0 00 00 10", "sysex 10 to 14 of 14 ",
        "sysex DigiTech Receive Preset Names first 9 bytes ", "procedure 0x6a"], 150)
    got = [m["digitech"] for i in items for m in i.get("decoded", {}).get("midi", [])
           if "digitech" in m]
    same((11, ["CLEAN", "LEAD\ufffd"], [(65, 2, 5), (300, 0, "0086")], {True}),
         (len(got), next(g["preset_names"] for g in got if "preset_names" in g),
          [(p["parameter_id"], p["parameter_position"],
            p.get("parameter_value", p.get("parameter_bytes")))
           for p in next(g for g in got if "parameter_count" in g)["parameters"]],
          {g["checksum_valid"] for g in got}), "the whole message is in JSON")
    open(d + "/c.pcap", "wb").write(pcap(cut_messages().records))
    lines = run("trawl-decode", d + "/c.pcap", text=True).stdout
    ok("sysex continued, bytes before were not recorded, 6 bytes 41" in lines and
       "sysex Roland 5 bytes f0 41 01 02 f7" in lines and lines.count("13 to 18") == 1,
       "MIDI: no lengths after bytes that were not recorded", lines)
    items = [m for line in run("trawl-decode", "--json", d + "/c.pcap").stdout.splitlines()
             for m in json.loads(line)["fields"].get("decoded", {}).get("midi", [])]
    same([(None, True), (5, None)], [(m.get("sysex_length"), m.get("sysex_cut"))
                                     for m in items if "f7" in str(m.get("bytes"))],
         "nor in JSON, where the end says so")


def test_serial(d):
    check(d, "serial port, halves missing", serial_halves(), ["AT+CSQ", "OK"])
    lines = run("trawl-decode", d + "/c.pcap", text=True).stdout
    same((3, 3), (lines.count("AT+CSQ"), lines.count("OK\\r\\n")), "each half has its text")
    items = check(d, "FTDI converter", converter(), [
        "FTDI_RESET channel A", "FTDI_SET_FLOW_CTRL XON/XOFF channel A",
        "FTDI_SET_EVENT_CHAR 0x0d on", "FTDI_SET_ERROR_CHAR 0x23 off",
        "FTDI_SET_BITMODE MPSSE pins 0x0b channel B", "FTDI_GET_MODEM_STATUS channel A: CTS DSR,",
        "FTDI_GET_LATENCY_TIMER channel A: 16 ms", "no text, CTS DSR DCD", ", overrun, framing error,"], 150)
    same([[1, 0xb1, 0x60], [2, 0x31, 0x60], [1, 0x31, 0x6a]],
         [[p["count"], p["modem_status"], p["line_status"]]
          for i in items for p in i.get("decoded", {}).get("packets", [])],
         "the status of each packet")
    items = check(d, "MPSSE", serial_engine(), [
        "text \"\\x80\\x08\\x0b\"", "MPSSE set low pins 0x08 direction 0x0b, clock divisor 5, send "
        "immediately, 7 bytes", "MPSSE write 3 bytes, read 2 bytes, send immediately, ",
        "MPSSE write 5 bytes, ", "MPSSE 3 bytes of the command before, TMS 3 bits, ",
        "MPSSE 1 byte of the command before, a command's begin, ",
        "MPSSE clock without data 256 bytes, 1 byte, ", "MPSSE write 7 bits, clock without data 256 bytes, ", "MPSSE write and read 1 byte, TMS 1 bit, clock without data 5 bits, "
        "adaptive clocking on and 1 more, ", "MPSSE no such command: 0xff, ",
        "MPSSE set high pins 0xaa direction 0x55, ",
        "MPSSE 2 bytes in: 01 02, ", 'text "still text"'], 60)
    same([(["TMS/CS"], ["TCK/SK", "TDI/DO", "TMS/CS"]),
          (["GPIOH1", "GPIOH3", "GPIOH5", "GPIOH7"], ["GPIOH0", "GPIOH2", "GPIOH4", "GPIOH6"])],
         [(x["value_set"], x["direction_set"]) for i in items
          for x in i.get("decoded", {}).get("mpsse", {}).get("commands", [])
          if "value_set" in x], "pins are in JSON by name")
    open(d + "/c.pcap", "wb").write(pcap(cpu_bus().records))
    lines = run("trawl-decode", d + "/c.pcap", text=True).stdout
    ok("MPSSE CPU read, CPU write, " in lines and "MPSSE open drain, " in lines,
       "MPSSE: a bus, and open drain", lines)
    lines = run("trawl-decode", "--json", d + "/c.pcap", text=True).stdout
    ok('"low_pins_set":["TCK/SK","GPIOL0"]' in lines and '"high_pins_set":["GPIOH7"]' in lines,
       "pins of open drain by name", lines)


def test_chips(d):
    for release, drain, clock in ((b"\0\5", "unknown 0x9e", "unknown 0x8a"),
                                  (b"\0\7", "unknown 0x9e", "clock 60 MHz"),
                                  (b"\0\x08", "unknown 0x9e", "clock 60 MHz"),
                                  (b"\0\x09", "open drain", "clock 60 MHz")):
        c = described(interface(0, 0xff, 0xff, 0xff, 2), endpoint(0x81, 2, 64),
                      endpoint(0x02, 2, 64), vendor=0x0403, product=0x6010)
        c.get_descriptor(1, device(0x0403, 0x6010)[:12] + release + device(0, 0)[14:])
        c.control(struct.pack("<BBHHH", 0x40, 11, 0x020b, 1, 0))
        c.transfer(BULK, 0x02, out=b"\x9e\x84\x85")
        c.transfer(BULK, 0x02, out=b"\x8a")
        open(d + "/chip.pcap", "wb").write(pcap(c.records))
        lines = run("trawl-decode", d + "/chip.pcap", text=True).stdout
        ok("MPSSE " + drain in lines and "MPSSE " + clock in lines,
           "MPSSE: commands of the chip " + release.hex(), lines)


def test_passed_on(d):
    """A keyboard's reports that a receiver of Logitech passes on are masked, and no other's."""
    key = bytes([0x20, 2, 1, 2, 4, 0, 0, 0, 0, 0]) + bytes(5)
    mouse = bytes([0x20, 2, 2, 2, 4, 0, 0, 0, 0, 0]) + bytes(5)

    def masked(vendor, reports):
        c = Capture()
        if vendor:
            c.get_descriptor(1, device(vendor, 0xc52b))
            c.get_descriptor(2, config(interface(0, 3, 0, 0, 1), endpoint(0x83, 3, 32, 2)))
            c.get_descriptor(0x22, bytes.fromhex(
                "0600ff0901a10185209508750815002 6ff000901810009019100c0".replace(" ", "")),
                interface=0)
        for r in reports:
            c.transfer(INTERRUPT, 0x83, answer=r)
        open(d + "/dj.pcap", "wb").write(pcap(c.records))
        lines = run("trawl-decode", "--json", d + "/dj.pcap", text=True).stdout.splitlines()
        return [json.loads(line)["fields"].get("masked_by") for line in lines][-len(reports):]
    form = "form of its reports"
    same([form, None, form], masked(0x046d, [key, mouse, key]), "of a known receiver")
    same([form, None, form], masked(0, [key, mouse, key]), "of an unknown device")
    same([None], masked(0x1b1c, [key]), "of another vendor's")
    same([None] * 3, masked(0x046d, [key + b"\0", key[:4] + b"\xf4" + key[5:], key[:-1] + b"\1"]),
         "of another form")
    c = Capture()
    for cut in key[:8], mouse[:8]:
        c.record("S", INTERRUPT, 0x83, id=1, status=-115, length=32, flag_data="<")
        c.record("C", INTERRUPT, 0x83, id=1, length=15, data=cut)
    open(d + "/dj.pcap", "wb").write(pcap(c.records))
    lines = run("trawl-decode", "--json", d + "/dj.pcap", text=True).stdout.splitlines()
    same([form, None], [json.loads(line)["fields"].get("masked_by") for line in lines],
         "of which the capture has the first bytes only")


def test_long_descriptor(d):
    """Bytes behind a device descriptor are no descriptor, and are in the line."""
    c = Capture()
    c.get_descriptor(1, device(0x0424, 0x3fc6) + b"\x76\0\x0a\x06\0\x02")
    open(d + "/long.pcap", "wb").write(pcap(c.records))
    lines = run("trawl-decode", d + "/long.pcap", text=True).stdout
    ok("0424:3fc6 usb 2.00, then 76000a060002, 24 bytes" in lines, "in the line", lines)
    item = json.loads(run("trawl-decode", "--json", d + "/long.pcap", text=True).stdout)
    decoded = item["fields"]["decoded"]
    same((1, "76000a060002"), (len(decoded["descriptors"]), decoded["extra"]), "and in JSON")


def test_descriptors(d):
    items = check(d, "bits of descriptors", described_bits(), [], 150)
    of = {x["descriptor"]: x for i in items for x in i.get("decoded", {}).get("descriptors", [])
          if i["pid"] == "2224" and len(x) > 5}
    same((["mute", "volume"], 7, 30,
          ["can download", "can upload", "manifestation tolerant", "will detach"]),
         (of["audio feature unit"]["channels"][0]["controls"][:2],
          of["audio feature unit"]["iFeature"],
          of["video input terminal"]["wOcularFocalLength"],
          of["DFU functional"]["bmAttributes_set"]),
         "by name, in JSON")
    items = check(d, "Audio 2.0 and Ethernet", described_sound(), [], 250)
    of = [{x["descriptor"]: x for x in i["decoded"]["descriptors"]} for i in items
          if len(i.get("decoded", {}).get("descriptors", [])) > 5]
    same(("internal programmable", ["mute (read-only)", "volume (read-only)"], (13, True)),
         (of[3]["audio clock source"]["clock_type"],
          of[0]["audio feature unit"]["channels"][0]["controls"][:2],
          tuple(of[1]["CDC ethernet"][n]
                for n in ("multicast_filters", "multicast_imperfect"))),
         "parts of fields by name, in JSON")
    open(d + "/c.pcap", "wb").write(pcap(mixer_2().records))
    items = [json.loads(line)["fields"]["decoded"]["descriptors"] for line in
             run("trawl-decode", "--json", d + "/c.pcap").stdout.splitlines()]
    same(("f055", 3, 6), tuple(items[1][-1][n] for n in (
        "bmMixerControls", "bmControls", "iMixer")), "mixer of Audio 2.0")


def test_storage(d):
    check(d, "mode pages of a disk", disk(), [
        "data MAKER A UNIT 1.00", "write-protected, read-write error recovery arre rc eer dte",
        ", caching abpf disc size mf ", ", control tst=2 "], 130)
    items = check(d, "mode pages of a CD drive", drive(), [
        "write parameters", "CD capabilities and mechanical status dvd_r_read", ", page 0x31"], 120)
    same([["read-write error recovery", "write parameters",
           "CD capabilities and mechanical status", "informational exceptions control", None]],
         [[p.get("page_name") for p in i["decoded"]["storage"]["answer"]["pages"]] for i in items
          if "pages" in i.get("decoded", {}).get("storage", {}).get("answer", {})],
         "a code is the page that drives have")
    items = check(d, "optical drive", optical(), [
        "GET CONFIGURATION data profile DVD-ROM, ",
        "READ DISC INFORMATION data incomplete, 258 sessions, tracks 1 to 772, ",
        "READ TRACK INFORMATION data track 1 session 1 at 1432382326 + 84941606, ",
        "data tracks 1 to 2, 1 at 0, 2 at 1200, lead-out at 327680, ",
        "data tracks 1 to 1, 1 at 00:02.00, lead-out at 62:30.21, ",
        "NOTIFICATION data media new media, media present, ", "NOTIFICATION data no event, 4 bytes",
        "data media media removal, no media, door open, ", "data operational change changed, ",
        "REPORT KEY data, ", "READ SUB-CHANNEL data, ", "BLANK tag "], 700)
    answers = [i["decoded"]["storage"].get("answer", {}) for i in items
               if "storage" in i.get("decoded", {})]
    same([["CD read", 1, 0, 1], ["unknown", 0, 0, 0]],
         [[f.get("feature_name", "unknown"), f["feature_version"], int(f.get("dap", 0)),
           int(f["current"])] for f in next(a["features"] for a in answers if "features" in a)
          if f["feature"] in (0x001e, 0x0fff)][1::-1], "features are in JSON by name")
    disc = next(a for a in answers if "sessions" in a)
    same((258, 515, 772), (disc["sessions"], disc["first_track_in_last_session"],
                           disc["last_track_in_last_session"]),
         "the high bytes of a disc's numbers stand apart")
    open(d + "/c.pcap", "wb").write(pcap(optical(split=69).records))
    lines = run("trawl-decode", "--json", d + "/c.pcap", text=True).stdout.splitlines()
    answers = [json.loads(line)["fields"].get("decoded", {}).get("storage", {}).get("answer")
               for line in lines if "GET CONFIGURATION" in line]
    same([[0, 1, 3, 0x10]], [[f["feature"] for f in a["features"]] for a in answers if a],
         "only whole features, and no second transfer for another answer")
    open(d + "/c.pcap", "wb").write(pcap(optical(0, (0x12, 0xa4, 0x42)).records))
    lines = run("trawl-decode", d + "/c.pcap", text=True).stdout
    ok("UNMAP tag" in lines and "MAINTENANCE OUT tag" in lines and "KEY" not in lines,
       "to a disk, opcodes mean what they mean to disks", lines)


def test_ipp(d):
    items = check(d, "IPP over USB", ipp_printer(), [
        'printer "POST /ipp/print HTTP/1.1", ',
        "printer IPP Get-Printer-Attributes request 7, ",
        'printer "HTTP/1.1 200 OK" IPP successful-ok-ignored-or-substituted-attributes '
        "request 7, ", "printer IPP status 0x0577 request 8, ",
        'printer "GET /eSCL/ScannerStatus HTTP/1.1", ',
        'printer "HTTP/1.1 503 Service Unavailable", '])
    got = [i["decoded"]["ipp"]["attributes"] for i in items if "ipp" in i.get("decoded", {})]
    same([[("operation", "attributes-charset", "utf-8"),
           ("operation", "requested-attributes", "printer-state"),
           ("operation", None, "printer-name")],
          [("operation", "attributes-charset", "utf-8"), ("printer", "printer-state", 3),
           ("printer", "printer-is-accepting-jobs", 1),
           ("printer", "printer-resolution", "000002580000025803")],
          [("operation", "attributes-charset", "utf-8"), ("printer", "printer-state", 3),
           ("printer", "printer-is-accepting-jobs", 1)]],
         [[(a["group"], a.get("name"),
            a.get("text", a.get("number", a.get("bytes")))) for a in m] for m in got],
         "attributes are in JSON; one that is cut is not")


def test_eem(d):
    items = check(d, "CDC EEM", eem(), [
        "EEM, 2 frames: 02:00:00:00:00:01 to 33:33:00:00:00:02 IPv4, ",
        "EEM, 1 frame: 02:00:00:00:00:01 to 33:33:00:00:00:02 IPv4, ", "EEM data, 2 bytes"])
    same([[(2, 39), (49, 39)], [(8, 39)]],
         [[(f["offset"], f["frame_length"]) for f in n["frames"]]
          for n in (i.get("decoded", {}).get("network") for i in items) if n],
         "frames are without header and checksum")


def test_modem(d):
    items = check(d, "MBIM", modem(), [
        "MBIM OPEN id 1, ", " FRAGMENT_OUT_OF_SEQUENCE, ", " NOT_OPENED, ",
        "data_class GPRS|EDGE|UMTS|HSDPA|HSUPA|LTE|custom",
        'custom_data_class "HSPA+", device_id "353000000000001", firmware "1.0"',
        'ready_state initialized, subscriber_id "262010000000001"',
        "hw_radio_state on, sw_radio_state on, ", "PIN pin_type PIN1, pin_operation enter, 80",
        "network_error PLMN not allowed, register_state roaming",
        "preferred_data_classes LTE, ", "frequency_range FR1, data_subclass 5G NR, mcc 262, mnc 1, tac 77",
        'rssi 20, error_rate 99, signal_strength_interval 5, rssi_threshold 3, ',
        'access_string "internet", user_name "user", compression none, auth_protocol CHAP, ip_type IPv4',
        "ipv4_addresses { prefix_length 30, ipv4 10.0.0.2 }", "ipv4_gateway 10.0.0.1, ipv6_gateway 2001:db8::1",
        "EMERGENCY_MODE emergency_mode on", " NO_DEVICE_SUPPORT basic connect",
        'cdma_messages { message_index 4, sms_status new, address "+4913"', "ready_flags eSIM|SIM removable",
        "VERSION mbim_version 1.00, extended_version 3.00", "00112233-4455-6677-8899-aabbccddeeff: command 7",
        "fragment 2 of 3, ",
        "fragment 3 of 3 basic connect: VISIBLE_PROVIDERS providers (3)",
        "MBIM block 1, 2 frames: IPS session 0 10.0.0.2 to 8.8.8.8 UDP",
        "MBIM block 8, 1 frame: ips session 3 ::1 to ::2 ICMPv6"], 680)
    messages = [i["decoded"]["network"] for i in items if "network" in i.get("decoded", {})]
    info = {(m.get("cid_name"), m.get("command_type")): m.get("information") for m in messages}
    same([["10.0.0.2"], ["8.8.8.8", "9.9.9.9"], ["2001:db8::53"]],
         [[a["ipv4"] for a in info["IP_CONFIGURATION", None]["ipv4_addresses"]],
          info["IP_CONFIGURATION", None]["ipv4_dns"], info["IP_CONFIGURATION", None]["ipv6_dns"]],
         "the addresses are in JSON")
    same([[1, 2, 3], [1]], [s["cids"] for s in info["DEVICE_SERVICES", None]["device_services"]],
         "and the commands of each service")
    same(["00000", "00001", "00002"], [p["provider_id"] for p in info["VISIBLE_PROVIDERS", None]["providers"]],
         "and what comes in fragments")
    hidden = run("trawl-decode", "--json", d + "/c.pcap", text=True).stdout
    shown = run("trawl-decode", "--json", "--show-keys", d + "/c.pcap", text=True).stdout
    words = ["1234", "secret", "hidden", bytes(range(16)).hex()]
    same(([], [True] * 3), ([w for w in words[:3] if '"%s"' % w in hidden],
                            ['"%s"' % w in shown for w in words[:3]]),
         "PINs and passwords are masked, --show-keys shows them")
    same(0, sum(w.encode("utf-16-le").hex() in hidden for w in words[:3]),
         "in their bytes, too")


def test_odd_modem(d):
    """Messages that do not fit their structure."""
    open(d + "/c.pcap", "wb").write(pcap(odd_modem().records))
    lines = run("trawl-decode", "--json", d + "/c.pcap", text=True).stdout.splitlines()
    items = [json.loads(line)["fields"] for line in lines]
    info = {m["cid_name"]: m.get("information")
            for m in (i["decoded"]["network"] for i in items if "network" in i.get("decoded", {}))
            if not m.get("command_type") == "query" and "cid_name" in m}
    same(([None] * 3, 3, 3), ([info[n] for n in ("HOME_PROVIDER", "PREFERRED_PROVIDERS", "PIN")],
                              info["CONNECT"]["ip_type"],
                              len(info["PROVISIONED_CONTEXTS"]["contexts"])),
         "a buffer that does not fit its structure is not taken apart")
    words = [w.encode("utf-16-le").hex() for w in ("1234", "passw", "ab")]
    same([False] * 3, [any(w in line for line in lines) for w in words],
         "nor is a secret in it, or in a fragment, shown")


def main():
    d = tempfile.mkdtemp(prefix="trawl-classes-")
    try:
        for test in (test_secrets, test_bluetooth, test_channels, test_odd_channels,
                     test_cameras, test_texts,
                     test_sound, test_serial, test_chips, test_passed_on, test_long_descriptor,
                     test_descriptors, test_storage, test_ipp, test_eem, test_modem,
                     test_odd_modem):
            test(d)
    finally:
        shutil.rmtree(d)
    return finish()


sys.exit(main())
