# SPDX-License-Identifier: MIT
"""A reader of protobuf messages that shares nothing with trawl's encoder."""
import collections
import struct


def fields(data):
    """{field number: list of values} of a message; values with a length are bytes."""
    found, at = collections.defaultdict(list), 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(data):
        tag = varint()
        kind = tag & 7
        if kind == 0:
            value = varint()
        elif kind == 1:
            value = struct.unpack_from("<d", data, at)[0]
            at += 8
        elif kind == 2:
            size = varint()
            assert at + size <= len(data), "a length beyond its message"
            value = data[at:at + size]
            at += size
        else:
            raise AssertionError(f"wire type {kind}")
        found[tag >> 3].append(value)
    return found
