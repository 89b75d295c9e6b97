# SPDX-License-Identifier: MIT
"""Rows of classes.py for optical drives. Left out: fields of tshark that are whole bytes of flags
(disk.flags, track.flags, data.flags, format.flags, prevent_allow.flags), which have rows each; what
it shows of the session number of a table of contents in the track's field."""
from values import figure_or_bit, number, pairs, walk

CONFIGURATION, TOC, DISC, TRACK, EVENT = 0x46, 0x43, 0x51, 0x52, 0x4a
STRUCTURE, STREAMING, SPEED, PERFORMANCE, CAPACITY, KEY = 0xad, 0xb6, 0xbb, 0xac, 0x5c, 0xa4
PREVENT, SYNC, CLOSE = 0x1e, 0x35, 0x5b


def of_drive(phase, opcodes, values_of):
    """What values_of yields of the command, or of its answer or parameter list."""
    def values(fields):
        at = fields.get("decoded", {}).get("storage", {})
        scsi = at.get("scsi", {})
        if at.get("phase") == phase and scsi.get("opcode") in opcodes:
            yield from values_of(scsi if phase == "command" else
                                 at.get("answer") or at.get("parameter_list") or {}, scsi)
    return values


def named(name):
    return lambda at, scsi: [at[name]] if name in at else []


def of_feature(code, name):
    def values(at, scsi):
        for f in at.get("features", []):
            if code in (None, f["feature"]) and name in f:
                yield f[name]
    return values


def listed(name):
    """The same member of the answer and of its tracks."""
    return lambda at, scsi: walk(at, name)


def blocks(name, flag):
    return lambda at, scsi: [at[name]] if at.get("block") == flag else []


def classes_asked(bit):
    return lambda at, scsi: [at["notification_class_request"] >> bit & 1]


def kept(scsi, forms):
    return scsi.get("structure_format") in forms


def physical(name):
    return lambda at, scsi: [at[name]] if kept(scsi, (0, 0x11)) and name in at else []


# Rows: tshark's prefix, phase, opcodes, names ("theirs=ours").
PLAIN = [
    ("getconf.", "command", (CONFIGURATION,), "rt starting_feature"),
    ("getconf.", "data", (CONFIGURATION,), "current_profile"),
    ("disc_info.", "data", (DISC,), """erasable state_of_last_session=last_session_state
     disk_status=disc_status number_of_sessions=sessions first_track_in_last_session
     last_track_in_last_session did_v dbc_v uru dac_v dbit bgfs=background_format disc_type
     disc_identification last_session_lead_in_start_address=last_session_lead_in
     last_possible_lead_out_start_address=last_possible_lead_out disc_bar_code"""),
    ("rti.", "command", (TRACK,), "address_type"),
    ("rti.", "data", (TRACK,), "damage copy track_mode rt blank packet fp data_mode lra_v nwa_v"),
    ("", "data", (TRACK,), """next_writable_address free_blocks fixed_packet_size track_size
     last_recorded_address read_compatibility_lba"""),
    ("readtoc.", "command", (TOC,), "time=msf format=toc_format"),
    ("readtoc.", "data", (TOC,), "last_track"),
    ("gesn.", "command", (EVENT,), "polled"),
    ("notification.", "command", (EVENT,), "flags=notification_class_request"),
    ("read_dvd.", "command", (STRUCTURE,), "address layer_number=layer agid"),
    ("report_key.", "data", (KEY,), """type_code=rpc_type vendor_resets user_changes region_mask
     rpc_scheme"""),
    ("setstreaming.", "command", (STREAMING,), """type=streaming_type
     param_len=parameter_list_length"""),
    ("setstreaming.", "data", (STREAMING,), """wrc rdd exact ra start_lbs=start_lba end_lba
     read_size read_time write_size write_time"""),
    ("setcdspeed.", "command", (SPEED,), """rc=rotation_control logical_unit_read_speed=read_speed
     logical_unit_write_speed=write_speed"""),
    ("getperformance.", "command", (PERFORMANCE,), """data_type=performance_data_type starting_lba
     max_num_descriptors=maximum_descriptors type=performance_type"""),
    ("prevent_allow.", "command", (PREVENT,), "persistent prevent"),
    ("synccache.", "command", (SYNC,), "immed reladr"),
    ("closetrack.", "command", (CLOSE,), "immed func=close_function"),
]
FEATURES = [
    ("feature.cdread.", 0x001e, "dap c2flag=c2_flags cdtext=cd_text"),
    ("feature.dvdrw.", 0x002a, "write quickstart=quick_start closeonly=close_only"),
    ("feature.dvdr.", 0x002b, "write"),
    ("feature.dvdr.", 0x002f, "buf testwrite=test_write dvdrw=dvd_rw"),
    ("feature.tao.", 0x002d, """buf rwraw=rw_raw rwpack=rw_pack testwrite=test_write cdrw=cd_rw
     rwsubcode=rw_subcode"""),
    ("feature.sao.", 0x002e, """buf sao rawms=raw_ms raw testwrite=test_write cdrw=cd_rw rw
     mcsl=maximum_cue_sheet_length"""),
    ("feature.isw.", 0x0021, "buf num_linksize=link_sizes"),
    ("feature.", None, """version=feature_version persistent current additional_length
     dts=data_types"""),
]


