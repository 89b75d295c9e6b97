# SPDX-License-Identifier: MIT
"""Compares the fields of device classes in trawl-decode --json with those of tshark's dissectors.

Each row of FIELDS has a field of tshark and the members of "decoded" with the same values. The
values of a capture are compared as bags: both must have each value equally often.
"""
import collections
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from discrows import disc_rows  # noqa: E402
from partrows import part_rows  # noqa: E402
from btrows import bt_rows  # noqa: E402
from pedalrows import pedal_rows  # noqa: E402
from values import (  # noqa: E402
    address, bit, figure, figure_or_bit, members, number, octets, pairs, release, text, walk)


# Rows: tshark's field; kind of transfer, then the path below "decoded"; the function that reads
# tshark's text. Left out: usbccid.wLevelParameter, of whose two bytes tshark 4.0 gives one, and
# bProtocolNum, which it reads where answers have bError (CCID 1.1, 6.2.3).
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
    ("usbdfu.iString", "setup:dfu.iString", number),
    ("usbdfu.status", "setup:dfu.bStatus", number),
    ("u3v.gencp.command_id", "bulk:vision.command", number),
    ("u3v.gencp.payloadlength", "bulk:vision.payload_length", number),
    ("u3v.gencp.req_id", "bulk:vision.request_id", number),
    ("u3v.gencp.flags", "bulk:vision.flags", number),
    ("u3v.gencp.status", "bulk:vision.status", number),
    ("u3v.gencp.count", "bulk:vision.count|written", number),
    ("u3v.stream.status", "bulk:vision.block_status", number),
    ("u3v.cmd.event.id", "bulk:vision.event_id", number),
    ("u3v.stream.block_id", "bulk:vision.block_id", number),
    ("u3v.stream.payload_type", "bulk:vision.payload_type", number),
    ("u3v.stream.pixel_format", "bulk:vision.pixel_format", number),
    ("u3v.stream.sizex", "bulk:vision.width", number),
    ("u3v.stream.sizey", "bulk:vision.height", number),
    ("u3v.stream.valid_payload_size", "bulk:vision.valid_payload_size", number),
    ("i1d3.command.code", "interrupt:colorimeter.command", number),
    ("i1d3.echoed_command.code", "interrupt:colorimeter.echoed", number),
    ("i1d3.response_code", "interrupt:colorimeter.response", number),
    ("i1d3.status", "interrupt:colorimeter.device_status", number),
    ("i1d3.prodname", "interrupt:colorimeter.product", str),
    ("i1d3.prodtype", "interrupt:colorimeter.product_type", number),
    ("i1d3.firmver", "interrupt:colorimeter.firmware", str),
    ("i1d3.firmdate", "interrupt:colorimeter.firmware_date", str),
    ("i1d3.information", "interrupt:colorimeter.information", str),
    ("i1d3.locked", "interrupt:colorimeter.locked", number),
    ("i1d3.challenge_encode_key", "interrupt:colorimeter.encode_key", number),
    ("i1d3.challenge_decode_key", "interrupt:colorimeter.decode_key", number),
    ("i1d3.challenge_data", "interrupt:colorimeter.challenge", octets),
    ("i1d3.challenge_response", "interrupt:colorimeter.challenge_response", octets),
    ("i1d3.unlock_result", "interrupt:colorimeter.unlock_result", number),
    ("i1d3.readintee_data", "interrupt:colorimeter.internal_eeprom", octets),
    ("i1d3.readintee_offset", "interrupt:colorimeter.internal_offset", number),
    ("i1d3.readintee_length", "interrupt:colorimeter.internal_length", number),
    ("i1d3.readextee_data", "interrupt:colorimeter.external_eeprom", octets),
    ("i1d3.readextee_offset", "interrupt:colorimeter.external_offset", number),
    ("i1d3.readextee_length", "interrupt:colorimeter.external_length", number),
    ("i1d3.led_mode", "interrupt:colorimeter.led_mode", number),
    ("i1d3.led_offtime", "interrupt:colorimeter.off_time", number),
    ("i1d3.led_ontime", "interrupt:colorimeter.on_time", number),
    ("i1d3.led_pulse_count", "interrupt:colorimeter.pulses", number),
    ("i1d3.diffuser_position", "interrupt:colorimeter.diffuser", number),
    ("i1d3.requested_integration_time", "interrupt:colorimeter.integration_cycles", number),
] + [("i1d3.%s.%s" % (theirs, color), "interrupt:colorimeter.%s_%s" % (color, ours_), number)
     for color in ("red", "green", "blue") for theirs, ours_ in (
         ("requested_edge_count", "edges_asked"), ("measured_duration", "cycles"),
         ("measured_edge_count", "edges"))] + [
    ("usbprinter.device_id", "setup:printer.device_id", str),
    ("mbim.bulk.nth.header_length", "bulk:network.wHeaderLength", number),
    ("mbim.bulk.nth.sequence_number", "bulk:network.wSequence", number),
    ("mbim.bulk.nth.block_length", "bulk:network.wBlockLength", number),
    ("mbim.bulk.nth.ndp_index", "bulk:network.wNdpIndex", number),
    ("mbim.bulk.ndp.length", "bulk:network.table_length", number),
    ("mbim.bulk.ndp.next_ndp_index", "bulk:network.wNextNdpIndex", number),
]

CHANNELS_2 = [(i, name) for i, name in enumerate((
    "front left", "front right", "front center", "low frequency", "back left", "back right",
    "front left of center", "front right of center", "back center", "side left", "side right",
    "top center", "top front left", "top front center", "top front right", "top back left",
    "top back center", "top back right", "top front left of center", "top front right of center",
    "left low frequency", "right low frequency", "top side left", "top side right",
    "bottom center", "back left of center", "back right of center"))] + [(31, "raw data")]

