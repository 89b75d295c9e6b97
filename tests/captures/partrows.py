# SPDX-License-Identifier: MIT
"""Rows of classes.py for bits and parts of fields, and for messages in several transfers: FTDI
converters, hubs, card readers, Audio 2.0, MIDI, Ethernet."""
import functools

from values import figure_or_bit, number, pairs, walk


def packets(name):
    """The status of each packet of an FTDI converter; trawl has it once if all are the same."""
    def values(fields):
        at = fields.get("decoded", {})
        for packet in at.get("packets", []):
            if name in packet:
                yield from [packet[name]] * packet["count"]
        if name in at and fields.get("xfer") == "control":
            yield at[name]
    return values


def asked_of_ftdi(part):
    def values(fields):
        setup = fields.get("setup", {})
        if str(setup.get("request", "")).startswith("FTDI_"):
            yield part(setup)
    return values


def flags(listed, names, kind):
    """Whether the list has each of the names, of each packet of an FTDI converter and of its
    answer."""
    def values(fields):
        at = fields.get("decoded", {})
        for packet in at.get("packets", []):
            if listed in packet:
                yield from [int(names in packet[listed])] * packet["count"]
        if listed in at and fields.get("xfer") == kind:
            yield int(names in at[listed])
    return values


def set_by_ftdi(request, part):
    """A part of the request that sets something, where the converter is asked for it."""
    def values(fields):
        setup = fields.get("setup", {})
        if setup.get("request") == request:
            yield part(setup)
    return values


FTDI_MODEM = [(4, "CTS"), (5, "DSR"), (6, "RI"), (7, "DCD")]
FTDI_LINE = [(1, "overrun"), (2, "parity error"), (3, "framing error"), (4, "break"),
             (5, "holding register empty"), (6, "transmitter empty")]


def ftdi_rows():
    for bit_, name in FTDI_MODEM:
        yield ("ftdi-ft.modem_status.b%d" % bit_, flags("modem_set", name, "control"),
               figure_or_bit)
    for bit_, name in FTDI_LINE:
        yield "ftdi-ft.line_status.b%d" % bit_, flags("line_set", name, "control"), figure_or_bit
    # A line that the request leaves as it is has no value.
    for bit_, name in enumerate(("dtr", "rts")):
        yield ("ftdi-ft.hValue.b%d" % bit_,
               set_by_ftdi("FTDI_MODEM_CTRL", lambda s, n=name: int(n in s)), figure_or_bit)
        yield ("ftdi-ft.lValue.b%d" % bit_,
               set_by_ftdi("FTDI_MODEM_CTRL", lambda s, n=name, b=bit_: int(
                   s[n] if n in s else s["wValue"] >> b & 1)), figure_or_bit)
    for bit_, name in enumerate(("RTS/CTS", "DTR/DSR", "XON/XOFF")):
        yield ("ftdi-ft.hIndex.b%d" % bit_, set_by_ftdi("FTDI_SET_FLOW_CTRL", lambda s, n=name: int(
            s["flow_name"] == n)), figure_or_bit)
    data = functools.partial(set_by_ftdi, "FTDI_SET_DATA")
    yield ("ftdi-ft.hValue.parity",
           data(lambda s: "NOEMS".index(s["format"].lstrip("0123456789")[0])), number)
    yield "ftdi-ft.hValue.b4", data(lambda s: int(s["format"].endswith("2"))), number
    yield "ftdi-ft.hValue.b6", data(lambda s: int(s["break"])), number
    yield "ftdi-ft.wLength", asked_of_ftdi(lambda s: s["wLength"]), number
    yield "ftdi-ft.latency_time", lambda fields: (
        v for v in [fields.get("decoded", {}).get("latency_timer_ms")] if v is not None), number


def engine(member):
    def values(fields):
        for c in fields.get("decoded", {}).get("mpsse", {}).get("commands", []):
            if member in c:
                yield c[member]
    return values


def pin_rows():
    """The pins of the serial engine, and the bits of the commands that shift data."""
    pins = [["TCK/SK", "TDI/DO", "TDO/DI", "TMS/CS", "GPIOL0", "GPIOL1", "GPIOL2", "GPIOL3"],
            ["GPIOH%d" % i for i in range(8)]]

    def listed(name, i, high):
        def values(fields):
            for c in fields.get("decoded", {}).get("mpsse", {}).get("commands", []):
                if name in c:
                    yield int(pins[c["command"] == 0x82 if high is None else high][i] in c[name])
        return values
    for theirs_, ours_, high in (
            ("value", "value_set", None), ("direction", "direction_set", None),
            ("open_drain_enable_low", "low_pins_set", False),
            ("open_drain_enable_high", "high_pins_set", True)):
        for i in range(8):
            yield "ftdi-mpsse.%s.b%d" % (theirs_, i), listed(ours_, i, high), figure_or_bit
    for theirs_, ours_ in pairs("open_drain_enable_low=low_pins open_drain_enable_high=high_pins"):
        yield "ftdi-mpsse." + theirs_, engine(ours_), number


def hub_rows():
    """Of ports of USB 2 hubs: tshark shows the bits of the others by the same names."""
    def values(listed, name):
        def of(fields):
            at = fields.get("decoded", {}).get("hub", {})
            if "wPortStatus" in at and "link_state" not in at:
                yield int(name in at[listed])
        return of
    for name in "connection", "enable":
        yield "usbhub.change.port." + name, values("change", name), figure_or_bit
    # tshark has the same names for these bits of wPortChange.
    for theirs_, name in pairs("suspend overcurrent=over-current reset"):
        yield "usbhub.status.port." + theirs_, lambda fields, name=name: (
            v for listed in ("status", "change")
            for v in values(listed, name)(fields)), figure_or_bit
    for theirs_, name in pairs("""connection enable power low_speed=low-speed
                               high_speed=high-speed test indicator"""):
        yield "usbhub.status.port." + theirs_, values("status", name), figure_or_bit


