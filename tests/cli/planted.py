# SPDX-License-Identifier: MIT
"""The secrets that tests/edit/make-secrets plants, and a search for them in bytes, in all
encodings."""
import base64
import re

SECRET = re.compile(rb"[a-z]{2}Zq[0-9a-f]{8}")
CLASSES = ["cm", "pd", "pf", "ar", "by", "pn", "pp", "ps", "px", "cl", "ky", "sn", "se", "nw",
           "wd", "wo", "tm", "tb", "qu", "wy"]


def planted():
    """Every secret, by class."""
    return {
        c: [f"{c}Zq{(i + 1) * 2654435761 & 0xffffffff ^ (ord(c[0]) << 12 | ord(c[1]) << 4):08x}"
            for i in range(500)] for c in CLASSES}


def scan_code(c):
    c = c.lower()
    return ord(c) - ord("a") + 4 if c.isalpha() else 39 if c == "0" else ord(c) - ord("1") + 30


def written(secret):
    """Returns the encodings of a secret."""
    raw = secret.encode()
    yield raw
    yield raw.hex().encode()
    yield secret.encode("utf-16-le")
    yield secret.encode("utf-16-be")
    yield secret.encode("utf-16-le").hex().encode()
    for text in (raw, secret.encode("utf-16-le")):
        # Base64 at any alignment: leave out the digits at the ends, which depend on the neighbours.
        for shift in range(3):
            whole = base64.b64encode(b"\0" * shift + text)
            yield whole[(shift * 8 + 5) // 6:(shift + len(text)) * 8 // 6]
    codes = [scan_code(c) for c in secret[4:]]
    yield b"".join(bytes([0, 0, c, 0, 0, 0, 0, 0]) for c in codes)
    yield bytes(codes)


HEX = re.compile(rb"5a71(?:3[0-9]|6[1-6]){8}", re.I)
WIDE = re.compile(rb"Z\0q\0(?:[0-9a-f]\0){7}")
WIDE_HEX = re.compile(rb"5a007100(?:(?:3[0-9]|6[1-6])00){7}", re.I)


def find(blobs):
    """[(secret, where)] of all secrets that are still in blobs, {name: bytes}. Encodings that a
    pattern finds are searched for every secret, the others for three of each class."""
    found = []
    forms = [f for secrets in planted().values() for s in secrets[::200]
             for f in list(written(s))[5:]]
    for name, blob in blobs.items():
        found += [(f.decode("latin-1"), name) for f in forms if f in blob]
        for pattern in (SECRET, HEX, WIDE, WIDE_HEX):
            found += [(m[0].decode("latin-1"), name) for m in pattern.finditer(blob)]
    return found