# Bits of descriptors. Rows: the pattern of tshark's fields, which end in the bit's number after a
# letter, or in tshark's name of the bit; trawl's list of the bits that are set; the descriptor that
# has the list; the names of the bits.
BITS = [
    ("usbdfu.descriptor.bmAttributes.%s", "bmAttributes_set", "DFU functional", [
        ("CanDownload", "can download"), ("CanUpload", "can upload"),
        ("ManifestationTolerant", "manifestation tolerant"), ("WillDetach", "will detach")]),
    ("usbccid.bVoltageSupport.%s", "bVoltageSupport_set", "smart card", [
        ("18", "1.8 V"), ("30", "3.0 V"), ("50", "5.0 V")]),
    ("usbccid.dwProtocols.%s", "dwProtocols_set", "smart card", [("t0", "T=0"), ("t1", "T=1")]),
    ("usbccid.dwFeatures.%s", "dwFeatures_set", "smart card", [
        ("autoParam", "parameters from the ATR"), ("autoIccActivation", "activation on insertion"),
        ("autoIccClk", "clock frequency"), ("autoBaudRate", "baud rate"), ("autoPPS", "PPS"),
        ("stopIccClk", "clock stop"), ("nadValNot0accept", "NAD other than 0"),
        ("autoIfsd", "IFSD exchange"),
        ("levelExchangeTDPU", "TPDU level"), ("levelExchangeShortAPDU", "short APDU level"),
        ("levelExchangeShortExtendedAPDU", "short and extended APDU level"),
        ("UsbWakeUp", "wake-up")]),
    ("usbccid.hf_ccid_bPINSupport.%s", "bPINSupport_set", "smart card", [
        ("verify", "verification"), ("modify", "modification")]),
    ("usbcom.descriptor.acm.capabilities.%s", "bmCapabilities_set",
     "CDC abstract control management", [
        ("comm_features", "comm features"), ("line_and_state", "line coding and state"),
        ("send_break", "send break"),
        ("network_connection", "network connection")]),
    ("usbcom.descriptor.cm.capabilities.%s", "bmCapabilities_set", "CDC call management", [
        ("call_management", "call management"),
        ("call_management_over_data_class_interface", "over data interface")]),
    ("usbaudio.ac_if_fu.bmaControls.%s", "controls", "audio feature unit", [
        ("d%d" % i, name) for i, name in enumerate((
            "mute", "volume", "bass", "mid", "treble", "graphic equalizer", "automatic gain",
            "delay", "bass boost",
            "loudness"))]),
    ("usbaudio.ac_if_input.wChannelConfig.%s", "wChannelConfig_set", "audio input terminal", [
        ("d%d" % i, name) for i, name in enumerate((
            "left front", "right front", "center front", "low frequency", "left surround",
            "right surround",
            "left of center", "right of center", "surround", "side left", "side right", "top"))]),
    ("usbaudio.ac_if_input.bmChannelConfig.%s", "bmChannelConfig_set", "audio input terminal",
     [("d%d" % i, name) for i, name in CHANNELS_2]),
    ("usbaudio.as_if_gen.bmChannelConfig.%s", "bmChannelConfig_set", "audio stream",
     [("d%d" % i, name) for i, name in CHANNELS_2]),
    ("usbcom.descriptor.ecm.eth_stats.%s", "bmEthernetStatistics_set", "CDC ethernet", [
        ("xmit_ok", "frames sent"), ("rvc_ok", "frames received"),
        ("xmit_error", "frames not sent"), ("rcv_error", "frames with errors"),
        ("rcv_no_buffer", "frames without a buffer"), ("rcv_overrun", "overruns"),
        ("rcv_crc_error", "CRC errors"), ("rcv_error_alignment", "alignment errors"),
        ("xmit_one_collision", "one collision"), ("xmit_more_collisions", "more collisions"),
        ("xmit_deferred", "deferred"), ("xmit_max_collisions", "too many collisions"),
        ("broadcast_bytes_rcv", "broadcast bytes received"),
        ("multicast_frames_rcv", "multicast frames received"),
        ("multicast_bytes_rcv", "multicast bytes received"),
        ("directed_frames_rcv", "directed frames received"),
        ("directed_bytes_rcv", "directed bytes received"),
        ("broadcast_frames_xmit", "broadcast frames sent"),
        ("broadcast_bytes_xmit", "broadcast bytes sent"),
        ("multicast_frames_xmit", "multicast frames sent"),
        ("multicast_bytes_xmit", "multicast bytes sent"),
        ("directed_frames_xmit", "directed frames sent"),
        ("xmit_underrun", "underruns"), ("xmit_heartbeat_failure", "heartbeat failures"),
        ("xmit_times_crs_lost", "carrier sense lost"), ("xmit_late_collisions", "late collisions"),
        ("transmit_queue_length", "transmit queue length"),
        ("directed_bytes_xmit", "directed bytes sent"),
        ("broadcast_frames_rcv", "broadcast frames received")]),
    ("usbaudio.ac_if_mu.wChannelConfig.%s", "wChannelConfig_set", "audio mixer unit", [
        ("d%d" % i, name) for i, name in enumerate((
            "left front", "right front", "center front", "low frequency", "left surround",
            "right surround",
            "left of center", "right of center", "surround", "side left", "side right", "top"))]),
    ("usbaudio.as_ep_gen.bmAttributes.%s", "bmAttributes_set", "audio endpoint", [
        ("d0", "sampling frequency"), ("d1", "pitch"), ("d7", "max packets only")]),
    ("usbvideo.camera.control.%s", "bmControls_set", "video input terminal", [
        ("D%d" % i, name) for i, name in enumerate((
            "scanning mode", "auto exposure mode", "auto exposure priority",
            "exposure time (absolute)", "exposure time (relative)", "focus (absolute)",
            "focus (relative)", "iris (absolute)", "iris (relative)", "zoom (absolute)",
            "zoom (relative)", "pan/tilt (absolute)", "pan/tilt (relative)", "roll (absolute)",
            "roll (relative)", None, None, "auto focus", "privacy", "focus (simple)", "window",
            "region of interest")) if name]),
    ("usbvideo.processor.control.%s", "bmControls_set", "video processing unit", [
        ("D%d" % i, name) for i, name in enumerate((
            "brightness", "contrast", "hue", "saturation", "sharpness", "gamma",
            "white balance temperature",
            "white balance component", "backlight compensation", "gain", "power line frequency",
            "hue, auto",
            "white balance temperature, auto", "white balance component, auto",
            "digital multiplier",
            "digital multiplier limit", "analog video standard", "analog video lock status",
            "contrast, auto"))]),
]


