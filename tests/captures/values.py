# SPDX-License-Identifier: MIT
"""How tshark and trawl-decode --json write values, for the rows of classes.py."""


def number(text):
    return int(text, 0)


def address(text):
    return text.lower()


def octets(text):
    return text.replace(":", "").lower()


def bit(text):
    return 1 if text in ("1", "True") else 0


def text(value):
    """tshark writes control characters with a backslash, ends a text at its first NUL, and leaves
    out the character after half a surrogate pair."""
    for letter, control in zip("abfnrtv", "\a\b\f\n\r\t\v"):
        value = value.replace("\\" + letter, control)
    head, bad, _ = value.split("\0")[0].partition("\ufffd")
    return head + bad


def figure(value):
    """A number as trawl-decode writes it, also as specifications do: "2.00", "0x0104", "046d"."""
    if isinstance(value, str):
        if "." in value:
            high, low = value.split(".")
            return int(high, 16) << 8 | int(low, 16)
        return int(value, 16)
    return value


def release(text):
    """A release number, which tshark writes in hex or as a fraction; "1" is 1.00."""
    return number(text) if text.startswith("0x") else figure("%.2f" % float(text))


def figure_or_bit(text):
    return int(text == "True") if text in ("True", "False") else number(text)


def pairs(names):
    for name in names.split():
        theirs, _, ours_ = name.partition("=")
        yield theirs, ours_ or theirs


def members(value, name):
    """All values of a member at any depth."""
    if isinstance(value, dict):
        for k, v in value.items():
            if k == name:
                yield v
            yield from members(v, name)
    elif isinstance(value, list):
        for v in value:
            yield from members(v, name)


def walk(value, name):
    """All values of a member, except for lists and objects."""
    return (v for v in members(value, name) if not isinstance(v, (dict, list)))
