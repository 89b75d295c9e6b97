#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""objects.py FOLDER

Makes the sets objects-*.zst in FOLDER: sources of tests/zoo, and strings.cc, as small shared
objects without a library, as several compilers translate them. (Those of objects-go.zst are whole
programs, in which each block of bytes is 0 without which trawl finds the same.) The sets in the
tree stay as they are, because other versions of a compiler write other code and other debug
information; new ones need new digests.
"""
import os
import subprocess
import sys
import tempfile

from pack import pack

ZOO = os.path.realpath(os.path.dirname(os.path.abspath(__file__)) + "/../zoo")
LINK = ["-shared", "-nostdlib", "-nostartfiles", "-w",
        "-Wl,-z,max-page-size=4096,--build-id=none,-z,noseparate-code,--gc-sections,"
        "--unresolved-symbols=ignore-all"]
DIRECT = ["-fPIC", *LINK]
C = {"gcc-O0": ["gcc", "-g", "-O0"], "gcc-O2": ["gcc", "-g", "-O2"],
     "clang-O0": ["clang", "-gdwarf-4", "-O0"], "clang-O2": ["clang", "-g", "-O2"]}
CXX = {how: [c[0].replace("gcc", "g++").replace("clang", "clang++"), "-std=c++17", "-g", c[-1]]
       for how, c in C.items()}
# set: (source, how)
SETS = {
    "objects-c": [("zoo.c", C), ("parts.c", C), ("returns.c", C),
                  ("entries.c", ["gcc-O2", "clang-O0"]), ("tailcalls.c", ["gcc-O2", "clang-O2"]),
                  ("passed.c", ["gcc-O2"]), ("parts.adb", ["O0", "O1"]), ("parts.f90", ["O1"]),
                  ("printed.d", ["O1"])],
    "objects-cxx": [("zoo.cc", ["O1"]), ("parts.cc", ["O1"]), ("returns.cc", ["O1"]),
                    ("variants.cc", ["O1"])],
    "objects-rust": [("zoo.rs", ["O2"]), ("parts.rs", ["O0"]), ("returns.rs", ["O2"]),
                     ("variants.rs", ["O2"])],
    "objects-strings": [("strings.cc", CXX)],
}


def commands(source, how, out):
    """The compiler's command, and the linker's if it is another."""
    path, kind = f"zoo/{source}", source.split(".")[1]
    if kind == "c":
        return [[*C[how], *DIRECT, path, "-o", out]]
    if source == "strings.cc":
        return [[*CXX[how], *DIRECT, f"{ZOO}/../printed/{source}", "-o", out]]
    if kind == "cc":
        return [["clang++", "-std=c++17", "-g", f"-{how}", *DIRECT, path, "-o", out]]
    if kind == "f90":
        return [["gfortran", "-g", f"-{how}", *DIRECT, path, "-o", out]]
    one = {
        "adb": ["gcc", "-c", "-fPIC", "-g", f"-{how}", "-gnatws", path],
        "d": ["ldc2", "-g", f"-{how}", "-relocation-model=pic", "-c", "-of=" + source[:-1] + "o",
              path],
        "rs": ["rustc", "-g", "-C", f"opt-level={how[1]}", "--emit", "obj", "-C", "panic=abort",
               path]}[kind]
    return [one, ["gcc", *LINK, source.split(".")[0] + ".o", "-o", out]]


def main():
    folder = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        os.symlink(ZOO, "zoo")
        for name, sources in SETS.items():
            entries = []
            for source, ways in sources:
                for how in ways:
                    out = f"{source.replace('.', '-')}-{how}"
                    for command in commands(source, how, out):
                        subprocess.run(command, check=True)
                    with open(out, "rb") as f:
                        data = f.read().replace(work.encode(), b"/" + b"w" * (len(work) - 1))
                    entries.append((out, data))
            pack(f"{folder}/{name}.zst", entries)


if __name__ == "__main__":
    main()
