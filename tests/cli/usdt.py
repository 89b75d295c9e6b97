#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Probes in programs, from trawl's command line to the JSON of trawl-decode: every form of argument
has exactly the value that the sample program prints. Also stripped, static and moved files,
libraries, threads and children, files without a name, and messages."""
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from datetime import datetime

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
sys.dont_write_bytecode = True
from tap import finish, ok, skip, skip_all  # noqa: E402

BUILD = os.environ.get("TRAWL_BUILD", ".")
SAMPLES = f"{BUILD}/samples"


def run(*argv, **more):
    return subprocess.run(argv, capture_output=True, text=True, timeout=120, **more)


def capture(folder, specs, command, *more):
    """(what the command printed, the events, trawl's stderr)"""
    path = f"{folder}/x.trawl"
    argv = [f"{BUILD}/trawl", *more, "-w", path]
    for spec in specs:
        argv += ["-i", spec]
    if command:
        argv += ["--", *command]
    out = run(*argv)
    return out.stdout, decode(path), out.stderr


def decode(path):
    out = run(f"{BUILD}/trawl-decode", "--json", path)
    return [json.loads(line) for line in out.stdout.splitlines()]


def differences(expect, got):
    if len(expect) != len(got):
        yield f"{len(expect)} events wanted, {len(got)} recorded"
    for want, event in zip(expect, got):
        if want["name"] != event["name"]:
            yield f"wanted {want['name']}, got {event['name']}"
        for name, value in want["fields"].items():
            if name not in event["fields"] or event["fields"][name] != value:
                yield f"{want['name']}: {name} is {event['fields'].get(name, 'missing')}, not {value}"


def forms(folder, program, name):
    printed, got, err = capture(folder, [f"usdt:{program}:forms:*"], [program])
    wrong = list(differences([json.loads(line) for line in printed.splitlines()], got))
    ok(got and not wrong, f"{name}: every form of argument has its value", err, *wrong)
    return got


def params(folder):
    program = f"{SAMPLES}/params"
    printed, got, err = capture(folder, [f"uprobe:{program}:params_* $params"], [program])
    wrong = list(differences([json.loads(line) for line in printed.splitlines()], got))
    ok(got and not wrong, "uprobe $params: every kind of parameter has its value", err, *wrong)


def pattern(folder):
    """Functions without what a glob asks for are skipped, and each note is printed once."""
    program = f"{SAMPLES}/params"
    got, err = capture(folder, [f"uprobe:{program}:* $params"], [program])[1:]
    named = {e["name"] for e in capture(folder, [f"uprobe:{program}:params_* $params"],
                                        [program])[1]}
    ok(named and named <= {e["name"] for e in got}, "a pattern with $params takes what has them",
       err)
    lines = [line for line in err.splitlines() if "passed over" in line]
    ok(len(lines) == 1 and "_init for one: $params: not known" in lines[0],
       "one line tells of the functions without debug information", err)
    ok("single-stepped" not in err, "the cost of single-stepping is mentioned with -v only", err)
    err = capture(folder, ["uprobe:libc.so.6:strn*"], ["/bin/true"])[2]
    ok(err.count("IFUNC") == 1 and re.search(r"and \d+ more probes: only chooses", err),
       "what many probes have in common is told once", err)
    err = capture(folder, ["uprobe:libc.so.6:strlen arg1:string"], ["/bin/true"])[2]
    ok("arg1: the symbol only chooses the function that is called (IFUNC)" in err,
       "the arguments of a function are not those of what chooses it", err)
    err = capture(folder, [f"uprobe:{program}:params_* $params"], [program], "-v")[2]
    ok(err.count("single-stepped") > 1, "-v mentions it for each probe", err)


def many_functions(folder):
    """A library of 20,000 functions is listed, also if 100 have the same name."""
    for part in range(100):
        with open(f"{folder}/many{part}.s", "w", encoding="utf-8") as f:
            for name in [f"f{part}_{i}" for i in range(199)] + ["same"]:
                f.write(f".type {name},@function\n{name}: ret\n")
    made = run("gcc", "-shared", "-nostdlib", "-o", f"{folder}/many.so",
               *(f"{folder}/many{part}.s" for part in range(100)))
    out = run(f"{BUILD}/trawl", "-D", f"uprobe:{folder}/many.so")
    lines = re.findall(r"^uprobe:\S*:([^: ]+) ", out.stdout, re.M)
    ok(len(lines) == len(set(lines)) == 20000, "20,000 functions are listed, each by its own text",
       made.stderr, out.stderr, lines[:3], lines[-3:])


def link(folder):
    """Events and messages have the file name that the user wrote; if the user wrote two names of
    one file, the first."""
    program, other = f"{folder}/served", f"{folder}/other"
    for path in program, other:
        os.symlink(os.path.realpath(f"{SAMPLES}/params"), path)
    _, got, err = capture(folder, [f"uprobe:{program}:params_ints",
                                   f"uprobe:{other}:params_stack"], [program])
    names = {e["name"].partition(":")[0] for e in got}
    ok(got and names == {"served"}, "events have the name of the link that the user wrote", err,
       names)
    meta = run(f"{BUILD}/trawl-decode", "--meta=probe/uprobe/*", f"{folder}/x.trawl").stdout
    ok('/params"' in meta and "served\"" not in meta, "the metadata has the path of the file", meta)
    symbols = subprocess.run(["nm", program], stdout=subprocess.PIPE, text=True).stdout
    at = int(re.search(r"^(\w+) T params_ints$", symbols, re.M)[1], 16)
    ok(re.search(rf'"vaddr": ?{at}\b', meta), "and the address of the function in it, as of nm", at,
       meta)
    err = capture(folder, [f"usdt:{program}:*"], ["true"])[2]
    ok(f"{program}: has no usdt probes" in err, "so have messages", err)


def variants(folder):
    """The same program, stripped and split as distributions do."""
    stripped, moved, debug = (f"{folder}/{n}" for n in ("stripped", "moved", "moved.debug"))
    got = forms(folder, f"{SAMPLES}/forms", "forms")
    ok(any("file" in e.get("site", {}) for e in got), "forms: source lines are in the file")
    shutil.copy(f"{SAMPLES}/forms", f"{folder}/a b:c")
    got = capture(folder, [f"usdt:{folder}/a\\ b:c:forms:reg32"], [f"{folder}/a b:c"])[1]
    ok(len(got) == 1 and got[0]["fields"]["arg1"] == -7, "a path with blanks and colons", got)
    run("strip", "-o", stripped, f"{SAMPLES}/forms")
    got = capture(folder, [f"usdt:{stripped}:forms:*"], [stripped])[1]
    values = {e["name"]: e["fields"] for e in got}
    ok(values.get("forms:reg32", {}).get("arg1") == -7, "stripped: registers are there", values)
    ok(values.get("forms:rip", {}).get("arg5", 0) is None, "stripped: a local variable is not",
       values.get("forms:rip"))
    # Notes and symbols only in the debug file.
    run("objcopy", "--only-keep-debug", f"{SAMPLES}/forms", debug)
    run("objcopy", "--strip-all", "--remove-section=.note.stapsdt", f"--add-gnu-debuglink={debug}",
        f"{SAMPLES}/forms", moved)
    forms(folder, moved, "notes in a separate debug file")


def static(folder):
    source = f"{folder}/static.c"
    with open(source, "w") as f:
        f.write("#include <sys/sdt.h>\nint n = 42;\nint main(void)\n{\n"
                "__asm__ volatile(STAP_PROBE_ASM(st, probe, -4@n(%rip) 8@$n -4@n));\nreturn "
                "0;\n}\n")
    for flags in (["-static", "-no-pie"], ["-static-pie"], ["-no-pie"]):
        program = f"{folder}/static"
        made = run("gcc", "-o", program, source, *flags)
        got = capture(folder, [f"usdt:{program}:probe"], [program])[1]
        value = got[0]["fields"] if got else {}
        ok(value.get("arg1") == 42 and value.get("arg3") == 42, f"{' '.join(flags)}: a variable",
           made.stderr, value)


LONG = """#include <stdlib.h>
#include <string.h>
__attribute__((noipa)) void two(const char *a, const char *b, long n, long m) {}
static char *make(int n, char c) { char *s = malloc(n + 1); memset(s, c, n); s[n] = 0; return s; }
int main(void)
{
	static const int sizes[] = {0, 5, 600, 2100, 4040, 4080, 4095, 4096, 9000};
	for (int i = 0; i < 9; i++)
		for (int k = 0; k < 9; k++)
			two(make(sizes[i], 'a'), make(sizes[k], 'b'), sizes[i], sizes[k]);
	two(NULL, make(3, 'b'), -1, 3);
	two(make(3, 'a'), NULL, 3, -1);
	two((char *)8, make(4080, 'b'), -2, 4080);
}
"""


def long_string(event, name, size):
    """What is wrong with a string of this size in an event; None if nothing is."""
    got, other = event["fields"][name], event["fields"]["b" if name == "a" else "a"]
    cut, why = name in event.get("cut", []), event.get("unavailable", {}).get(name)
    if size == -1:
        return None if got is None and not why else "is null"
    if size == -2 or (size == 0 and why and other and len(other) >= 512):
        return None if why and "not mapped" in why else "is not readable"
    want = name * size
    if cut:
        return None if 512 <= len(
            got) <= size and want.startswith(got) else "is cut to something else"
    return None if got == want else "is not whole, and nothing says so"


def long_strings(folder):
    """The kernel records 4 KB of strings for an event: of longer ones the beginnings are kept and
    marked."""
    program = f"{folder}/long"
    with open(f"{folder}/long.c", "w") as f:
        f.write(LONG)
    run("gcc", "-g", "-o", program, f"{folder}/long.c")
    spec = f"uprobe:{program}:two a=+0(a):string b=+0(b):string n m"
    got, err = capture(folder, [spec], [program])[1:]
    ok(len(got) == 84 and "84 events captured, 0 lost" in err,
       "strings too long for the kernel: no event is lost", err)
    wrong = [(e["fields"]["n"], e["fields"]["m"], name, bad) for e in got
             for name, size in (("a", "n"), ("b", "m"))
             if (bad := long_string(e, name, e["fields"][size]))]
    ok(not wrong, "each is whole, or its beginning and marked as cut", *wrong[:10])
    ok(sum("cut" in e for e in got) >= 40, "many are cut", got[:3])
    text = run(f"{BUILD}/trawl-decode", f"{folder}/x.trawl").stdout
    ok(" a=NULL b=\"bbb\" n=-1 " in text and
       " a=<unavailable: its address is not mapped, or it is empty beside one that is too long> "
       "b=\"bbbb" in text and "bbb\"... n=9000 m=9000" in text,
       "text says so, too", text[-600:])
    got, err = capture(folder, [spec + " $comm k=\\1:u32"], [program])[1:]
    ok(len(got) == 84 and "84 events captured, 0 lost" in err and
       {e["fields"]["k"] for e in got} == {1} and
       {e["fields"]["comm"] for e in got} == {"long"}, "with $comm beside: no event is lost", err,
       got[:3])
    wrong = [(e["fields"]["n"], e["fields"]["m"], name, bad) for e in got
             for name, size in (("a", "n"), ("b", "m"))
             if (bad := long_string(e, name, e["fields"][size]))]
    ok(not wrong, "with $comm beside: each is whole, or its beginning and marked as cut",
       *wrong[:10])
    for one in f"uprobe:{program}:two a=+0(a):string n m $comm", f"uprobe:{program}:two $comm b=+0(b):string n m":
        got, err = capture(folder, [one], [program])[1:]
        name, size = ("a", "n") if "a" in got[0]["fields"] else ("b", "m")
        wrong = [(e["fields"][size], bad) for e in got if e["fields"]["comm"] != "long" or
                 e["fields"][size] >= 0
                 and (bad := long_string({**e, "fields": {"a": None, "b": None, **e["fields"]}},
                                         name, e["fields"][size]))]
        ok(len(got) == 84 and "84 events captured, 0 lost" in err and not wrong,
           f"{name} and $comm: none is lost, none twice", err, wrong[:5])
    # If the kernel has no room for the companion, events are lost and counted.
    many = spec + "".join(f" a{i}=+0(a):string" for i in range(31))
    with subprocess.Popen([f"{BUILD}/trawl", "-i", many, "-w", f"{folder}/x.trawl"],
                          stderr=subprocess.PIPE, text=True) as trawl:
        said = wait_armed(trawl, program)
        run(program)
        trawl.terminate()
        said += trawl.communicate(timeout=120)[1]
    lost = re.search(r"(\d+) events captured, (\d+) lost", said)
    ok(lost and int(lost[1]) + int(lost[2]) == 84 and int(lost[2]) > 0 and trawl.returncode == 1,
       "too long for the kernel: lost, where all processes are recorded", said, trawl.returncode)
    text = run(f"{BUILD}/trawl-decode", f"{folder}/x.trawl").stdout
    ok(lost and f"*** {lost[2]} events of uprobe lost in" in text,
       "each that is lost is one event")
    summary = run(f"{BUILD}/trawl-decode", "--summary", f"{folder}/x.trawl").stdout
    since = re.search(r"\(strings too long for the kernel\) between (\S+ \S+?)\d{3} UTC", summary)
    since = datetime.strptime(f"{since[1]}+00:00", "%Y-%m-%d %H:%M:%S.%f%z") if since else None
    ok(since and time.time() - since.timestamp() < 60, "the loss is of the time of the capture",
       summary)


def static_functions(folder):
    """arg1 follows C's calling convention only where that is certain: clang leaves out arguments
    that a function does not use."""
    with open(f"{folder}/hidden.c", "w") as f:
        f.write(
            "__attribute__((noinline)) static int hidden(int a, int b) { __asm__ volatile(\"\"); "
            "return b; }\n"
                "__attribute__((noinline)) int seen(int a) { __asm__ volatile(\"\"); return a; }\n"
                "int main(int argc, char **argv) { return hidden(99, argc) + seen(3) - 4; }\n")
    for compiler in "clang", "gcc":
        if not shutil.which(compiler):
            skip(f"{compiler}: static functions without debug information",
                 f"{compiler} is not installed")
            continue
        program = f"{folder}/hidden-{compiler}"
        flags = ["-fno-ipa-cp", "-fno-ipa-sra"] if compiler == "gcc" else []
        run(compiler, "-O2", *flags, "-o", program, f"{folder}/hidden.c")
        got, err = capture(folder, [f"uprobe:{program}:seen arg1"], [program])[1:]
        ok([e["fields"]["arg1"] for e in got] == [3], f"{compiler}: arg1 of a global function", err,
           got)
        if compiler == "clang":
            done = run(f"{BUILD}/trawl", "-i", f"uprobe:{program}:hidden arg1", "--", program)
            ok(done.returncode == 2 and
               "may leave out arguments of a static function" in done.stderr,
               "clang: arg1 of a static function is refused", done.stderr)
        else:
            got, err = capture(folder, [f"uprobe:{program}:hidden arg1"], [program])[1:]
            ok([e["fields"]["arg1"] for e in got] == [99],
               "gcc: arg1 of a static function is taken", err, got)


STALE = r"""#include <string.h>
#include <sys/mman.h>
struct in { long a; int n; char *name; int list[8]; char c; const char *names[2]; };
struct out { struct in *p; };
__attribute__((noipa)) void f(struct out *o, const char *t, int i) {}
int main(void)
{
	static struct in good = {7, 42, "hello", {1, 2, 3, 4, 5, 6, 7, 8}, 'x',
		{"one", "two"}}, zero;
	static struct out a = {&good}, wild = {(struct in *)0x10000}, null, zeros = {&zero},
		half, again = {&good};
	/* "half" ends where its mapping ends: in its list */
	char *page = mmap(0, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct out *last = (struct out *)(page + 8192 - sizeof(struct out));
	munmap(page + 8192, 4096);
	half.p = (struct in *)(page + 8192 - 8 - 40);
	memcpy(half.p, &good, 40);
	last->p = &good;
	struct out *all[] = {&a, &wild, &a, (struct out *)0x2000, &a, &null, &a, 0, &zeros, &a,
		&half, &a,
			     last, (struct out *)0x8000000000000000, &again};
	for (int i = 0; i < 15; i++)
		f(all[i], "other", i);
}
"""


def leftovers(folder):
    """Behind a pointer that cannot be read the kernel stores nothing, or the place of another
    string. No value may be shown that an earlier event left there, or that is another string's."""
    program = f"{folder}/stale"
    with open(f"{folder}/stale.c", "w") as f:
        f.write(STALE)
    run("gcc", "-g", "-o", program, f"{folder}/stale.c")
    good = {"n": 42, "name": "hello", "list": [1, 2, 3, 4, 5, 6, 7, 8], "c": "x", "w": True,
            "s[0]": "one", "s[1]": "two",
            "b": 10}
    zero = {"n": 0, "name": None, "list": [0] * 8, "c": "\0", "w": True, "s[0]": None, "s[1]": None,
            "b": 0}
    none = dict.fromkeys(good)
    want = [good, {**none, "w": True}, good, none, good, {**none, "w": False}, good, none, zero,
            good,
            {**none, "n": 42, "name": "hello", "w": True, "b": 10}, good, good, none, good]
    words = (
        "n=+8(+0(%di)):s32 t=+0(t):string name=+0(+16(+0(%di))):string list=+24(+0(%di)):s32[8] "
             "c=+56(+0(o)):char w=+0(o):x64 i b=+8(+0(%di)):b6@2/8")
    for more in "", " s=+64(+0(%di)):string[2]", " $comm":
        got, err = capture(folder, [f"uprobe:{program}:f {words}{more}"], [program])[1:]
        wrong = []
        for e, all_want in zip(got, want):
            fields = {**e["fields"], "w": e["fields"]["w"] and e["fields"]["w"] > 0}
            if e["fields"]["w"] == 0:
                fields["w"] = False
            for k, v in all_want.items():
                why = e.get("unavailable", {}).get(k)
                if k in fields and (fields[k] != v or
                                    (v is None and not why and all_want is not zero)):
                    wrong.append((e["fields"]["i"], k, v, fields[k], why))
            if e["fields"]["t"] != "other":
                wrong.append((e["fields"]["i"], "t", e["fields"]["t"]))
        ok(len(got) == 15 and not wrong, f"what cannot be read has no value{more}", err, *wrong)
    text = run(f"{BUILD}/trawl-decode", f"{folder}/x.trawl").stdout
    ok("n=<unavailable: an address on the way is not mapped> " in text and "__fault" not in text,
       "text says why", text)
    out = run(f"{BUILD}/trawl-decode", "--where", "n == 42", f"{folder}/x.trawl").stdout
    ok(out.count("\n") == 9, "--where finds values only", out)
    out = run(f"{BUILD}/trawl-decode", "--where", "n == 0", f"{folder}/x.trawl").stdout
    ok(out.count("\n") == 1, "and no 0 for an unavailable value", out)
    out = run(f"{BUILD}/trawl-export", "--to", "csv", f"{folder}/x.trawl").stdout
    ok(out.count("hello") == 9 and "__fault" not in out and
       "_e" not in out.split("\n")[0].split(","), "CSV likewise", out)
    got, err = capture(folder, [f"uprobe:{program}:f s=+0(o):string[2] i"], [program])[1:]
    ok(len(got) == 15 and not [e for e in got if e["fields"]["i"] in (3, 7, 13) and
                               (e["fields"]["s[0]"] or e["fields"]["s[1]"])],
       "pointers to strings that cannot be read", err, got)
    # With one level of pointer the kernel stores 0 for it.
    got, err = capture(folder, [f"uprobe:{program}:f w=+0(o):x64 i"], [program])[1:]
    ok([e["fields"]["i"] for e in got if e["fields"]["w"] is None] == [3, 7, 13] and
       {e["unavailable"]["w"] for e in got if "unavailable" in e} == {"its address is not mapped"},
       "one level", err, got)


def long_names(folder):
    """Long names of parameters without a value that are equal after being cut: each has a field."""
    program = f"{folder}/names"
    with open(f"{folder}/names.c", "w") as f:
        f.write(
            "__attribute__((noipa)) void f(double a_name_that_is_longer_than_31_letters_one, int "
            "n, "
                "double a_name_that_is_longer_than_31_letters_two) {}\nint main(void) { f(1, 7, "
                "2); }\n")
    run("gcc", "-g", "-O1", "-o", program, f"{folder}/names.c")
    got, err = capture(folder, [f"uprobe:{program}:f $params"], [program])[1:]
    fields = got[0]["fields"] if got else {}
    ok(len(got) == 1 and fields.get("n") == 7 and
       len([v for v in fields.values() if v is None]) == 2,
       "long names of unavailable parameters: both are fields", err, got)


MANY = """#include <string.h>
__attribute__((noipa)) int many(const char *const *t, int n) { return n; }
int main(void)
{
	static const int sizes[] = {0, 1, 250, 300, 500, 600, 1000, 4094, 4096, 9000};
	static char text[10][9001];
	const char *t[10];
	for (int n = 0; n < 10; n++) {
		for (int k = 0; k < 10; k++) {
			memset(text[k], 'a' + k, 9000);
			text[k][sizes[(k + n) % 10]] = 0;
			t[k] = text[k];
		}
		many(t, n);
	}
	t[3] = 0;
	many(t, 10);
}
"""


def many_strings(folder):
    """More strings than a companion has room for: less of each is kept, and none is mixed up."""
    program = f"{folder}/many"
    with open(f"{folder}/many.c", "w") as f:
        f.write(MANY)
    run("gcc", "-g", "-o", program, f"{folder}/many.c")
    sizes = [0, 1, 250, 300, 500, 600, 1000, 4094, 4096, 9000]
    for count in 5, 10:
        words = " ".join(f"s{k}=+0(+{8 * k}(t)):string" for k in range(count))
        got, err = capture(folder, [f"uprobe:{program}:many n {words}"], [program])[1:]
        ok(len(got) == 11 and "11 events captured, 0 lost" in err,
           f"{count} strings: no event is lost", err)
        wrong = []
        for e in got:
            n = e["fields"]["n"]
            for k in range(count):
                want = chr(ord("a") + k) * sizes[(k + (n if n < 10 else 9)) %
                                                 10] if n < 10 or k != 3 else None
                why = e.get("unavailable", {}).get(f"s{k}",
                                                   "").startswith("its address is not mapped")
                text, is_cut = e["fields"][f"s{k}"], f"s{k}" in str(e.get("cut"))
                if want == "" and text is None and why:
                    continue  # beside long ones it looks like one that cannot be read
                if text != want and not (is_cut and want and text and want.startswith(text) and
                                         len(text) >= 64):
                    wrong.append((n, k, want and len(want), text, e.get("cut")))
        ok(not wrong, f"{count} strings: each is whole, or its beginning and marked as cut",
           *wrong[:10])


TURNS = """#include <string.h>
__attribute__((noipa)) const char *same(const char *s) { return s; }
int main(void)
{
	static const int sizes[] = {4060, 4094, 4095, 4096, 9000};
	static char text[9001];
	for (int i = 0; i < 5; i++) {
		memset(text, 'a', sizeof(text));
		text[sizes[i]] = 0;
		same(text);
		same("short");
		same(text);
		same("aaaa");
		same(text);
		same("");
		same("ab");
	}
}
"""


def turns(folder):
    """A string after one that is too long is itself, not the end of the long one."""
    program = f"{folder}/turns"
    with open(f"{folder}/turns.c", "w") as f:
        f.write(TURNS)
    run("gcc", "-g", "-o", program, f"{folder}/turns.c")
    for spec, name in ((f"uprobe:{program}:same s=+0(s):string", "s"),
                       (f"uprobe:{program}:same%return r=$retval:string", "r")):
        got, err = capture(folder, [spec], [program])[1:]
        texts = [e["fields"][name] for e in got]
        same = [t if t is None or len(t) < 512 else "long" for t in texts]
        ok(same == ["long", "short", "long", "aaaa", "long", "", "ab"] * 5,
           f"{name}: long and short strings in turns", same, err)
        ok(all(t is None or set(t) <= {"a"} for t in texts if t not in ("short", "ab")),
           f"{name}: no others' bytes")


UNENDED = """#include <string.h>
#include <sys/mman.h>
__attribute__((noipa)) int ends(const char *s) { return *s; }
int main(void)
{
	char *page = mmap(0, 8192, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	munmap(page + 4096, 4096);
	memset(page, 'u', 4096);
	ends(page + 4086);
	ends(page);
	page[4095] = 0;
	ends(page + 4086);
	return 0;
}
"""


def unended(folder):
    """A string without a NUL before an unmapped page: the reason may not be a wrong address."""
    program = f"{folder}/unended"
    with open(f"{folder}/unended.c", "w") as f:
        f.write(UNENDED)
    run("gcc", "-g", "-o", program, f"{folder}/unended.c")
    got = capture(folder, [f"uprobe:{program}:ends s=+0(s):string"], [program])[1]
    ok([e["fields"]["s"] for e in got] == [None, 512 * "u", 9 * "u"] and
       "no end before a page that is not" in str(got[0].get("unavailable")) and
       "s" in got[1].get("cut", ()), "a string without an end", got)


def unmapped(folder):
    """-p with a file that the process does not use: reported, because no event can come."""
    program = f"{folder}/program"
    shutil.copy("/bin/sleep", program)
    with subprocess.Popen([program, "60"]) as process:
        probe = ["-i", f"uprobe:{SAMPLES}/tick:tick_step", "-p", str(process.pid), "--duration",
                 "100ms"]
        err = run(f"{BUILD}/trawl", *probe).stderr
        ok("tick: not mapped by any process of -p" in err, "-p: not mapped", err)
        with subprocess.Popen([f"{BUILD}/trawl", *probe[:-1], "60s", "-w", "/dev/null"],
                              stderr=subprocess.PIPE, text=True) as recorder:
            said = recorder.stderr.readline()
            held = [os.path.realpath(f) for f in glob.glob(f"/proc/{recorder.pid}/fd/*")]
            recorder.terminate()
        ok("not mapped" in said and held and program not in held,
           "... and none of the process's files stays open", said, held)
        probe[1] = f"uprobe:{program}:0x3000"
        err = run(f"{BUILD}/trawl", *probe).stderr
        ok("mapped" not in err, "-p: mapped, nothing to say", err)
        shutil.copy("/bin/sleep", f"{program}.new")
        os.rename(f"{program}.new", program)
        err = run(f"{BUILD}/trawl", *probe).stderr
        ok(f"process {process.pid} has mapped an older file" in err, "-p: replaced meanwhile", err)
        process.kill()


def threads(folder):
    program = f"{SAMPLES}/threads"
    got = capture(folder, [f"usdt:{program}:threads:hit"], [program, "3", "2", "10"])[1]
    seen = {tuple(e["fields"][f"arg{k}"] for k in (1, 2, 3)) for e in got}
    ok(len(got) == 90 and len(seen) == 90, "threads and children: all 90 hits", len(got))
    ok(len({e["tid"] for e in got}) == 9 and len({e["pid"] for e in got}) == 3,
       "threads and children: 9 threads of 3 processes")


def library(folder):
    spec = f"usdt:{SAMPLES}/libgreet.so:greet:* who=arg1:string"
    printed, got, err = capture(folder, [spec], [f"{SAMPLES}/greeter"])
    ok(printed == "3 listened\n", "semaphore: the program sees that the probe is enabled", printed, err)
    ok([e["name"] for e in got] == ["greet:hello", "greet:costly"] * 3 and
       all(e["fields"]["who"] == "world" for e in got), "library: events", got)


def runtime(folder, how, scope):
    with subprocess.Popen([f"{SAMPLES}/runtime", how], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, text=True) as program:
        pid = program.stdout.readline().split()[1]
        path = f"{folder}/x.trawl"
        with subprocess.Popen([f"{BUILD}/trawl", "-i", f"usdt:pid={pid}:runtime:* arg3:string",
                               *(["-p", pid] if scope else []), "-c", "5", "-w", path],
                              stderr=subprocess.PIPE,
                              text=True) as trawl:
            said = wait_armed(trawl, pid)
            program.stdin.close()
            program.wait()
            said += trawl.communicate(timeout=120)[1]
        events = decode(path)
        got = [e["fields"] for e in events]
    ok(trawl.returncode == 0 and len(events) == 5 and
       all((e["comm"], e["pid"]) == ("runtime", int(pid)) for e in events),
       f"runtime {how}: whose they are is known, though it ends with its last hit", said, *events)
    want = [{"arg1": n, "arg2": n * n, "arg3": "made at run time"} for n in range(5)]
    ok([{k: f[k] for k in want[0]} for f in got] == want,
       f"runtime {how}: probes in a file without a name", said, *got)


def wait_armed(trawl, pid):
    """The messages of a trawl until it records."""
    said = ""
    for line in trawl.stderr:
        said += line
        if "capturing to" in line:
            return said
    return f"{said}trawl ended before it was armed, for {pid}\n"


def same_name(folder):
    """A static probe and a function with one name and address: each has its own arguments."""
    with open(f"{folder}/w.c", "w") as f:
        f.write("#include <stdlib.h>\n#include <sys/sdt.h>\n"
                "__attribute__((noinline)) void hit(int n, const char *who)\n"
                "{\nDTRACE_PROBE2(w, hit, n, who);\n__asm__ volatile(\"\" ::: \"memory\");\n}\n"
                "int main(int n, char **words)\n{\nfor (int i = n > 2 ? atoi(words[2]) : 1; i; "
                "i--)\n"
                "hit(42, words[1]);\nreturn 0;\n}\n")
    made = run("gcc", "-O2", "-g", "-o", f"{folder}/w", f"{folder}/w.c")
    specs = [f"usdt:{folder}/w:hit arg2:string", f"uprobe:{folder}/w:hit n who=+0(who):string"]
    for order in (specs, specs[::-1]):
        got, err = capture(folder, order, [f"{folder}/w", "hits"])[1:]
        fields = {e["source"]: e["fields"] for e in got}
        ok(len(got) == 2 and fields["usdt"].get("arg1") == 42 and
           fields["usdt"].get("arg2") == "hits" and
           fields["uprobe"].get("n") == 42 and fields["uprobe"].get("who") == "hits",
           f"usdt and uprobe of one name, {order[0].split(':')[0]} first: both have their "
           f"arguments",
           made.stderr, err, got)
        ok({e["name"] for e in got} == {"w:hit"} and all("hit" in e["site"]["symbol"] for e in got),
           "and their sites", got)
    live = run(f"{BUILD}/trawl", "--json", "-i", specs[0], "-i", specs[1], "--", f"{folder}/w",
               "hits")
    fields = [json.loads(line)["fields"] for line in live.stdout.splitlines()]
    ok(any(f.get("arg1") == 42 for f in fields) and any(f.get("n") == 42 for f in fields),
       "live, too", live.stdout, live.stderr)
    same_name_in_a_row(folder, specs)


def same_name_in_a_row(folder, specs):
    """The same in each file of a row."""
    made = run(f"{BUILD}/trawl", "-q", "-C", "8k", "-w", f"{folder}/row", "-i", specs[0], "-i",
               specs[1],
               "--", f"{folder}/w", "hits", "30000")
    files = sorted(name for name in os.listdir(folder) if name.startswith("row"))
    ok(len(files) > 2, "a row of files", files, made.stderr)
    bad = []
    for name in files:
        for source, want in (("usdt", ("arg1", "arg2")), ("uprobe", ("n", "who"))):
            out = run(f"{BUILD}/trawl-decode", "--json", "-c", "1", "--source", source,
                      f"{folder}/{name}").stdout
            got = json.loads(out or "{}")
            fields = got.get("fields", {})
            if got and ([fields.get(want[0]), fields.get(want[1])] != [42, "hits"] or
                        "hit" not in got.get("site", {}).get("symbol", "")):
                bad.append((name, out))
    ok(not bad, "each has the arguments and sites of both", bad)


def arrays(folder):
    """Arrays of strings and of characters are texts; an argument may be shown in two ways."""
    with open(f"{folder}/v.c", "w") as f:
        f.write("#include <sys/sdt.h>\n"
                "__attribute__((noinline)) int words(int n, char **v, char c)\n"
                "{\nDTRACE_PROBE2(v, words, n, v);\n__asm__ volatile(\"\" ::: \"memory\");\nreturn "
                "c;\n}\n"
                "int main(int n, char **v)\n{\nreturn words(n, v, 'p') != 'p';\n}\n")
    made = run("gcc", "-O1", "-g", "-o", f"{folder}/v", f"{folder}/v.c")
    program = f"{folder}/v"
    for spec, want in (
            (f"uprobe:{program}:words c b=+0(+0(v)):char[4] a=+0(v):string[3]",
             {"c": "p", "b": program[:4], "a[0]": program, "a[1]": "one", "a[2]": "two"}),
            (f"usdt:{program}:words b=+0(+0(arg2)):char[4] s=+8(arg2):string[2] n=arg1 arg1:x8",
             {"n": 3, "arg1": 3, "b": program[:4], "s[0]": "one", "s[1]": "two"})):
        got, err = capture(folder, [spec], [program, "one", "two"])[1:]
        fields = got[0]["fields"] if got else {}
        ok({k: fields.get(k) for k in want} == want and "unavailable" not in got[0],
           spec.split(":")[0] +
           ": strings and characters of arrays are texts", made.stderr, err, got)
    shown = run(f"{BUILD}/trawl-decode", "--where", 's[1] == "two"', f"{folder}/x.trawl").stdout
    ok('s[1]="two"' in shown, "--where finds one by its number", shown)


SHOP = r"""
namespace shop {
struct Cart {
	int n;
	__attribute__((noinline)) Cart(int start);
	__attribute__((noinline)) ~Cart();
	__attribute__((noinline)) int add(int price);
	__attribute__((noinline)) int add(int price, const char *what);
	__attribute__((noinline)) int total() const;
	__attribute__((noinline)) Cart &operator+=(int price);
	__attribute__((noinline)) int operator()(int a, int b);
};
Cart::Cart(int start) : n(start) { asm volatile("" ::: "memory"); }
Cart::~Cart() { asm volatile("" ::: "memory"); }
int Cart::add(int price) { asm volatile("" ::: "memory"); return n += price; }
int Cart::add(int price, const char *what)
{ asm volatile("" ::: "memory"); return n += price + !what; }
int Cart::total() const { asm volatile("" ::: "memory"); return n; }
Cart &Cart::operator+=(int price) { asm volatile("" ::: "memory"); n += price; return *this; }
int Cart::operator()(int a, int b) { asm volatile("" ::: "memory"); return a + b + n; }
template <typename T> __attribute__((noinline)) T most(T a, T b)
{ asm volatile("" ::: "memory"); return a > b ? a : b; }
}
int main()
{
	shop::Cart c(1);
	c.add(2);
	c.add(3, "tea");
	c += 4;
	return c(5, 6) + c.total() + shop::most<int>(7, 8) + (int)shop::most<long>(9, 10) == 0;
}
"""


def cxx(folder):
    """C++ functions are found by the names that users write."""
    program = f"{folder}/shop"
    with open(f"{folder}/shop.cpp", "w") as f:
        f.write(SHOP)
    made = run("g++", "-O1", "-g", "-o", program, f"{folder}/shop.cpp")
    both = ["shop:shop::Cart::add(int)", "shop:shop::Cart::add(int, char const*)"]
    most = ["shop:shop::most<int>", "shop:shop::most<long>"]
    for name, want in (("shop::Cart::add", both), ("shop::Cart::add(int,char\\ const*)", both[1:]),
                       ("shop::Cart::add(int, char const*)", both[1:]), ("shop::most", most),
                       ("shop::most<int>", most[:1]),
                       ("shop::Cart::~Cart", ["shop:shop::Cart::~Cart"]),
                       ("shop::Cart::Cart", ["shop:shop::Cart::Cart"]),
                       ("shop::Cart::operator+=", ["shop:shop::Cart::operator+="]),
                       ("shop::Cart::operator()(int, int)",
                        ["shop:shop::Cart::operator()(int, int)"]),
                       ("shop::Cart::total()%return", ["shop:shop::Cart::total() const%return"]),
                       ("shop::[Cm]*d*", both),
                       ("_ZN4shop4Cart3addEi", ["shop:_ZN4shop4Cart3addEi"])):
        got, err = capture(folder, [f"uprobe:{program}:{name}"], [program])[1:]
        ok([e["name"] for e in got] == want, f"C++: {name}", made.stderr, err, got)
    got, err = capture(folder, [f"uprobe:{program}:_ZN4shop4[CM]*"], [program])[1:]
    names = sorted({e["name"] for e in got})
    ok(set(both) < set(names) and not any("_Z" in n for n in names),
       "C++: a pattern of symbols has readable names",
       err, names)
    got, err = capture(folder, [f"uprobe:{program}:shop::Cart::add price",
                                f"uprobe:mine={program}:shop::Cart::total"],
                       [program])[1:]
    ok([e["fields"].get("price") for e in got] == [2, 3, None] and got[2]["name"] == "mine" and
       got[0]["site"]["symbol"] == "shop::Cart::add",
       "C++: parameters, a name of one's own, the symbol", err, got)
    got, err = capture(folder, [f"uprobe:{program}:shop::Cart::add what"], [program])[1:]
    ok([e["name"] for e in got] == both[1:] and
       "1 of the functions it matches is passed over" in err,
       "C++: an overload without the parameter is passed over", err, got)
    got, err = capture(folder, [f"uprobe:{program}:shop::* what"], [program])[1:]
    ok([e["name"] for e in got] == both[1:] and "are passed over, shop::" in err,
       "C++: a pattern passes over what lacks the parameter", err, got)
    ok(err.count("passed over") == 1, "C++: which one line says, whatever they are", err)
    got, err = capture(folder, [f"uprobe:{program}:shop::*%return $retval"], [program])[1:]
    none = {e["name"]: why for e in got for why in e.get("unavailable", {}).values()}
    ok("passed over" not in err and none.get("shop:shop::Cart::Cart%return") ==
       "the function returns nothing" and {"shop:%s%%return" % n for n in (
           "shop::Cart::total", "shop::Cart::add(int)")} <= {e["name"] for e in got},
       "C++: with a pattern, what returns nothing is an event that says so", err, got)
    for name, text in (("shop::Cart::ad", "did you mean shop::Cart::add"),
                       ("shop::Cart::add nosuch", "no such parameter"),
                       ("shop::Cart::total this.nosuch", "has no such member")):
        err = capture(folder, [f"uprobe:{program}:{name}"], [program])[2]
        ok(text in err, f"C++: {text}", err)
    run("gcc", "-shared", "-fPIC", "-s", "-o", f"{folder}/bare.so", "-xc", "-",
        input="int f(void) { return 1; }")
    err = capture(folder, [f"uprobe:{folder}/bare.so:nosuch"], [program])[2]
    ok("no such symbol in" in err and "it is stripped, only what it exports has a name" in err,
       "a stripped file is told as such", err)


def no_hits(folder):
    """COMMAND is not the program with the probes, but for example a wrapper with its name."""
    program, wrapper = f"{SAMPLES}/tick", f"{folder}/tick"
    with open(wrapper, "w") as f:
        f.write("#!/bin/bash\n:\n")
    os.chmod(wrapper, 0o755)
    err = capture(folder, [f"usdt:{program}:tick:*"], [wrapper])[2]
    ok(re.search(r"^trawl: usdt: no probe was hit. \S+/tick ran /\S*/bash: ", err, re.M),
       "no hit: what the command began as", err)
    err = capture(folder, [f"usdt:{program}:tick:*"], [wrapper], "-q")[2] + \
        capture(folder, [f"usdt:{program}:tick:*"], [program, "1"])[2]
    ok("no probe was hit" not in err, "nothing of it with -q, nor with a hit", err)


def wrong(folder):
    forms_, tick = f"{SAMPLES}/forms", f"{SAMPLES}/tick"
    with open(tick, "rb") as whole, open(f"{folder}/cut", "wb") as cut:
        cut.write(whole.read(3000))
    for status, text, spec in (
            (2, "no such file", "uprobe:/no/such/file:main"),
            (2, "did you mean tick_step", f"uprobe:{tick}:tick_stepp"),
            (2, "did you mean multi?", f"usdt:{forms_}:multy"),
            (2, "not an ELF file", f"uprobe:{BUILD}/Makefile:main"),
            (2, "32-bit x86", f"uprobe:{sys.argv[0]}.386:main"),
            (2, "63 characters", f"uprobe:{tick}:tick_step a=+1000000000(+1000000000(+1000000000("
             "+1000000000(+1000000000(%di))))):string"),
            (2, "at most 128", f"uprobe:{tick}:tick_step " +
             " ".join(f"a{i}=%di" for i in range(129))),
            (2, "already", f"uprobe:{tick}:tick_step a=%di a=%si"),
            (2, "already", f"usdt:{tick}:tick:loop arg1:u8 arg1:x8"),
            (2, "in the middle of an instruction", f"uprobe:{forms_}:run_none+3"),
            (2, "n is of type int, which is no pointer", f"uprobe:{tick}:tick_step n->x"),
            (2, "%zz: no such register", f"uprobe:{tick}:tick_step %zz"),
            (2, "tick_step has no such parameter; it takes state, n, name, small, part",
             f"uprobe:{tick}:tick_step nosuch"),
            (2, "is cut: ", f"uprobe:{folder}/cut:tick_step"),
            (2, "is cut: ", f"usdt:{folder}/cut:tick:*"),
            (2, "$params: not known: the debug information in the file does not describe _init",
             f"uprobe:{SAMPLES}/params:_init* $params"),
            (2, "no such process", "usdt:pid=1073741823:*")):
        if "386" in spec:
            with tempfile.NamedTemporaryFile(suffix=".386") as f:
                f.write(b"\x7fELF\x01\x01\x01" + bytes(9) + b"\x02\0\x03\0\x01\0\0\0" + bytes(256))
                f.flush()
                out = run(f"{BUILD}/trawl", "-i", f"uprobe:{f.name}:main", "-w", "/dev/null")
        else:
            out = run(f"{BUILD}/trawl", "-i", spec, "-w", "/dev/null")
        ok(out.returncode == status and text in out.stderr, f"'{text}' ends with status {status}",
           out.returncode, out.stderr)


def main():
    if os.geteuid() != 0 or not os.access("/sys/kernel/tracing/uprobe_events", os.W_OK):
        return skip_all("uprobe_events is not writable: not root, or no tracefs")
    with tempfile.TemporaryDirectory() as folder:
        variants(folder)
        params(folder)
        pattern(folder)
        many_functions(folder)
        link(folder)
        static(folder)
        long_strings(folder)
        static_functions(folder)
        leftovers(folder)
        long_names(folder)
        many_strings(folder)
        turns(folder)
        unended(folder)
        unmapped(folder)
        threads(folder)
        library(folder)
        runtime(folder, "memfd", False)
        runtime(folder, "deleted", True)
        same_name(folder)
        arrays(folder)
        cxx(folder)
        no_hits(folder)
        wrong(folder)
    return finish()


sys.exit(main())