FIELDS += [(field % theirs, "setup:descriptors.%s=%s@%s" % (member, ours_, descriptor), bit)
           for field, member, descriptor, names in BITS for theirs, ours_ in names]

# Numbers in descriptors. Rows: the prefix of tshark's names, the descriptor, the names that both
# use. Left out: bConfigurationValue, bAlternateSetting, bEndpointAddress, which tshark also has in
# requests.
PARTS = [
    ("usb.", "device", """bcdUSB bDeviceClass bDeviceSubClass bDeviceProtocol bMaxPacketSize0
        bcdDevice iManufacturer iProduct iSerialNumber bNumConfigurations"""),
    ("usb.", "configuration", "bNumInterfaces iConfiguration"),
    ("usb.", "interface", """bInterfaceNumber bNumEndpoints bInterfaceSubClass bInterfaceProtocol
        iInterface"""),
    ("usb.", "configuration", "bMaxPower"),
    ("usb.", "endpoint", "wMaxPacketSize bInterval"),
    ("usb.audio.", "endpoint", "bSynchAddress"),
    ("usb.", "string", "wLANGID"),
    ("usb.", "interface association", "bFirstInterface bInterfaceCount bFunctionClass "
                                      "bFunctionSubClass bFunctionProtocol iFunction"),
    ("usb.", "SuperSpeed endpoint companion", "bMaxBurst wBytesPerInterval"),
    ("usbhid.descriptor.hid.", "HID", "bcdHID bCountryCode bNumDescriptors"),
    ("usbaudio.ac_if_hdr.", "audio control header", "bcdADC bCategory wTotalLength bInCollection"),
    ("usbaudio.ac_if_input.", "audio input terminal", """bTerminalID wTerminalType bAssocTerminal
        bNrChannels iChannelNames iTerminal bCSourceID bmChannelConfig wChannelConfig"""),
    ("usbaudio.ac_if_output.", "audio output terminal",
     "bTerminalID wTerminalType bAssocTerminal bSourceID iTerminal bCSourceID"),
    ("usbaudio.ac_if_fu.", "audio feature unit", "bUnitID bSourceID iFeature"),
    ("usbaudio.ac_if_clksrc.", "audio clock source",
     "bClockID bmAttributes bmControls bAssocTerminal iClockSource"),
    ("usbaudio.ac_if_clksel.", "audio clock selector",
     "bClockID bNrInPins baCSourceID bmControls iClockSelector"),
    ("usbaudio.ac_if_su.", "audio selector unit", "bUnitID bNrInPins baSourceID iSelector"),
    ("usbaudio.ac_if_mu.", "audio mixer unit",
     "bUnitID bNrInPins baSourceID bNrChannels wChannelConfig iChannelNames iMixer"),
    ("usbaudio.ms_if_midi_in.", "MIDI in jack", "bJackType bJackID iJack"),
    ("usbaudio.ms_if_midi_out.", "MIDI out jack", "bJackType bJackID bNrInputPins baSourceID iJack"),
    ("usbaudio.as_if_gen.", "audio stream",
     "bTerminalLink bFormatType bmFormats bNrChannels bmChannelConfig iChannelNames bDelay"),
    ("usbaudio.as_if_ft.", "audio format",
     "bFormatType bNrChannels bSubframeSize bSubslotSize bSamFreqType"),
    ("usbaudio.as_ep_gen.", "audio endpoint", "bmAttributes bmControls bLockDelayUnits wLockDelay"),
    ("usbccid.", "smart card", """bMaxSlotIndex bVoltageSupport dwProtocols dwDefaultClock
        dwMaximumClock bNumClockSupported dwDataRate dwMaxDataRate bNumDataRatesSupported dwMaxIFSD
        dwSynchProtocols dwMechanical dwFeatures dwMaxCCIDMessageLength"""),
    ("usbdfu.descriptor.", "DFU functional", "wDetachTimeOut wTransferSize bcdDFUVersion"),
]


