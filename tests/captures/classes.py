# SPDX-License-Identifier: MIT
"""What classes of devices say, field by field: trawl-decode --json beside tshark's dissectors.

Each row of FIELDS is a field of tshark and the members of "decoded" that hold the same. The values of a
capture are compared as bags: each as often here as there.
"""
import collections
import json
import subprocess


def number(text):
    return int(text, 0)


def address(text):
    return text.lower()


# Left out: usbccid.wLevelParameter, which tshark 4.0 gives as one byte of two, and bProtocolNum, which it reads
# where answers have bError (CCID 1.1, 6.2.3).
# tshark's field; kind of transfer, member of "decoded" and what is below it; how tshark's text is read.
FIELDS = [
    ("bthci_cmd.opcode", "setup:hci.opcode", number),
    ("bthci_cmd.param_length", "setup:hci.parameter_length", number),
    ("bthci_cmd.bd_addr", "setup:hci.bd_addr", address),
    ("bthci_cmd.connection_handle", "setup:hci.handle", number),
    ("bthci_cmd.scan_enable", "setup:hci.scan_enable", number),
    ("bthci_cmd.timeout", "setup:hci.timeout", number),
    ("bthci_cmd.device_name", "setup:hci.local_name", str),
    ("bthci_cmd.filter_type", "setup:hci.filter_type", number),
    ("bthci_cmd.num_curr_iac", "setup:hci.num_iac", number),
    ("bthci_cmd.page_scan_repetition_mode", "setup:hci.page_scan_repetition_mode", number),
    ("bthci_cmd.read_all_flag", "setup:hci.read_all", number),
    ("bthci_evt.code", "interrupt:hci.event_code", number),
    ("bthci_evt.opcode", "interrupt:hci.opcode", number),
    ("bthci_evt.status", "interrupt:hci.hci_status", number),
    ("bthci_evt.num_command_packets", "interrupt:hci.num_packets", number),
    ("bthci_evt.bd_addr", "interrupt:hci.bd_addr", address),
    ("bthci_evt.connection_handle", "interrupt:hci.handle", number),
    ("bthci_evt.scan_enable", "interrupt:hci.scan_enable", number),
    ("bthci_evt.reason", "interrupt:hci.reason", number),
    ("bthci_evt.device_name", "interrupt:hci.local_name", str),
    ("bthci_evt.remote_name", "interrupt:hci.remote_name", str),
    ("bthci_evt.hci_vers_nr", "interrupt:hci.hci_version|hci_revision", number),
    ("bthci_evt.lmp_vers_nr", "interrupt:hci.lmp_version", number),
    ("bthci_evt.lmp_sub_vers_nr", "interrupt:hci.lmp_subversion", number),
    ("bthci_evt.manufacturer", "interrupt:hci.manufacturer", number),
    ("bthci_evt.link_type", "interrupt:hci.link_type", number),
    ("bthci_evt.max_slots", "interrupt:hci.max_slots", number),
    ("bthci_acl.chandle", "bulk:hci.handle", number),
    ("bthci_acl.pb_flag", "bulk:hci.boundary", number),
    ("bthci_acl.bc_flag", "bulk:hci.broadcast", number),
    ("usbccid.bMessageType", "bulk:ccid.bMessageType", number),
    ("usbccid.dwLength", "bulk:ccid.dwLength", number),
    ("usbccid.bSlot", "bulk:ccid.bSlot", number),
    ("usbccid.bSeq", "bulk:ccid.bSeq", number),
    ("usbccid.bStatus", "bulk:ccid.bStatus", number),
    ("usbccid.bError", "bulk:ccid.bError", number),
    ("usbccid.bPowerSelect", "bulk:ccid.bPowerSelect", number),
    ("usbccid.bClockStatus", "bulk:ccid.bClockStatus", number),
    ("usbccid.bChainParameter", "bulk:ccid.bChainParameter", number),
    ("usbccid.bBWI", "bulk:ccid.bBWI", number),
    ("usbaudio.midi.cable_number", "bulk:midi.cable", number),
    ("usbaudio.midi.code_index", "bulk:midi.code_index", number),
    ("usbvideo.probe.keyFrameRate", "setup:stream.wKeyFrameRate", number),
    ("usbvideo.probe.pFrameRate", "setup:stream.wPFrameRate", number),
    ("usbvideo.probe.compQuality", "setup:stream.wCompQuality", number),
    ("usbvideo.probe.compWindow", "setup:stream.wCompWindowSize", number),
    ("usbvideo.probe.delay", "setup:stream.wDelay", number),
    ("usbvideo.probe.maxVideoFrameSize", "setup:stream.dwMaxVideoFrameSize", number),
    ("usbvideo.probe.maxPayloadTransferSize", "setup:stream.dwMaxPayloadTransferSize", number),
    ("usbvideo.frame.width", "setup:descriptors.wWidth", number),
    ("usbvideo.frame.height", "setup:descriptors.wHeight", number),
    ("usbvideo.frame.minBitRate", "setup:descriptors.dwMinBitRate", number),
    ("usbvideo.frame.maxBitRate", "setup:descriptors.dwMaxBitRate", number),
    ("usbvideo.extension.guid", "setup:descriptors.guidExtensionCode", str),
    ("usbaudio.as_if_ft.bBitResolution", "setup:descriptors.bBitResolution", number),
    ("usbaudio.as_if_gen.wFormatTag", "setup:descriptors.wFormatTag", number),
    ("usbdfu.poll_timeout", "setup:dfu.bwPollTimeout", number),
    ("usbdfu.state", "setup:dfu.bState", number),
    ("usbdfu.status", "setup:dfu.bStatus", number),
    ("usbprinter.device_id", "setup:printer.device_id", str),
]

