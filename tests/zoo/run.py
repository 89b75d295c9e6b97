#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The zoo: programs of many compilers. No value that trawl marks as exact differs from gdb's at the
same stop.

	run.py            a few variants, for make check
	run.py --all      all variants, for make zoo-check
	run.py NAME ...   these variants
	-v                also prints each value that trawl does not have, and why
"""
import glob
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
sys.dont_write_bytecode = True
from tap import finish, ok, skip, skip_all  # noqa: E402

BUILD = os.environ.get("TRAWL_BUILD", ".")
VERBOSE = "-v" in sys.argv


# ---- variants: how a source becomes a program --------------------------------------------------

class Variant:
    def __init__(self, name, compiler, source, *flags, after=None, short=False, unoptimised=False):
        self.name, self.compiler, self.source = name, compiler, source
        self.flags, self.after, self.short = flags, after, short
        self.unoptimised = unoptimised  # locations are right only after the prologue

    def build(self, folder):
        """Builds the program and returns its path; raises CalledProcessError."""
        program = f"{folder}/{self.name}"
        source = os.path.join(HERE, self.source)
        if self.compiler == "go":
            argv = ["go", "build", "-o", program, *self.flags, source]
        elif self.compiler == "fpc":
            argv = ["fpc", "-gw3", *self.flags, f"-o{program}", f"-FU{folder}", source]
        else:
            argv = [self.compiler, "-g", *self.flags, "-o", program, source]
        subprocess.run(argv, check=True, capture_output=True, text=True, cwd=folder,
                       env={**os.environ, "GOCACHE": f"{folder}/../gocache", "GO111MODULE": "off"})
        if self.after:
            self.after(program)
        return program


def split(program):
    """Moves debug information to a file of its own, as distributions do."""
    debug = f"{program}.debug"
    subprocess.run(["objcopy", "--only-keep-debug", program, debug], check=True)
    subprocess.run(["strip", program], check=True)
    subprocess.run(["objcopy", f"--add-gnu-debuglink={debug}", program], check=True)


def variants():
    for compiler in "gcc", "clang":
        for o in "0", "1", "2", "3", "s", "g":
            yield Variant(f"c-{compiler}-O{o}", compiler, "zoo.c", f"-O{o}", short=o in "02",
                          unoptimised=o == "0")
        for name, *flags in (("nopie", "-O2", "-no-pie", "-fno-pie"),
                             ("static-pie", "-O2", "-static-pie"),
                             ("static", "-O0", "-static"), ("dwarf4", "-O2", "-gdwarf-4"),
                             ("dwarf2", "-O2", "-gdwarf-2"),
                             ("O0-dwarf2", "-O0", "-gdwarf-2"),
                             ("types", "-O1", "-fdebug-types-section"),
                             ("frame", "-O2", "-fno-omit-frame-pointer"),
                             ("O0-noframe", "-O0", "-fomit-frame-pointer"),
                             ("protected", "-O0", "-fstack-protector-all", "-fcf-protection")):
            yield Variant(f"c-{compiler}-{name}", compiler, "zoo.c", *flags,
                          # enums without a type; registers that are used again; lists of frame
                          # bases
                          short=(compiler, name) in (("clang", "dwarf2"), ("gcc", "frame"),
                                                     ("gcc", "O0-dwarf2")),
                          unoptimised="-O0" in flags)
        yield Variant(f"c-{compiler}-split", compiler, "zoo.c", "-O2", after=split)
        cxx = compiler.replace("gcc", "g++").replace("clang", "clang++")
        for o in "0", "1", "2", "3":
            yield Variant(f"cxx-{compiler}-O{o}", cxx, "zoo.cc", "-std=c++17", f"-O{o}",
                          short=o == "2", unoptimised=o == "0")
    for o in ("0", "2") if glob.glob("/usr/lib/llvm-*/include/c++/v1/string") else ():
        yield Variant(f"cxx-libcxx-O{o}", "clang++", "zoo.cc", "-std=c++17", f"-O{o}",
                      "-stdlib=libc++",
                      unoptimised=o == "0")
    # gdb 13 misreads a bit field that spans two registers, and stops before clang's prologue ends.
    for compiler, *flags in (("gcc", "-O0"), ("gcc", "-O0", "-pg"), ("clang", "-O0"),
                             ("clang", "-O2")):
        yield Variant(f"passed-{compiler}{''.join(flags)}", compiler, "passed.c", "-Wno-psabi",
                      *flags, short=flags[-1] in ("-pg", "-O2"), unoptimised="-O0" in flags)
    yield Variant("c-gcc-lto", "gcc", "zoo.c", "-O2", "-flto")
    yield Variant("cxx-gcc-lto", "g++", "zoo.cc", "-std=c++17", "-O2", "-flto")
    for o in "0", "1", "2", "3", "s":
        yield Variant(f"rust-O{o}", "rustc", "zoo.rs", "-C", f"opt-level={o}", short=o in "02",
                      unoptimised=o == "0")
    yield Variant("rust-lto", "rustc", "zoo.rs", "-C", "opt-level=2", "-C", "lto=fat")
    yield Variant("go", "go", "zoo.go", short=True)
    yield Variant("go-N", "go", "zoo.go", "-gcflags=-N -l", unoptimised=True, short=True)


# ---- recording ---------------------------------------------------------------------------------

def run(*argv, **more):
    return subprocess.run(argv, capture_output=True, text=True, errors="replace",
                          timeout=more.pop("timeout", 120), **more)


def record(program, specs):
    """(events, {event name: metadata of its probe}, trawl's stderr)"""
    path = f"{program}.trawl"
    inputs = [word for spec in specs for word in ("-i", spec)]
    said = run(f"{BUILD}/trawl", "-w", path, *inputs, "--", "setarch", "-R", "env", "-i",
               program).stderr
    decode = f"{BUILD}/trawl-decode"
    events = [json.loads(line) for line in run(decode, "--json", path).stdout.splitlines()]
    probes = {name: json.loads(run(decode, f"--meta=probe/uprobe/{glob.escape(name)}", path).stdout)
              for name in sorted({e["name"] for e in events})}
    return events, probes, said


def is_pie(program):
    with open(program, "rb") as f:
        return struct.unpack_from("<H", f.read(18), 16)[0] == 3


def for_gdb(argv, addresses, path, calls):
    """The environment for a script that gdb runs."""
    with open(argv[0], "rb") as f:
        go = b".gopclntab" in f.read()
    return {**os.environ, "ZOO_OUT": path, "ZOO_PIE": str(int(is_pie(argv[0]))),
            "ZOO_GO": str(int(go)), "ZOO_ADDRESSES": " ".join(map(str, addresses)),
            "ZOO_CALLS": str(calls), "ZOO_ARGS": " ".join(argv[1:])}


def gdb_run(argv, addresses, stops, path, calls=0, fetches="", stdin=subprocess.DEVNULL):
    """Fills stops; calls: only so many of each function, 0 for all; fetches: see stops.py. Returns
    False if gdb ended before the program."""
    env = {**for_gdb(argv, addresses, path, calls), "ZOO_FETCHES": fetches}
    run("gdb", "-nx", "-batch", "-x", f"{HERE}/stops.py", argv[0], env=env,
        timeout=900, stdin=stdin)
    with open(path, encoding="utf-8") as f:
        found = [json.loads(line) for line in f if line.endswith("\n")]
    os.unlink(path)
    if not found or found[-1] != "end":
        return False
    for stop in found[:-1]:
        seen = stops[stop["function"]].setdefault(stop["where"], [])
        seen += [{}] * (stop.get("call", len(seen)) - len(seen))
        seen.append(stop["values"])
    return True


def gdb_stops(program, addresses):
    """gdb's view: {address: {"entry": [values of each call], "body": [the same after the
    prologue], "scope": [[names of parameters in the frame]]}}."""
    stops = {address: {"scope": [], "entry": [], "body": []} for address in addresses}
    path = f"{program}.gdb"
    if not gdb_run([program], addresses, stops, path):
        # gdb 13 crashes on some functions of Rust: run one at a time.
        for address in addresses:
            gdb_run([program], [address], stops, path)
    return stops


# ---- comparing ---------------------------------------------------------------------------------

def part(values, name):
    """gdb's value of a part: of "p.a", the member a of p."""
    for step in re.split(r"[.[]", name):
        if isinstance(values, list) and step[-1] == "]":
            step, values = step[:-1], {str(n): of for n, of in enumerate(values)}
        if not isinstance(values, dict) or step not in values:
            return None
        values = values[step]
        # gdb shows the data of a Rust alternative as its member __0.
        if isinstance(values, dict) and list(values) == ["__0"]:
            values = values["__0"]
    return values


def alternative(ours, theirs):
    """The alternative that gdb shows, as a dict. None if gdb cannot tell which it is: it shows all
    of them in optimised code, and the members of std::optional in C++."""
    if not isinstance(ours, str) or not isinstance(theirs, dict) or "?text" in theirs:
        return theirs
    return next(iter(theirs)) if len(theirs) == 1 and next(iter(theirs)).isidentifier() else None


def letter(text):
    """The number of a char in the JSON; None if it is no char."""
    if not isinstance(text, str):
        return None
    byte = re.fullmatch(r"\\x([89a-f][0-9a-f])", text)
    return int(byte[1], 16) - 256 if byte else ord(text) if len(text) == 1 else None


def equal(ours, theirs):
    if isinstance(theirs, dict) and "?text" in theirs:
        if isinstance(ours, str):
            return ours in (theirs["?text"], theirs.get("?hex"))
        theirs = theirs.get("?", theirs)
    if isinstance(theirs, int) and letter(ours) is not None:
        return letter(ours) == theirs
    if isinstance(theirs, bool) or isinstance(ours, bool):
        return bool(ours) == bool(theirs)
    if isinstance(ours, list) and isinstance(theirs, list):
        return len(ours) == len(theirs) and all(map(equal, ours, theirs))
    if isinstance(theirs, dict) and len(theirs) == 1:
        return equal(ours, next(iter(theirs.values())))
    if isinstance(theirs, list) and len(theirs) == 1:  # an array of one element is a number
        return equal(ours, theirs[0])
    if isinstance(ours, int) and isinstance(theirs, int):
        return (ours - theirs) % (1 << 64) == 0
    return ours == theirs


class Comparison:
    """Compares values, counts them and keeps what differs."""

    def __init__(self):
        self.exact, self.absent, self.unknown, self.wrong, self.why = 0, 0, 0, [], {}
        self.unshown = {}  # {where: number of values that gdb does not show}

    def value(self, where, ours, theirs):
        theirs = alternative(ours, theirs)
        if ours is None:
            self.absent += 1
        elif theirs is None:
            self.unknown += 1
            where = re.sub(r", call \d+", "", where)
            self.unshown[where] = self.unshown.get(where, 0) + 1
        elif equal(ours, theirs):
            self.exact += 1
        else:
            self.wrong.append(f"{where}: {ours!r}, by gdb {theirs!r}")

    def call(self, where, event, entry, body, in_frame, unoptimised):
        for name, ours in event["fields"].items():
            if name.startswith("__probe_"):
                continue
            in_body = unoptimised or name.split(".")[0] in in_frame
            theirs = part(body if in_body else entry, name)
            if name in event.get("cut", ()) and isinstance(theirs, dict) and "?text" in theirs:
                theirs["?text"] = theirs[
                    "?text"].encode()[:len(ours.encode())].decode(errors="replace")
            self.value(f"{where}: {name}", ours, theirs)


def compare(variant, events, probes, stops):
    c = Comparison()
    calls = {}
    for event in events:
        site = probes[event["name"]]["sites"][0]
        stop = stops[site["vaddr"]]
        n = calls[event["name"]] = calls.get(event["name"], -1) + 1
        entry = stop["entry"][n] if n < len(stop["entry"]) else {}
        body = stop["body"][n] if n < len(stop["body"]) else {}
        if not stop["scope"]:
            stop["scope"].append([])
        elif not entry:
            c.wrong.append(f"{event['name']}: call {n + 1} is none of gdb's")
        c.call(f"{event['name']}, call {n + 1}", event, entry, body, stop["scope"][0],
               variant.unoptimised)
        for arg in site["args"]:
            if arg["state"] == "unavailable":
                c.why[f"{event['name']}: {arg['name']}"] = arg["why"]
    return c


def built(variant, folder):
    """The path of a variant's program; None if it does not build, which is a failure."""
    try:
        return variant.build(folder)
    except subprocess.CalledProcessError as e:
        ok(False, f"{variant.name}: builds", e.stderr)
        return None


def check(variant, folder):
    program = built(variant, folder)
    if not program:
        return
    events, probes, said = record(program, [f"uprobe:{program}:*zoo_* $params"])
    if not events:
        ok(False, f"{variant.name}: is recorded", said)
        return
    stops = gdb_stops(program, sorted({p["sites"][0]["vaddr"] for p in probes.values()}))
    c = compare(variant, events, probes, stops)
    ok(c.exact and not c.wrong, f"{variant.name}: {len(probes)} functions, {c.exact} values equal "
       f"gdb's, {c.absent} said to be unavailable, {c.unknown} unknown to gdb", *c.wrong, said)
    for name, why in c.why.items() if VERBOSE else ():
        print(f"#   {name}: {why}")


def texts(folder):
    """":string" for texts of other languages gives the text, or an error."""
    cxx = next(v for v in variants() if v.name == "cxx-clang-O2")
    go = next(v for v in variants() if v.name == "go")
    if not shutil.which(cxx.compiler) or not shutil.which("go"):
        skip("texts of other languages", "clang++ or go is not installed")
        return
    program = cxx.build(folder)
    events = record(program, [f"uprobe:{program}:zoo_string s:string"])[0]
    ok([e["fields"]["s"] for e in events] ==
       ["one", "two", "a text that is longer than fits into a std::string itself"],
       "a std::string by reference is its text", events)
    events = record(program, [f"uprobe:{program}:zoo_view v"])[0]
    ok([e["fields"]["v"] for e in events] == ["on", "tw", "a "], "a std::string_view is its text",
       events)
    events = record(program, [f"uprobe:{program}:zoo_string s:x64"])[0]
    ok(all(isinstance(e["fields"]["s"], int) for e in events),
       "with a type, a reference is an address")
    err = record(program, [f"uprobe:{program}:zoo_view v._M_str:string"])[2]
    ok("no NUL at their end" in err, "the pointer of a std::string_view is no string", err)
    program = go.build(folder)
    events = record(program, [f"uprobe:{program}:main.zoo_string s:string s.len"])[0]
    ok([(e["fields"]["s"], e["fields"]["s.len"]) for e in events] ==
       [("one", 3), ("two", 3), ("three", 5)], "Go's string is its text", events)
    name = next((line.split()[-1] for line in run("nm", program).stdout.splitlines()
                 if "[" in line and " T " in line), "")
    listed = run(f"{BUILD}/trawl", "-D", f"uprobe:{program}:{name}").stdout
    ok(name and len(listed.splitlines()) == 1 and name in listed,
       f"a symbol with brackets is a name: {name}",
       listed)
    listed = run(f"{BUILD}/trawl", "-D", f"uprobe:{program}:strconv.formatBits").stdout
    ok("dst.len (unavailable: the debug information has 32 bytes of it in pieces" in listed,
       "Go's slice in four pieces, of which one is there twice, is unavailable", listed)
    err = record(program, [f"uprobe:{program}:main.zoo_ints arg1"])[2]
    ok("calling convention of C" in err, "arg1 of a function of Go is refused", err)


def names_of_values(folder):
    """An enumeration's values have names in text, and are numbers in JSON."""
    program = next(v for v in variants() if v.name == "c-gcc-O2").build(folder)
    spec = f"uprobe:{program}:zoo_bits $params"
    events = record(program, [spec])[0]
    ok([(e["fields"]["a.a"], e["fields"]["a.b"], e["fields"]["a.c"], e["fields"]["b"],
         e["fields"]["a.d"])
        for e in events] == [(1, 90001, 1, -1, -1), (2, 90002, 2, 0, -2), (3, 90003, 0, 1, -3)],
       "bit fields are their values, also of one with a sign", events)
    text = run(f"{BUILD}/trawl-decode", f"{program}.trawl").stdout.splitlines()
    ok(["a.c=GREEN " in text[0], "b=LESS " in text[0], "a.c=BLUE " in text[1], "b=SAME " in text[1]]
       == [True] * 4, "values of an enumeration have names", *text)
    text = run(f"{BUILD}/trawl-decode", "--where", 'b == "LESS" && a.c == "GREEN"',
               f"{program}.trawl").stdout
    ok(len(text.splitlines()) == 1, "--where takes the names of an enumeration", text)


def check_all(those, check, more=None):
    """Runs check(variant, folder) for the variants that argv names, for all with --all, else for
    the short ones; then more(folder)."""
    names = [a for a in sys.argv[1:] if not a.startswith("-")]
    if os.geteuid() or not os.path.exists("/sys/kernel/tracing/uprobe_events"):
        return skip_all("needs root and uprobes")
    if not shutil.which("gdb"):
        return skip_all("gdb is not installed")
    with tempfile.TemporaryDirectory(dir=os.environ.get("ZOO_FOLDER")) as folder:
        for variant in those:
            if names and variant.name not in names or \
                    not names and "--all" not in sys.argv and not variant.short:
                continue
            if shutil.which(variant.compiler):
                os.mkdir(f"{folder}/{variant.name}.d")
                check(variant, f"{folder}/{variant.name}.d")
            else:
                skip(variant.name, f"{variant.compiler} is not installed")
        if more and not names:
            os.mkdir(f"{folder}/more.d")
            more(f"{folder}/more.d")
    return finish()


def virtual_base(folder):
    """The place of a virtual base class in its object is known only when the program runs."""
    program = next(v for v in variants() if v.name == "cxx-gcc-O2").build(folder)
    events = record(program, [f"uprobe:{program}:*zoo_virtual_base* $params"])[0]
    ok([(e["fields"].get("d.Common", 0), e["fields"].get("d.own"), e["fields"].get("n"))
        for e in events] == [(None, 10 + n, n) for n in (1, 2, 3)],
       "members of a virtual base class are unavailable, the others are their values",
       [e["fields"] for e in events])


OF_WINDOWS = """\
struct pair { long a, b; };
volatile long sink;
#define FUNCTION __attribute__((ms_abi, noinline))
FUNCTION struct pair zoo_pair(long n) { sink += n; return (struct pair){ n, n + 1 }; }
FUNCTION __int128 zoo_wide(long n) { sink += n; return n; }
FUNCTION long zoo_number(long n) { sink += n; return n * 2; }
int main(void)
{
	for (volatile long i = 5; i < 6; i++)
		sink += zoo_pair(i).b + (long)zoo_wide(i) + zoo_number(i);
	return 0;
}
"""


def other_convention(folder):
    """Where a function of another calling convention returns a pair is not known, even if gcc's
    debug information does not tell the convention."""
    program = f"{folder}/windows"
    with open(f"{program}.c", "w", encoding="ascii") as f:
        f.write(OF_WINDOWS)
    for compiler in "gcc", "clang":
        if not shutil.which(compiler):
            skip(f"ms_abi by {compiler}", "it is not installed")
            continue
        subprocess.run([compiler, "-O1", "-g", "-o", program, f"{program}.c"], check=True)
        events = record(program, [f"uprobe:{program}:zoo_* $params",
                                  f"uprobe:{program}:zoo_*%return $retval"])[0]
        fields = {e["name"].split(":")[1]: e["fields"] for e in events}
        for f in fields.values():
            del f["__probe_ip"]
        ok(fields == {"zoo_pair": {"n": 5}, "zoo_pair%return": {"retval": None},
                      "zoo_wide": {"n": 5}, "zoo_wide%return": {"retval": None},
                      "zoo_number": {"n": 5}, "zoo_number%return": {"retval": 10}},
           f"functions with ms_abi of {compiler}: numbers are right, pairs unavailable", fields)


CLONES = """\
template <class T> struct zoo_box {
	T v;
	__attribute__((noinline)) T operator*(T by) const { return v * by; }
};
static __attribute__((noinline)) int zoo_scaled(int n, int by, const int *p) { return n * by + *p; }
static __attribute__((noinline)) int zoo_other(int n, char c) { return n ^ c; }
int main(int argc, char **)
{
	zoo_box<int> box = {argc};
	int sum = 0;
	for (int i = 0; i < argc; i++)
		sum += zoo_scaled(i + argc, 7, &argc) + zoo_other(i * argc, 'x');
	return (sum + box * argc) & 1;
}
"""


def names_listed(folder):
    """-i takes each name that -D lists, and for this function alone."""
    program = f"{folder}/clones"
    with open(f"{program}.cc", "w", encoding="ascii") as f:
        f.write(CLONES)
    subprocess.run(["g++", "-O2", "-g", "-o", program, f"{program}.cc"], check=True)
    symbols = run("nm", program).stdout
    listed = json.loads(run(f"{BUILD}/trawl", "--json", "-D", f"uprobe:{program}:*zoo_*").stdout)
    wrong = []
    for function in listed:
        path = f"{folder}/listed.trawl"
        p = run(f"{BUILD}/trawl", "-w", path, "-i", function["name"], "--", "true")
        probes = run(f"{BUILD}/trawl-decode", "--meta=probe/*", path).stdout.splitlines()
        if p.returncode or len(probes) != 1:
            wrong.append((function["name"], p.stderr, probes))
    ok(".constprop.0" in symbols and len(listed) == 3 and not wrong,
       "each name that -D lists, a clone's too, is taken for this function alone", *wrong, listed,
       symbols)


def more(folder):
    texts(folder)
    names_listed(folder)
    virtual_base(folder)
    other_convention(folder)
    names_of_values(folder)


def main():
    return check_all(variants(), check, more)


if __name__ == "__main__":
    sys.exit(main())