# Numbers in descriptors whose names differ. Rows: tshark's field, the descriptors, our member.
NAMED = [
    ("usb.bString", "string", "bString"),
    ("usbvideo.format.index", "video *", "bFormatIndex"),
    ("usbvideo.format.numFrameDescriptors", "video *", "bNumFrameDescriptors"),
    ("usbvideo.format.guid", "video *", "guidFormat"),
    ("usbvideo.format.bitsPerPixel", "video *", "bBitsPerPixel"),
    ("usbvideo.format.defaultFrameIndex", "video *", "bDefaultFrameIndex"),
    ("usbvideo.frame.index", "video *", "bFrameIndex"),
    ("usbvideo.frame.maxBuffer", "video *", "dwMaxVideoFrameBufferSize"),
    ("usbvideo.frame.interval.default", "video *", "dwDefaultFrameInterval"),
    ("usbvideo.frame.interval", "video *", "dwFrameInterval"),
    ("usbcom.descriptor.control_interface", "CDC union", "bControlInterface"),
    ("usbcom.descriptor.subordinate_interface", "CDC union", "bSubordinateInterface"),
    ("usbcom.descriptor.cm.data_interface", "CDC call management", "bDataInterface"),
    ("usbcom.descriptor.ecm.max_segment_size", "CDC ethernet", "wMaxSegmentSize"),
    ("usbaudio.ms_if_midi_out.BaSourcePin", "MIDI out jack", "baSourcePin"),
    ("usbaudio.ms_if_hdr.wTotalLength", "MIDI header", "wTotalLength"),
    ("usbaudio.ac_if_hdr.baInterfaceNr", "audio control header", "baInterfaceNr"),
    ("usbaudio.ac_if_clksrc.bmAttributes.d2", "audio clock source", "synchronized_to_sof"),
    ("usbaudio.as_if_ft.wMaxBitRate", "audio format", "wMaxBitRate"),
    ("usbaudio.as_if_ft.wSamplesPerFrame", "audio format", "wSamplesPerFrame"),
    ("usbccid.hf_ccid_bClassGetResponse", "smart card", "bClassGetResponse"),
    ("usbccid.hf_ccid_bClassEnvelope", "smart card", "bClassEnvelope"),
    ("usbccid.hf_ccid_wLcdLayout", "smart card", "wLcdLayout"),
    ("usbccid.hf_ccid_wLcdLayout.lines", "smart card", "lcd_lines"),
    ("usbccid.hf_ccid_wLcdLayout.chars", "smart card", "lcd_characters"),
    ("usbccid.hf_ccid_bPINSupport", "smart card", "bPINSupport"),
    ("usbccid.hf_ccid_bMaxCCIDBusySlots", "smart card", "bMaxCCIDBusySlots"),
    ("usbcom.descriptor.ecm.nb_mc_filters", "CDC ethernet", "wNumberMCFilters"),
    ("usbcom.descriptor.ecm.nb_mc_filters.nb_filters_supported", "CDC ethernet",
     "multicast_filters"),
    ("usbcom.descriptor.ecm.nb_power_filters", "CDC ethernet", "bNumberPowerFilters"),
    ("usbcom.descriptor.ecm.mac_address", "CDC ethernet", "iMACAddress"),
    ("usbvideo.color.primaries", "video color matching", "bColorPrimaries"),
    ("usbvideo.color.transferCharacteristics", "video color matching", "bTransferCharacteristics"),
    ("usbvideo.color.matrixCoefficients", "video color matching", "bMatrixCoefficients"),
    ("usbvideo.format.aspectRatioX", "video *", "bAspectRatioX"),
    ("usbvideo.format.aspectRatioY", "video *", "bAspectRatioY"),
    ("usbvideo.format.interlace", "video *", "bmInterlaceFlags"),
    ("usbvideo.format.copyProtect", "video *", "bCopyProtect"),
    ("usbvideo.frame.capabilities", "video *", "bmCapabilities"),
    ("usbvideo.frame.interval.type", "video *", "bFrameIntervalType"),
    ("usbvideo.ep.maxInterruptSize", "video endpoint", "wMaxTransferSize"),
    ("usbvideo.extension.numControls", "video extension unit", "bNumControls"),
    ("usbvideo.processor.maxMultiplier", "video processing unit", "wMaxMultiplier"),
    ("usbvideo.camera.objectiveFocalLengthMin", "video input terminal", "wObjectiveFocalLengthMin"),
    ("usbvideo.camera.objectiveFocalLengthMax", "video input terminal", "wObjectiveFocalLengthMax"),
    ("usbvideo.camera.ocularFocalLength", "video input terminal", "wOcularFocalLength"),
    ("usbaudio.ms_ep_gen.bNumEmbMIDIJack", "MIDI endpoint", "bNumEmbMIDIJack"),
    ("usbaudio.ms_ep_gen.baAssocJackID", "MIDI endpoint", "baAssocJackID"),
]
TEXTS = {"bString", "guidFormat"}


def descriptor_values(name, kind):
    """The values of a member in a descriptor, or in all with a name like "video *"."""
    def values(fields):
        for d in fields.get("decoded", {}).get("descriptors") or []:
            said = d.get("descriptor") or ""
            if name in d and (said == kind or (kind[-1] == "*" and said.startswith(kind[:-1]))):
                found = d[name] if isinstance(d[name], list) else [d[name]]
                yield from (text(v) if name in TEXTS else figure(v) for v in found)
        # The fields of requests to a camera have the same names as those of its descriptors.
        if kind == "video *" and name in fields.get("decoded", {}).get("stream", {}):
            yield fields["decoded"]["stream"][name]
    return values


def storage(phase, *path):
    def values(fields):
        at = fields.get("decoded", {}).get("storage", {})
        if at.get("transport") == "bulk-only" and at.get("phase") in phase.split():
            for name in path:
                at = at.get(name, {})
            if at != {}:
                yield at
    return values


def ten(name):
    def values(fields):
        for scsi in storage("command", "scsi")(fields):
            if scsi["opcode"] in (0x28, 0x2a) and name in scsi:
                yield scsi[name]
    return values


def sense_key(fields):
    """The answer to REQUEST SENSE; of UAS, what comes with the status."""
    at = fields.get("decoded", {}).get("storage", {})
    for name in ("answer", "sense"):
        if "sense_key" in at.get(name, {}):
            yield at[name]["sense_key"]


def mode(name, code=None):
    """A member of the mode parameters; with code, of each page with that code."""
    def values(fields):
        at = fields.get("decoded", {}).get("storage", {})
        at = at.get("answer", at.get("parameter_list", {}))
        for page in [at] if code is None and "mode_data_length" in at else at.get("pages", []):
            if code is None or page["page_code"] == code:
                yield from (page[name],) if name in page else ()
    return values


def of_command(name, opcodes):
    """A member of a command, from the transfer that sends the command."""
    def values(fields):
        at = fields.get("decoded", {}).get("storage", {})
        scsi = at.get("scsi", {})
        if at.get("phase") == "command" and (not opcodes or scsi.get("opcode") in opcodes):
            yield from (scsi[name],) if name in scsi else ()
    return values


def unit(name):
    """A member of the answer to INQUIRY that all of its answers with flags have."""
    def values(fields):
        at = fields.get("decoded", {}).get("storage", {}).get("answer", {})
        if "vendor" in at and name in at:
            yield at[name]
    return values


def of_sense(name):
    def values(fields):
        at = fields.get("decoded", {}).get("storage", {})
        for part in ("answer", "sense"):
            if "sense_key" in at.get(part, {}) and name in at[part]:
                yield at[part][name]
    return values


def of_uas(name):
    def values(fields):
        at = fields.get("decoded", {}).get("storage", {})
        if at.get("transport") == "UAS" and name in at:
            yield at[name]
    return values


