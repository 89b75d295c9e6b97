# SPDX-License-Identifier: MIT
"""Compares what is printed of many inputs with the digests in tests/printed/LIST, as printed.h does
for tests in C: a change of any byte is noticed. That what is printed is right, other tests show;
this one holds it.

TRAWL_KEEP=FOLDER: texts are written there as LIST.NAME, for diff -r of the build before and after a
change. TRAWL_REGENERATE=1: LIST is written anew.
"""
import hashlib
import os

from tap import ok


class Printed:
    def __init__(self, name):
        self.name, self.now, self.known = name, {}, {}
        self.path = f"{os.environ['TRAWL_SRC']}/tests/printed/{name}"
        self.anew = bool(os.environ.get("TRAWL_REGENERATE"))
        if not self.anew:
            with open(self.path) as f:
                self.known = {name: digest for digest, name in (line.split() for line in f)}

    def take(self, name, text):
        """name: of an input and how it is printed, without a space; text: bytes."""
        assert " " not in name and name not in self.now, name
        self.now[name] = hashlib.sha256(text).hexdigest()[:16]
        if keep := os.environ.get("TRAWL_KEEP"):
            with open(f"{keep}/{self.name}.{name.replace('/', '_')}", "wb") as f:
                f.write(text)

    def other(self):
        """Names of what is printed otherwise than in LIST, of those taken until now."""
        return [] if self.anew else [n for n in self.now if self.now[n] != self.known.get(n)]

    def close(self):
        """Reports one test."""
        if self.anew:
            with open(self.path, "w") as f:
                f.writelines(f"{digest} {name}\n" for name, digest in self.now.items())
        other = self.other() + [n for n in self.known if n not in self.now]
        ok(self.now and not other, f"{len(self.now)} outputs are those of tests/printed/{self.name}",
           f"{len(other)} are not; TRAWL_KEEP and TRAWL_REGENERATE help (printed.py)", *other[:30])