def card(part):
    def values(fields):
        at = fields.get("decoded", {}).get("ccid", {})
        if fields.get("xfer") == "bulk" and "bStatus" in at:
            yield part(at)
    return values


def slot(number_, member):
    """Of each slot that a notification has bits for; trawl lists only those that have some set."""
    def values(fields):
        at = fields.get("decoded", {}).get("ccid", {})
        if at.get("message") == "NotifySlotChange" and number_ // 4 + 1 < fields["data_length"]:
            yield next((int(s[member]) for s in at["slots"] if s["slot"] == number_), 0)
    return values


def card_rows():
    yield "usbccid.bStatus.bmIccStatus", card(lambda at: [
        "card active", "card inactive", "no card", "reserved"].index(at["card"])), number
    yield "usbccid.bStatus.bmCommandStatus", card(lambda at: [
        "ok", "failed", "time extension", "reserved"].index(at["status_name"])), number
    for i in range(8):
        prefix = "usbccid.hf_ccid_bmSlotICCState.slot%d" % i
        yield prefix + "Current", slot(i, "present"), figure_or_bit
        yield prefix + "Changed", slot(i, "changed"), figure_or_bit
    # tshark has one name for two bits.
    yield ("usbccid.dwFeatures.autoParamNegotiation", of_descriptor("smart card", lambda d: [
        int(n in d["dwFeatures_set"]) for n in ("voltage selection", "parameter negotiation")]
        if "dwFeatures_set" in d else []), figure_or_bit)
    yield "usbccid.hf_ccid_bHardwareErrorCode", lambda fields: walk(
        fields.get("decoded", {}).get("ccid", {}), "bHardwareErrorCode"), number


def of_descriptor(kind, values_of):
    def values(fields):
        for d in fields.get("decoded", {}).get("descriptors") or []:
            if d.get("descriptor") == kind:
                yield from values_of(d)
    return values


def sound_rows():
    """Parts of descriptors of Audio 2.0, and what tshark shows of an endpoint of 1.0, too."""
    for i, name in enumerate(("mute", "volume", "bass", "mid", "treble", "graphic equalizer",
                              "automatic gain", "delay", "bass boost", "loudness", "input gain",
                              "input gain pad", "phase inverter", "underflow", "overflow")):
        def access(d, name=name):
            if "bControlSize" not in d:  # of 1.0
                for c in d.get("channels", []):
                    yield next((n for n, access in enumerate((
                        None, " (read-only)", " (invalid)", "")) if access is not None and
                                name + access in c["controls"]), 0)
        yield ("usbaudio.ac_if_fu.bmaControl%s.d%d" % ("_v2s" if i == 7 else "s_v2", i),
               of_descriptor("audio feature unit", access), number)
    for i, name in enumerate(("PCM", "PCM8", "IEEE float", "A-law", "mu-law")):
        def has(d, name=name):
            if d.get("bFormatType") == 1 and "bmFormats_set" in d:
                yield int(name in d["bmFormats_set"])
        yield ("usbaudio.as_if_gen.bmFormats.d%d" % i, of_descriptor("audio stream", has),
               figure_or_bit)
    types = ["external", "internal fixed", "internal variable", "internal programmable"]
    yield "usbaudio.ac_if_clksrc.bmAttributes.type", of_descriptor(
        "audio clock source", lambda d: [types.index(d["clock_type"])] if "clock_type" in d
        else []), number
    yield "usbcom.descriptor.ecm.nb_mc_filters.mc_address_filtering", of_descriptor(
        "CDC ethernet", lambda d: [int(d["multicast_imperfect"])] if "multicast_imperfect" in d
        else []), figure_or_bit


def part_rows():
    yield from [
        ("ftdi-ft.modem_status", packets("modem_status"), number),
        ("ftdi-ft.line_status", packets("line_status"), number),
        ("ftdi-ft.bRequest", asked_of_ftdi(lambda s: s["bRequest"]), number),
        ("ftdi-ft.lValue", asked_of_ftdi(lambda s: s["wValue"] & 0xff), number),
        ("ftdi-ft.hValue", asked_of_ftdi(lambda s: s["wValue"] >> 8), number),
        ("ftdi-ft.lIndex", asked_of_ftdi(lambda s: s["wIndex"] & 0xff), number),
        ("ftdi-ft.hIndex", asked_of_ftdi(lambda s: s["wIndex"] >> 8), number),
        # Of the messages that end in a transfer, tshark shows the last one's.
        ("usbaudio.sysex.reassembled.length", lambda fields: [
            m["sysex_length"] for m in fields.get("decoded", {}).get("midi", [])
            if "sysex_length" in m][-1:], number),
        ("ftdi-mpsse.command", engine("command"), number),
        ("ftdi-mpsse.direction", engine("direction"), number),
        ("ftdi-mpsse.clk_divisor", engine("divisor"), number),
        ("ftdi-mpsse.cpumode_address", engine("address"), number),
    ]
    yield from ftdi_rows()
    yield from pin_rows()
    yield from hub_rows()
    yield from card_rows()
    yield from sound_rows()