# Mode pages. Rows: the prefix of tshark's names, the page's code, the names that both use, or
# "theirs=ours". Left out: times and bursts, which tshark multiplies, and fields for which it takes
# fewer or other bits (QERR, FAIR ARBITRATION: SPC-4, 7.5.7 and 7.5.8; LS_V: MMC-6, 7.2.3).
PAGES = [
    ("scsi.sbc.modepage.", 0x08, """ic abpf cap disc size wce mf rcd demand_read_retention_priority
     write_retention_priority disable_pre_fetch_xfer_len=disable_prefetch_transfer_length
     minimum_pre_fetch=minimum_prefetch maximum_pre_fetch=maximum_prefetch
     maximum_pre_fetch_ceiling=maximum_prefetch_ceiling fsw lbcss dra number_of_cache_segments
     cache_segment_size non_cache_segment_size"""),
    ("scsi.sbc.modepage.", 0x01, """awre arre tb rc eer per dte dcr read_retry_count correction_span
     head_offset_count data_strobe_offset_count write_retry_count recovery_time_limit"""),
    ("scsi.sbc.modepage.", 0x03, """tracks_per_zone alternate_sectors_per_zone
     alternate_tracks_per_zone alternate_tracks_per_lu=alternate_tracks_per_unit sectors_per_track
     data_bytes_per_physical_sector interleave track_skew_factor cylinder_skew_factor ssec hsec rmb
     surf"""),
    ("scsi.sbc.modepage.", 0x04, """number_of_cylinders number_of_heads
     starting_cyl_pre_compensation=starting_cylinder_precompensation
     starting_cyl_reduced_write_current=starting_cylinder_reduced_write_current device_step_rate
     landing_zone_cyl=landing_zone_cylinder rotational_offset medium_rotation_rate"""),
    ("scsi.spc.modepage.", 0x1c, "perf ebf ewasc dexcpt test logerr interval_timer report_count"),
    ("scsi.mode.", 0x1c, "mrie"),
    ("scsi.mode.", 0x0a, "tst qmod=queue_algorithm_modifier rac"),
    ("scsi.spc.modepage.", 0x0a, """gltsd disable_queuing=dque swp autoload_mode
     extended_self_test_completion_time"""),
    ("scsi.spc.modepage.", 0x02, """buffer_full_ratio buffer_empty_ratio bus_inactivity_limit
     disconnect_time_limit connect_time_limit emdp"""),
    ("scsi.spc.modepage.", 0x1a, """idle=idle_a standby=standby_z
     idle_condition_timer=idle_a_timer standby_condition_timer=standby_z_timer"""),
    ("scsi.mmc5.modepage.", 0x05, """bufe wrparam_test_write=test_write write_type
     wrparam_multi_session=multi_session fp copy track_mode data_block_type link_size
     initiator_application_code session_format packet_size audio_pause_length"""),
    ("scsi.mmc5.modepage.", 0x2a, """dvd_ram_read dvd_r_read dvd_rom_read method_2 cd_rw_read
     cd_r_read dvd_ram_write dvd_r_write dvd_rom_write mmcap_test_write=test_write cd_rw_write
     cd_r_write buf mmcap_multi_session=multi_session mode_2_form2=mode_2_form_2
     mode_2_form1=mode_2_form_1 digital_port2=digital_port_2 digital_port1=digital_port_1 composite
     audio_play read_bar_code upc isrc c2_pointers_supported=c2_pointers rw_deinterleaved_corrected
     rw_supported cd_da_stream_is_accurate=cd_da_accurate cd_da_cmds_supported=cd_da_commands
     loading_mechanism_type eject prevent_jumper lock_state lock rw_in_lead_in side_change_capable
     sw_slot_selection changer_supports_disc_present separate_channel_mute separate_volume_levels
     number_of_volume_levels_supported=number_of_volume_levels buffer_size_supported=buffer_size
     length lsbf rck bckf copy_management_revision_support=copy_management_revision
     rotation_control_selected=rotation_control
     current_write_speed_selected num_write_speed_performance=write_speed_descriptors"""),
]
READS, WRITES = (0x28, 0xa8, 0x88), (0x2a, 0xaa, 0x8a)


def scsi_rows():
    for prefix, code, names in PAGES:
        for theirs, ours_ in pairs(names):
            yield prefix + theirs, mode(ours_, code), figure_or_bit
    for theirs, ours_ in pairs("""mode_data_length medium_type block_descriptor_length
                               longlba=long_lba"""):
        yield "scsi.cdb.mode." + theirs, mode(ours_), figure_or_bit
    for theirs, ours_ in pairs("""removable version add_len=additional_length sccs acc tpgs tpc
                               protect bque encserv multip cmdque rdf=response_data_format hisup
                               normaca"""):
        yield "scsi.inquiry." + theirs, unit(ours_), figure_or_bit
    for theirs, ours_ in pairs("""filemark eom ili addlen=additional_sense_length asc ascq
                               fru=field_replaceable_unit sksv"""):
        yield "scsi.sns." + theirs, of_sense(ours_), figure_or_bit
    yield "scsi_sbc.rdprotect", of_command("rdprotect", READS), figure_or_bit
    yield "scsi_sbc.wrprotect", of_command("wrprotect", WRITES), figure_or_bit
    yield "scsi_sbc.fua", of_command("fua", READS + WRITES), figure_or_bit
    yield "scsi_sbc.dpo", of_command("dpo", READS + WRITES), figure_or_bit
    yield "scsi.mode.pc", of_command("page_control", (0x1a, 0x5a)), figure_or_bit
    yield "scsi.cdb.control.naca", of_command("naca", ()), figure_or_bit
    for theirs, ours_ in pairs("task_attr=task_attribute priority=command_priority"):
        yield "uasp.command." + theirs, of_uas(ours_), figure_or_bit
    for theirs, ours_ in pairs("status_qualifier length=sense_length"):
        yield "uasp.sense." + theirs, of_uas(ours_), figure_or_bit