PATHS = {row[0]: row[1] for row in FIELDS}


def walk(value, name):
    """All values of a member, wherever it is below."""
    if isinstance(value, dict):
        for k, v in value.items():
            if k == name and not isinstance(v, (dict, list)):
                yield v
            yield from walk(v, name)
    elif isinstance(value, list):
        for v in value:
            yield from walk(v, name)


def ours(trawl, run):
    """{row: bag of values} of what trawl-decode says of a capture."""
    bags = collections.defaultdict(collections.Counter)
    for line in run("trawl-decode", "--json", trawl).stdout.splitlines():
        fields = json.loads(line)["fields"]
        decoded = fields.get("decoded", {})
        kind = "setup" if fields.get("xfer") == "control" else fields.get("xfer", "")
        for row in FIELDS:
            where, path = row[1].split(":")
            top, name = path.split(".")
            if where == kind or (where == "bulk" and kind == "interrupt" and top == "midi"):
                for member in name.split("|"):
                    bags[row[0]].update(walk(decoded.get(top, {}), member))
    return bags


def theirs(path, tshark_fields):
    rows = [r for r in FIELDS if r[0] in tshark_fields]
    argv = ["tshark", "-r", path, "-T", "fields", "-E", "occurrence=a", "-E", "aggregator=|"]
    for r in rows:
        argv += ["-e", r[0]]
    bags = collections.defaultdict(collections.Counter)
    for line in subprocess.run(argv, capture_output=True).stdout.decode("utf-8", "replace").splitlines():
        for row, cell in zip(rows, line.split("\t")):
            if cell:
                bags[row[0]].update(row[2](v) for v in cell.split("|"))
    return bags


def compare(original, trawl, run, tshark_fields):
    """([what differs], number of values that are equal)."""
    want, got = theirs(original, tshark_fields), ours(trawl, run)
    # In a descriptor that is cut, tshark stops, and trawl shows the fields that are there.
    cut = run("trawl-decode", "--where", "decoded.wTotalLength > data_length and data_length > 9", trawl).stdout
    wrong, equal = [], 0
    for name in sorted(want):
        if want[name] == got[name] or (cut and ":descriptors." in PATHS[name] and not want[name] - got[name]):
            equal += sum(want[name].values())
        else:
            wrong.append("%s: tshark has %s more, trawl %s more" % (
                name, dict((want[name] - got[name]).most_common(3)),
                dict((got[name] - want[name]).most_common(3))))
    return wrong, equal