def disc_rows():
    for prefix, phase, opcodes, names in PLAIN:
        for theirs, ours in pairs(names):
            yield ("scsi_mmc." + prefix + theirs, of_drive(phase, opcodes, named(ours)),
                   figure_or_bit)
    for prefix, code, names in FEATURES:
        for theirs, ours in pairs(names):
            yield ("scsi_mmc." + prefix + theirs,
                   of_drive("data", (CONFIGURATION,), of_feature(code, ours)), figure_or_bit)
    yield ("scsi_mmc.feature",
           of_drive("data", (CONFIGURATION,), of_feature(None, "feature")), number)
    yield ("scsi_mmc.feature.lun_sn",
           of_drive("data", (CONFIGURATION,), of_feature(0x0108, "serial")), str)
    for theirs, ours in pairs("profile profile.current=current"):
        yield "scsi_mmc.feature." + theirs, of_drive("data", (CONFIGURATION,), lambda at, scsi,
                                                     ours=ours: (
            p[ours] for f in at.get("features", []) for p in f.get("profiles", []))), figure_or_bit
    for theirs, ours in pairs("""q.subchannel.adr=adr q.subchannel.control=control
                              track_start_time"""):
        yield "scsi_mmc." + theirs, of_drive("data", (TOC,), lambda at, scsi, ours=ours: walk(
            at.get("tracks", []), ours)), number
    yield ("scsi_mmc.track_start_address",
           of_drive("data", (TOC, TRACK), listed("track_start_address")), number)
    for bit, name in enumerate(("operational_change", "power_management", "external_request",
                                "media", "multi_initiator", "device_busy"), 1):
        yield ("scsi_mmc.gesn." + name, of_drive("command", (EVENT,), classes_asked(bit)),
               figure_or_bit)
    for theirs, ours in pairs("""book.type=book_type book.version=part_version disc.size=disc_size
                              disc.rate=maximum_rate disc.structure=layer_type
                              disk.num_layers=layers disk.track_path=track_path
                              density.channel_bit_length=linear_density
                              density.average_track_pitch=track_density
                              first_physical=first_physical_sector
                              last_physical=last_physical_sector"""):
        yield "scsi_mmc." + theirs, of_drive("data", (STRUCTURE,), physical(ours)), figure_or_bit
    for theirs, ours in pairs("lob=buffer_length alob=available_length"):
        for unit, flag in (("blocks", True), ("bytes", False)):
            yield ("scsi_mmc.rbc.%s_%s" % (theirs, unit),
                   of_drive("data", (CAPACITY,), blocks(ours, flag)), number)
    yield "scsi_mmc.rbc.block", of_drive("data", (CAPACITY,), named("block")), figure_or_bit
    for theirs, ours in pairs("key_class key_format"):
        yield "scsi_mmc." + theirs, of_drive("command", (KEY,), named(ours)), number