# Bits of LMP features from 0 up, as tshark names them; -: reserved, or several bits in one.
LMP = """3slot_packets 5slot_packets encryption slot_offset timing_accuracy role_switch hold_mode
sniff_mode park_state power_control_requests channel_quality_driven_data_rate sco_link hv2_packets
hv3_packets u_law_log_synchronous_data a_law_log_synchronous_data cvsd_synchronous_data
paging_parameter_negotiation power_control transparent_synchronous_data - - - broadcast_encryption -
edr_acl_2mbps_mode edr_acl_3mbps_mode enhanced_inquiry_scan interlaced_inquiry_scan
interlaced_page_scan rssi_with_inquiry_results ev3_packets ev4_packets ev5_packets -
afh_capable_slave afh_classification_slave br_edr_not_supported le_supported_controller
3slot_edr_acl_packets 5slot_edr_acl_packets sniff_subrating pause_encryption afh_capable_master
afh_classification_master edr_esco_2mbps_mode edr_esco_3mbps_mode 3slot_edr_esco_packets
extended_inquiry_response simultaneous_le_and_br_edr.controller - secure_simple_pairing
encapsulated_pdu erroneous_data_reporting non_flushable_packet_boundary_flag -
supervision_timeout_changed_event inquiry_tx_power_level enhanced_power_control - - - -
extended_features""".split()
# Bits of the mask of events that have names; tshark has their numbers in octal.
EVENTS = [i for i in range(60) if i not in (13, 14, 18, 54, 57) and not 34 < i < 43]
POLICY = ["switch", "hold", "sniff", "park"]


def hci_bit(name, bit, page=0, command=False):
    """A bit of a mask; command: of commands only, not of the events that return it."""
    def values(fields):
        at = fields.get("decoded", {}).get("hci", {})
        if command and fields.get("xfer") != "control":
            return
        if name + "_set" in at and at.get("page_number", 0) == page:
            yield at[name] >> bit & 1
    return values


# Bits of further pages of features. Left out: the slot availability mask, which tshark takes from
# another bit.
PAGES_OF_LMP = {1: """secure_simple_pairing_host le_supported.host
                simultaneous_le_and_br_edr.host secure_connections_host""".split(),
                2: """- - synchronization_train synchronization_scan - generalized_interlaced_scan
                coarse_clock_adjustment - secure_connections_controller ping - train_nudging
                """.split()}


def hci_rows():
    for bit_, name in enumerate(LMP):
        if name != "-":
            yield "bthci_evt.lmp_features." + name, hci_bit("lmp_features", bit_), figure_or_bit
    for page, names in PAGES_OF_LMP.items():
        for bit_, name in enumerate(names):
            if name != "-":
                yield ("bthci_evt.lmp_features." + name, hci_bit("lmp_features", bit_, page),
                       figure_or_bit)
    for bit_ in EVENTS:
        yield ("bthci_cmd.evt_mask_%02o" % bit_, hci_bit("event_mask", bit_, command=True),
               figure_or_bit)
    for bit_, name in enumerate(POLICY):
        yield ("bthci_cmd.link_policy_" + name, hci_bit("link_policy", bit_, command=True),
               figure_or_bit)


def axis(usage):
    def values(fields):
        report = fields.get("decoded", {}).get("report", {})
        if fields.get("xfer") == "interrupt":
            yield from (v["value"] for v in report.get("values", []) if v.get("usage") == usage)
    return values


def hub(name):
    def values(fields):
        at = fields.get("decoded", {}).get("hub", {})
        if "wPortStatus" in at:
            yield at[name]
    return values


def asked(name, requests):
    def values(fields):
        setup = fields.get("setup", {})
        # Without descriptors tshark does not know the class; trawl guesses it from the requests.
        if (setup.get("request") in requests.split() and name in setup and
                not setup.get("class_guessed")):
            yield setup[name]
    return values


def modem(path, command="", sets=None):
    """A member of MBIM messages, of all or of those with these commands. sets: only of messages
    that set something (True) or of the others (False). A path is a list, then a member."""
    def values(fields):
        at = fields.get("decoded", {}).get("network", {})
        kind = {None: False, "set": True}.get(at.get("command_type"), "query")
        if at.get("framing") != "MBIM" or sets not in (None, kind):
            return
        # tshark takes only the whole message apart, at its last fragment.
        if path in ("service", "cid", "information_length") and (
                at.get("fragment", 0) + 1 < at.get("fragments", 1)):
            return
        if command:
            at = at.get("information", {}) if at.get("cid_name") in command.split() else {}
        *lists, name = path.split("/")
        for part in lists:
            at = at.get(part, {})
        yield from (v for v in walk(at, name) if v != "")  # tshark has no field for an empty text
    return values


