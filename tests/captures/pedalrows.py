# SPDX-License-Identifier: MIT
"""Rows of classes.py for system exclusive messages of MIDI. Of those that end in a transfer, tshark
shows the last one."""
from values import figure_or_bit, number, octets, pairs, text


def ended(fields):
    messages = [m for m in fields.get("decoded", {}).get("midi", []) if "sysex_length" in m]
    return [m["digitech"] for m in messages[-1:] if "digitech" in m]


def of_pedal(*names):
    return lambda fields: (g[name] for g in ended(fields) for name in names if name in g)


def parameter(name):
    def values(fields):
        for g in ended(fields):
            yield from ([g[name]] if name in g else [])
            yield from (p[name] for p in g.get("parameters", []) if name in p)
    return values


def names(fields):
    for g in ended(fields):
        yield from (text(n) for n in g.get("preset_names", []) + (
            [g["preset_name"]] if "preset_name" in g else []))


def count(fields):
    return (len(p["parameter_bytes"]) // 2 for g in ended(fields)
            for p in g.get("parameters", []) if "parameter_bytes" in p)


def pedal_rows():
    prefix = "sysex_digitech."
    for theirs, ours in pairs("""procedure_id=procedure ack.procedure_id=acknowledged_procedure
                              checksum checksum.status=checksum_valid preset_bank preset_index
                              preset_count preset_modified message_count parameter_count os_mode
                              desired_device_id desired_family_id desired_product_id device_id
                              received_device_id"""):
        yield prefix + theirs, of_pedal(ours), figure_or_bit
    for name in "family_id", "product_id":
        yield prefix + name, of_pedal(name, "received_" + name), number
    yield prefix + "preset_name", names, text
    for theirs, ours in pairs("""parameter_id parameter_position parameter_data=parameter_value"""):
        yield prefix + theirs, parameter(ours), number
    yield prefix + "parameter_multibyte_data", parameter("parameter_bytes"), octets
    yield prefix + "parameter_value_count", count, number
