# SPDX-License-Identifier: MIT
"""The members of an item in JSON, and conditions of --where that mistype their words."""
import re


def leaves(value, path):
    if isinstance(value, dict):
        for key, below in value.items():
            yield from leaves(below, path + "." + key)
    elif isinstance(value, list):
        for i, below in enumerate(value):
            yield from leaves(below, "%s[%d]" % (path, i))
    else:
        yield path, value


# Members whose text is the device's, not one of the program's tables.
FREE = {"uuid_name", "preset_name", "provider_name", "user_name", "network_name", "local_name",
        "remote_name"}


def mistyped(items):
    """For each member whose texts come from tables: (a condition with a mistake, the text)."""
    wrong = {}
    for where, value in (leaf for item in items for leaf in leaves(item.get("decoded", {}), "d")):
        member = re.sub(r"\[\d+\]", "", where.split(".")[-1])
        if isinstance(value, str) and member not in FREE and (
                member.endswith("_name") or member in ("request", "command", "descriptor")):
            wrong[member] = ("decoded.%s == '%s~'" % (member, value), value)
    return wrong.values()