# Rows: the prefix of tshark's names below "mbim.control.", the command, whether only messages that
# set something count, the names, with ours if it differs. Left out:
# service_activation_info.data_buffer, which tshark begins four bytes early.
MODEM = [
    ("header.", "", None, "message_type message_length transaction_id=message_id"),
    ("fragment.", "", None, "total=fragments current=fragment"),
    ("", "", None, """max_control_transfer=max_transfer_size device_service_id=service:text cid
     info_buffer_len=information_length"""),
    ("device_caps_info.", "DEVICE_CAPS", None, """device_type cellular_class voice_class sim_class
     data_class sms_caps control_caps max_sessions custom_data_class:text device_id:text
     fw_info=firmware:text hw_info=hardware:text"""),
    ("subscriber_ready_status.", "SUBSCRIBER_READY_STATUS", None, "ready_state ready_info"),
    ("device_caps_info.subscriber_ready_status.", "SUBSCRIBER_READY_STATUS", None,
     "subscriber_id:text sim_icc_id:text"),
    ("radio_state.", "RADIO_STATE", None, "set=radio_state hw_radio_state"),
    ("set_pin.", "PIN", True, "pin_type pin_operation"),
    ("pin_info.", "PIN", False, "pin_type pin_state remaining_attempts"),
    ("pin_list.", "PIN_LIST", None, "pin_mode pin_format pin_length_min pin_length_max"),
    ("", "HOME_PROVIDER PREFERRED_PROVIDERS VISIBLE_PROVIDERS MULTICARRIER_PROVIDERS", None,
     "provider_state"),
    ("provider.", "HOME_PROVIDER PREFERRED_PROVIDERS VISIBLE_PROVIDERS MULTICARRIER_PROVIDERS", None,
     "provider_id:text provider_name:text cellular_class rssi error_rate"),
    ("visible_providers_req.", "VISIBLE_PROVIDERS", None, "action=scan"),
    ("set_register_state.", "REGISTER_STATE", True, "register_action data_class provider_id:text"),
    ("registration_state_info.", "REGISTER_STATE", False, """nw_error=network_error register_state
     register_mode available_data_classes current_cellular_class registration_flags
     provider_id:text provider_name:text roaming_text:text"""),
    ("set_packet_service.", "PACKET_SERVICE", True, "action=packet_action"),
    ("packet_service_info.", "PACKET_SERVICE", False, """nw_error=network_error packet_service_state
     highest_available_data_class=highest_data_class uplink_speed downlink_speed"""),
    ("set_signal_state.", "SIGNAL_STATE", True,
     "signal_strength_interval rssi_threshold error_rate_threshold"),
    ("signal_state_info.", "SIGNAL_STATE", False,
     "rssi error_rate signal_strength_interval rssi_threshold error_rate_threshold"),
    ("set_connect.", "CONNECT", True, """session_id activation_command access_string:text
     user_name:text compression auth_protocol ip_type"""),
    ("connect_info.", "CONNECT", False,
     "session_id activation_state voice_call_state ip_type nw_error=network_error"),
    ("", "CONNECT PROVISIONED_CONTEXTS", None, "context_type:text"),
    ("context.", "PROVISIONED_CONTEXTS", None,
     "context_id access_string:text user_name:text compression auth_protocol"),
    ("set_service_activation.", "SERVICE_ACTIVATION", True, "data_buffer=vendor_data:octets"),
    ("service_activation_info.", "SERVICE_ACTIVATION", False, "nw_error=network_error"),
    ("ip_configuration_info.", "IP_CONFIGURATION", None, "session_id"),
    ("ip_configuration_info.", "IP_CONFIGURATION", False, """
     ipv4_configuration_available=ipv4_configured ipv6_configuration_available=ipv6_configured
     ipv4_gateway:text ipv6_gateway:text ipv4_mtu ipv6_mtu"""),
    ("ipv4_element.", "IP_CONFIGURATION", None, "ipv4_address=ipv4:text"),
    ("ipv6_element.", "IP_CONFIGURATION", None, "ipv6_address=ipv6:text"),
    ("device_services_info.", "DEVICE_SERVICES", None, "device_services_count max_dss_sessions"),
    ("device_service_element.", "DEVICE_SERVICES", None,
     "device_service_id=device_service:text dss_payload max_dss_instances"),
    ("event_entry.", "DEVICE_SERVICE_SUBSCRIBE_LIST", None, "device_service_id=device_service:text"),
    ("packet_statistics_info.", "PACKET_STATISTICS", None, """in_discards in_errors in_octets
     in_packets out_octets out_packets out_errors out_discards"""),
    ("packet_filters.", "IP_PACKET_FILTERS", None, "session_id"),
    ("single_packet_filter.", "IP_PACKET_FILTERS", None,
     "filter_size packet_filter:octets packet_mask:octets"),
    ("network_idle_hint.", "NETWORK_IDLE_HINT", None, "state=idle_hint"),
    ("emergency_mode_info.", "EMERGENCY_MODE", None, "mode=emergency_mode"),
    ("sms_read_req.", "READ", None, "flag=sms_filter"),
    ("sms_pdu_record.", "READ", None, "message_index=pdu_messages/message_index message_status=pdu_messages/sms_status"),
    ("sms_send_info.", "SEND", None, "message_reference"),
    ("set_sms_delete.", "DELETE", True, "flag=sms_filter message_index"),
    ("sms_status_info.", "MESSAGE_STORE_STATUS", None, "flags=store_flags message_index"),
    ("set_ussd.", "USSD", True, "ussd_action ussd_data_coding_scheme=data_coding_scheme"),
    ("info_ussd.", "USSD", False, "ussd_response ussd_session_state=ussd_session"),
    ("phonebook_configuration_info.", "CONFIGURATION", None, """phonebook_state
     total_nb_of_entries=entries used_entries max_number_length max_name_length"""),
    ("stk_terminal_response_info.", "TERMINAL_RESPONSE", False, "status_word"),
    ("akap_auth_req.", "AKAP_AUTH", None, "rand:octets autn:octets network_name:text"),
    ("aka_auth_req.", "AKA_AUTH", None, "rand:octets autn:octets"),
    ("set_dss_connect.", "CONNECT", True,
     "device_service_id=device_service:text dss_session_id dss_link_state=link"),
]


def modem_rows():
    for prefix, command, sets, names in MODEM:
        for name in names.split():
            name, _, kind = name.partition(":")
            theirs, _, ours_ = name.partition("=")
            yield ("mbim.control." + prefix + theirs, modem(ours_ or theirs, command, sets),
                   {"text": text, "octets": octets}.get(kind, number))


# Rows: tshark's field, the function that yields our values from a line's "fields", the function
# that reads tshark's text.
FOUND = [(prefix + name, descriptor_values(name, kind),
          release if name.startswith("bcd") else number)
         for prefix, kind, names in PARTS for name in names.split()] + [
    (theirs, descriptor_values(name, kind), text if name in TEXTS else number)
    for theirs, kind, name in NAMED] + [
    ("usbhid.setup.ReportID", asked("report_id", "GET_REPORT SET_REPORT GET_IDLE SET_IDLE"), number),
    ("usbms.dCBWLUN", storage("command", "lun"), number),
    ("usbdfu.timeout", asked("timeout_ms", "DFU_DETACH"), number),
    ("usbms.dCBWTag", storage("command status", "tag"), number),
    ("usbms.dCBWDataTransferLength", storage("command", "data_length"), number),
    ("usbms.dCSWStatus", storage("status", "status"), number),
    ("usbms.dCSWDataResidue", storage("status", "residue"), number),
    ("scsi_sbc.rdwr10.lba", ten("lba"), number),
    ("scsi_sbc.rdwr10.xferlen", ten("blocks"), number),
    ("scsi.inquiry.vendor_id", storage("data", "answer", "vendor"), str.strip),
    ("scsi.inquiry.product_id", storage("data", "answer", "product"), str.strip),
    ("scsi_sbc.returned_lba", storage("data", "answer", "last_lba"), number),
    ("scsi_sbc.blocksize", storage("data", "answer", "block_size"), number),
    ("scsi.sns.key", sense_key, number),
    ("usbhid.data.axis.x", axis("X"), number),
    ("usbhid.data.axis.y", axis("Y"), number),
    ("usbhub.status.port", hub("wPortStatus"), number),
    ("usbhub.change.port", hub("wPortChange"), number),
] + list(modem_rows()) + list(scsi_rows()) + list(hci_rows()) + list(
    part_rows()) + list(disc_rows()) + list(pedal_rows()) + list(bt_rows())
PATHS = {row[0]: row[1] for row in FIELDS}
PATHS.update({prefix + name: "setup:descriptors.%s@%s" % (name, kind)
              for prefix, kind, names in PARTS for name in names.split()})
PATHS.update({theirs: "setup:descriptors.%s@%s" % (name, kind) for theirs, kind, name in NAMED})
PATHS.update({row[0]: "" for row in FOUND if row[0] not in PATHS})


def bits(descriptors, text):
    """For "member=name@descriptor": whether each such descriptor has the name in its list."""
    member, rest = text.split("=", 1)
    name, kind = rest.rsplit("@", 1)
    for d in descriptors if isinstance(descriptors, list) else []:
        if d.get("descriptor") == kind:
            yield from (int(name in found) for found in members(d, member)
                        if isinstance(found, list))


def ours(lines):
    """{row: bag of values} of the JSON lines of a capture."""
    bags = collections.defaultdict(collections.Counter)
    for line in lines:
        fields = json.loads(line)["fields"]
        decoded = fields.get("decoded", {})
        kind = "setup" if fields.get("xfer") == "control" else fields.get("xfer", "")
        for row in FIELDS:
            where, path = row[1].split(":", 1)
            top, name = path.split(".", 1)
            if where == kind or (where == "bulk" and kind == "interrupt" and top == "midi"):
                if "@" in name:
                    bags[row[0]].update(bits(decoded.get(top), name))
                    continue
                for member in name.split("|"):
                    bags[row[0]].update(walk(decoded.get(top, {}), member))
        for name, values, _ in FOUND:
            bags[name].update(values(fields))
    return bags


def theirs(path, tshark_fields, second=()):
    """{row: bag of values} by tshark, without the packets that are duplicates of an event."""
    rows = [r for r in FIELDS + FOUND if r[0] in tshark_fields]
    argv = ["tshark", "-r", path, "-T", "fields", "-E", "occurrence=a", "-E", "aggregator=|",
            "-e", "usb.transfer_type", "-e", "usb.darwin.endpoint_address", "-e", "usb.bLength"]
    for r in rows:
        argv += ["-e", r[0]]
    bags = collections.defaultdict(collections.Counter)
    p = subprocess.run(argv, capture_output=True)
    if p.returncode and not p.stdout:  # it also fails after it has read a file that ends early
        raise RuntimeError(f"tshark of {path}: {p.stderr.decode('utf-8', 'replace')[-200:]}")
    for i, line in enumerate(p.stdout.decode("utf-8", "replace").splitlines()):
        if i in second:
            continue
        xfer, endpoint, lengths, *cells = line.split("\t")
        if lengths.split("|")[0] == "0":  # empty, but tshark takes fields of it
            continue
        for row, cell in zip(rows, cells):
            # tshark takes vendor requests to an interface of class HID for reports; in captures of
            # macOS it takes data to an FTDI converter for status from it.
            if cell and not (row[0].startswith("usbhid.data.") and xfer != "0x01") and not (
                    "_status" in row[0] and row[0].startswith("ftdi-ft.") and
                    not number(endpoint or "0x80") & 0x80):
                bags[row[0]].update(row[2](v) for v in cell.split("|"))
    return bags


def compare(originals, trawl, run, tshark_fields, lines=None, second=()):
    """([what differs], number of equal values). lines: the output of trawl-decode --json for
    trawl, if known; second: numbers of the packets of the first original that are duplicates."""
    if lines is None:
        lines = run("trawl-decode", "--json", trawl).stdout.splitlines()
    want, got = collections.defaultdict(collections.Counter), ours(lines)
    for path in originals:
        for name, bag in theirs(path, tshark_fields, second).items():
            want[name].update(bag)
    # If all requests name interface 0, tshark reads reports by another interface's descriptor.
    if any("owner_interface" in json.loads(line)["fields"].get("decoded", {}) for line in lines):
        want = {name: bag for name, bag in want.items() if not name.startswith("usbhid.data.")}
    # tshark reads the port status of a SuperSpeed hub by the bits of USB 2, and gives some of them
    # twice, for the status and the change.
    superspeed = sum("link_state" in json.loads(line)["fields"].get("decoded", {}).get("hub", {})
                     for line in lines)
    # tshark has fewer values in three cases. It shows no fields of a descriptor that ends early,
    # while trawl shows those that are there. It does not decode an answer that it does not join to
    # its request (USBPcap uses IRP ids again). And it knows storage by descriptors only.
    cut = run("trawl-decode", "--where", "decoded.wTotalLength > data_length and data_length > 9",
              trawl).stdout
    wrong, equal = [], 0
    for name in sorted(want):
        fewer = sum(want[name].values()) < sum(got[name].values()) and (
            "@" in PATHS[name] or name.startswith(("usbms.", "scsi")))
        other_bits = (name.startswith(("usbhub.status.port.", "usbhub.change.port.")) and
                      not got[name] - want[name] and
                      sum((want[name] - got[name]).values()) <= 2 * superspeed)
        if other_bits:
            equal += sum(got[name].values())
        elif want[name] == got[name] or ((fewer or (cut and ":descriptors." in PATHS[name])) and
                                         not want[name] - got[name]):
            equal += sum(want[name].values())
        else:
            wrong.append("%s: tshark has %s more, trawl %s more" % (
                name, dict((want[name] - got[name]).most_common(3)),
                dict((got[name] - want[name]).most_common(3))))
    return wrong, equal
