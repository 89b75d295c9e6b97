#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks the structure of the tree.

Includes: the table "The map" of CONTRIBUTING.md says for each folder, or single header, what it may
include. This test reads every include of the product. It fails on one that the table does not
allow, on a circle of folders in the table, on a circle of files (a .c and its .h are one), on a
header of format/ other than trawl.h outside it, and on an include that is not a path from the root.
CONTRIBUTING.md: the files, folders and functions() exist that "Where things are added" and "What
stands twice" name.
Memory: in the programs it grows by common/array.h alone.
Comments: each file, or the header of its name, begins with one that says what the file holds. Of a
comment of several lines, the first and the last have no text.
Sizes: no file has more than 900 lines. No line has more than 100 columns with tabs of 8; except for
rows of a table in a C comment, and for lines with quoted texts whose rest has at most 80 columns.
Nor has a line of prose in a Markdown file, except for one that a link or a code makes so long.
No function of C, Python, JavaScript or Lua has more than 60 lines; none of C has more than 6
parameters, except for those that the tests record.
Include guards have the name of the header's path.
Functions: each that a header declares is used outside of its file, at least by a test.
Damage: tests/format/test_rules.c breaks each rule of the format that format/ names.
Copies: no two functions of the product have the same body, if it is longer than an expression. No
six lines come twice, except in two files that "What stands twice" has as `one` beside `another`,
and in structs of functions.
"""
import ast
import os
import re
import sys

SRC = os.environ.get("TRAWL_SRC", os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
sys.path.insert(0, os.path.join(SRC, "tests"))
sys.dont_write_bytecode = True
from tap import finish, ok  # noqa: E402

TOPS = ("capture", "common", "decode", "edit", "format", "replay", "kmod", "uprobe")
GENERATED = (".inc", "config.h")
WRITTEN = (".c", ".h", ".cc", ".py", ".sh", ".js", ".lua", ".css", ".html")
QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'')
QUOTED_JS = re.compile(QUOTED.pattern + r"|`(?:[^`\\]|\\.)*`")
INSTALLED = ("format/trawl.h", "uprobe/trawl-uprobe.h", "kmod/trawl_uapi.h", "kmod/trawl_libiht.h")
# The folder of a built QEMU has the hash of these bytes in its name.
HASHED = ("tests/lab/qemu/build",)
LINES, COLUMNS, COLUMNS_OF_REST = 900, 100, 80
FUNCTION_LINES, PARAMETERS = 60, 6
RECORDED = ("samples/", "tests/zoo/")  # programs whose parameters the tests record
SAME_LINES, SAME_BODY = 6, 36  # lines that may not come twice; characters of a body that may
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
UNFRAMED = re.compile(r"^[ \t]*/\*[ \t]*\S(?:(?!\*/).)*$", re.M)
BODY = re.compile(r"^([^\n#{};]*(?:\n[^\n{};]+)*)\n\{\n.*?^\}", re.M | re.S)


def read(path):
    with open(os.path.join(SRC, path), encoding="utf-8") as f:
        return f.read()


def sources():
    for top in TOPS:
        for folder, _, names in os.walk(os.path.join(SRC, top)):
            for name in sorted(names):
                if name.endswith((".c", ".h")):
                    yield os.path.relpath(os.path.join(folder, name), SRC)


def is_script(path):
    """A program whose name has no ending."""
    if "." in os.path.basename(path):
        return False
    with open(os.path.join(SRC, path), "rb") as f:
        return f.read(2) == b"#!"


def written():
    """Every file of C, C++, Python, shell, JavaScript, Lua, CSS and HTML that somebody edits."""
    yield from (n for n in sorted(os.listdir(SRC)) if n.endswith(".sh"))
    for top in TOPS + ("samples", "tests", "setup", "wireshark", ".ci"):
        for folder, _, names in os.walk(os.path.join(SRC, top)):
            for name in sorted(names):
                path = os.path.relpath(os.path.join(folder, name), SRC)
                if name.endswith(WRITTEN) or is_script(path):
                    yield path


def prose(text):
    """(line, text) of the lines of a Markdown file's paragraphs and lists."""
    fenced = False
    for n, line in enumerate(text.splitlines(), 1):
        fence = line.startswith("```")
        fenced ^= fence
        if not fenced and not fence and not line.startswith(("    ", "\t", "|", "#")):
            yield n, line


def too_wide(path, text):
    """Lines of prose that would fit if they were wrapped."""
    return [f"{path}:{n}: over {COLUMNS} columns" for n, line in prose(text)
            if len(line) > COLUMNS and " " in line.strip()]


def unframed(path, text):
    """Comments of several lines whose first or last line has text."""
    return [f"{path}:{text.count(chr(10), 0, m.start()) + 1}: a comment of several lines begins with "
            "/* alone" for m in UNFRAMED.finditer(text)]


def overlong(line, quoted=QUOTED):
    """Whether a line is too long, also without the texts that it quotes."""
    line = line.expandtabs(8)
    return len(line) > COLUMNS and not line.startswith(" *      ") and \
        len(quoted.sub("", line)) > COLUMNS_OF_REST


def too_large(path, text):
    """What is wrong with the size of a file and its lines."""
    lines = text.splitlines()
    bad = [f"{path}: {len(lines)} lines, {LINES} are allowed"] if len(lines) > LINES else []
    if path not in HASHED:
        quoted = QUOTED_JS if path.endswith(".js") else QUOTED
        bad += [f"{path}:{n}: over {COLUMNS} columns"
                for n, line in enumerate(lines, 1) if overlong(line, quoted)]
    return bad


def parameters(head):
    """The number of parameters in the last pair of parentheses of a function's head."""
    depth = count = 0
    for c in reversed(head.rstrip()):
        depth += (c == ")") - (c == "(")
        count += c == "," and depth == 1
        if not depth:
            break
    return count + 1


def overgrown(path, text):
    """C functions that are too long or have too many parameters."""
    text = COMMENT.sub(lambda m: "\n" * m.group(0).count("\n"), text)
    bad = []
    for m in BODY.finditer(text):
        head = m.group(1).strip()
        if not head.endswith(")"):
            continue
        name = re.findall(r"(\w+)\(", head)[-1] if "(" in head else head
        where = f"{path}:{text.count(chr(10), 0, m.start(1)) + 1}: {name}()"
        lines = m.group(0).strip().count("\n") + 1
        if lines > FUNCTION_LINES:
            bad.append(f"{where}: {lines} lines, {FUNCTION_LINES} are allowed")
        if parameters(head) > PARAMETERS and not path.startswith(RECORDED):
            bad.append(f"{where}: {parameters(head)} parameters, {PARAMETERS} are allowed")
    return bad


# Functions that begin on one line and end at a line with the same indentation.
FUNCTION_JS = re.compile(r"^(\t*)(?:(?:static|async|get|set|function\*?) )*"
                         r"(?!(?:if|for|while|switch|catch)\b)"
                         r"(?:(\w+)\(.*\) \{|(?:const|let) (\w+) = (?:async )?"
                         r"(?:function\b.*\{|(?:\(.*\)|\w+) =>.*[{(]?))$")
FUNCTION_LUA = re.compile(r"^(\t*)(?:local )?function ([\w.:]+)\(")


def script_functions(text, begin):
    """(line, name, number of lines) of each function of JavaScript or Lua."""
    lines = text.splitlines()
    for n, line in enumerate(lines):
        m = begin.match(line)
        end = m and re.compile(m[1] + r"(?:[})]|end\b)")
        inside = m and m[1] + "\t"
        last = m and next((k for k in range(n + 1, len(lines))
                           if lines[k].strip() and not lines[k].startswith(inside)), None)
        if last and end.match(lines[last]):
            yield n + 1, next(filter(None, m.groups()[1:])), last - n + 1


def python_functions(text):
    for f in ast.walk(ast.parse(text)):
        if isinstance(f, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield f.lineno, f.name, f.end_lineno - f.lineno + 1


def overlong_functions(path, text):
    """Functions of Python, JavaScript and Lua that are too long."""
    if path.endswith((".js", ".lua")):
        found = script_functions(text, FUNCTION_JS if path.endswith(".js") else FUNCTION_LUA)
    elif path.endswith(".py") or re.match("#!.*python", text):
        found = python_functions(text)
    else:
        return []
    return [f"{path}:{line}: {name}(): {n} lines, {FUNCTION_LINES} are allowed"
            for line, name, n in found if n > FUNCTION_LINES]


def bodies(path, text):
    """(body without space, where) of each C function."""
    text = COMMENT.sub(lambda m: "\n" * m.group(0).count("\n"), text)
    for m in BODY.finditer(text):
        head = m.group(1).strip()
        if head.endswith(")"):
            line = text.count("\n", 0, m.start(1)) + 1
            name = re.findall(r"(\w+)\(", head)[0]
            yield "".join(m.group(0).split("\n{\n", 1)[1].split()), f"{path}:{line}: {name}()"


def code_lines(text):
    """(line, code without space) of each line but comments, includes and brackets that end."""
    text = COMMENT.sub(lambda m: "\n" * m.group(0).count("\n"), text)
    lines = (("".join(line.split()), n) for n, line in enumerate(text.splitlines(), 1))
    return [(n, line) for line, n in lines if line.strip("{};)(,") and line[0] != "#"]


def explained(text):
    """The pairs of files that "What stands twice" has as `one` beside `another`."""
    section = text.split("\n## What stands twice", 1)[1].split("\n## ", 1)[0]
    return re.findall(r"`([\w/-]+\.\w+)`\s+beside\s+`([\w/-]+\.\w+)`", section)


def named(path, names):
    """Whether one of the names is that of the file, with or without its folder."""
    return any(path == n or "/" not in n and path.endswith("/" + n) for n in names)


def copies(texts, pairs):
    """Equal functions and runs of lines: what CONTRIBUTING.md does not explain."""
    same, runs, lines = {}, {}, {p: code_lines(t) for p, t in texts.items()}
    for path, text in texts.items():
        for body, where in bodies(path, text) if path.endswith((".c", ".h")) else ():
            if len(body) > SAME_BODY:
                same.setdefault(body, []).append((path, where))
        code = [c for _, c in lines[path]]
        for i in range(len(code) - SAME_LINES + 1):
            run = tuple(code[i:i + SAME_LINES])
            if not all(re.match(r"\.\w+=", c) for c in run):
                runs.setdefault(run, []).append((path, f"{path}:{lines[path][i][0]}"))
    found = [w for at in (same, runs) for w in at.values() if len(w) > 1]
    return [" and ".join(where for _, where in w) for w in found
            if not any(all(named(path, pair) for path, _ in w) for pair in pairs)]


def table(text):
    """{place: (set of places that it may include)} from the rows | `place` | ... | `a`, `b` |."""
    rows = {}
    section = text.split("\n## The map", 1)[1].split("\n## ", 1)[0]
    for line in section.splitlines():
        cells = [c.strip() for c in line.strip().strip("|").split("|")]
        if len(cells) == 3 and cells[0].startswith("`"):
            may = set(re.findall(r"`([^`]+)`", cells[2]))
            for place in re.findall(r"`([^`]+)`", cells[0]):
                rows[place.rstrip("/")] = {m.rstrip("/") for m in may}
    return rows


def place_of(path, rows):
    """The row that a file belongs to: its own, or that of its folder."""
    return path if path in rows else os.path.dirname(path)


def includes(path):
    return [i for i in re.findall(r'^#include "([^"]+)"', read(path), re.M)
            if not i.endswith(GENERATED)]


def circles(graph):
    """Strongly connected components of more than one node (Tarjan)."""
    index, low, stack, found = {}, {}, [], []

    def visit(u):
        index[u] = low[u] = len(index)
        stack.append(u)
        for v in sorted(graph.get(u, ())):
            if v not in index:
                visit(v)
                low[u] = min(low[u], low[v])
            elif v in stack:
                low[u] = min(low[u], index[v])
        if low[u] == index[u]:
            at = stack.index(u)
            if len(stack) - at > 1:
                found.append(sorted(stack[at:]))
            del stack[at:]

    for node in sorted(graph):
        if node not in index:
            visit(node)
    return found


def check(rows, files):
    """What is wrong, as {kind of rule: [sentence]}."""
    bad = {"path": [], "arrow": [], "format": [], "file": [], "folder": [], "table": []}
    modules, used = {}, set()
    for path, included in files.items():
        here = place_of(path, rows)
        used.add(here)
        if here not in rows:
            bad["table"].append(f"{path}: the table has no row for {here}/")
            continue
        for other in included:
            if other not in files:
                bad["path"].append(f"{path}: includes \"{other}\", which is no path from the root")
                continue
            there = place_of(other, rows)
            if there != here and there not in rows[here]:
                bad["arrow"].append(f"{path}: includes {other}; {here} may not include {there}")
            if other.startswith("format/") and not path.startswith("format/") and \
                    other != "format/trawl.h":
                bad["format"].append(f"{path}: includes {other}, an inside of libtrawl")
            if path[:-2] != other[:-2]:
                modules.setdefault(path[:-2], set()).add(other[:-2])
    bad["file"] = [" - ".join(c) for c in circles(modules)]
    bad["folder"] = [" - ".join(c) for c in circles(rows)]
    bad["table"] += [f"the row of {r} is of nothing" for r in sorted(set(rows) - used)
                     if not os.path.exists(os.path.join(SRC, r))]
    return bad


def misguarded(path, text):
    """Why the include guard is not that of the path; an installed header has that of its name."""
    name = re.sub(r"\W", "_", path.upper())
    of = {"TRAWL_" + name, re.sub(r".*/", "", path.upper()).replace(".", "_").replace("-", "_")} \
        if path in INSTALLED else {"TRAWL_" + name}
    guard = re.search(r"^#ifndef (\w+)\n#define \1\b", text, re.M)
    return [] if guard and guard[1] in of else \
        [f"{path}: its include guard is {guard[1] if guard else 'missing'}"]


def untried(code, test):
    """The RULE()s of the code of which no text of the test is a part."""
    code, test = (re.sub(r'"\s*\n\s*"', "", t) for t in (code, test))
    texts = [t.split(" (docs/")[0] for t in re.findall(r'"((?:[^"\\]|\\.)*)"', test)]
    return [rule for rule in re.findall(r'RULE\("[^"]*",\s*"([^"]*)"\)', code)
            if not any(len(t) > 11 and t in rule for t in texts)]


def unplaced(text, files):
    """What "Where things are added" names and the tree does not have: files, folders,
    functions()."""
    section = "".join(text.split("\n## " + title, 1)[-1].split("\n## ", 1)[0]
                      for title in ("Where things are added", "What stands twice"))
    named = re.findall(r"`([a-z_][\w/.-]*(?:\(\))?)`", section)
    code = "\n".join(read(p) for p in files)
    missing = []
    for name in named:
        if name.endswith("()"):
            found = re.search(r"\b%s\(" % re.escape(name[:-2]), code)
        elif "NAME" in name:
            found = os.path.isdir(os.path.join(SRC, name.split("NAME")[0]))
        elif "/" in name:
            found = os.path.exists(os.path.join(SRC, name))
        else:
            found = not name.endswith(".c") or any(p.endswith("/" + name) for p in files)
        if not found:
            missing.append(name)
    return missing


DECLARED = re.compile(r"^(?!static\b|typedef\b|extern\b)[a-z][\w \*]*?\b(\w+)\([^;{}]*\)[^;{}]*;", re.M)


def unshared(texts, public):
    """Functions that a header declares and no file uses but the .c of its name. A header that names
    one twice uses it itself, in a macro or an inline function. public: headers for programs of
    others."""
    texts = {p: COMMENT.sub("", t) for p, t in texts.items()}
    users = {}
    for path, text in texts.items():
        for word in set(re.findall(r"\w+", text)):
            users.setdefault(word, set()).add(path)
    return [f"{path}: only {path[:-2]}.c uses {name}()"
            for path, text in texts.items() if path.endswith(".h") and path not in public
            for name in DECLARED.findall(text)
            if not users[name] - {path, path[:-2] + ".c"}
            and len(re.findall(r"\b%s\b" % name, text)) == 1]


BEGINNING = re.compile(r"(?:/\*|//) SPDX[^\n]*\n(?:#(?:ifndef|define|include)\b[^\n]*\n|\s)*"
                       r"(?:/\*|//)")


def untitled(files, text_of):
    """Files without a comment before their first declaration, whose header has none either."""
    titled = {p[:-2] for p in files if BEGINNING.match(text_of(p))}
    return [p for p in files if p[:-2] not in titled]


def proves_itself():
    """Tests the rules themselves: each must find a made-up breach."""
    rows = {"a": {"b"}, "b": {"a"}, "format": set()}
    files = {"a/x.c": ["b/y.h", "x.h"], "b/y.h": ["format/z.h", "a/x.h"], "a/x.h": ["b/y.h"],
             "format/z.h": [], "c/n.c": []}
    bad = check(rows, files)
    ok(all(bad[k] for k in ("path", "arrow", "format", "file", "folder", "table")),
       "each rule about includes finds a breach in a made-up tree")
    section = "\n## Where things are added\n`no/such.c` `no_such_function()` `nosuch.c` `format/`\n## "
    made_up = "\n".join(["x " * 60, "puts(\"" + "x " * 60 + "\");", " *\t" + "x " * 50] + [""] * 900)
    ok(len(too_large("a.c", made_up)) == 2, "a long file and a long line are found, a text is none")
    made_up = "int f(int a, b (*c)(int, int), int d, int e, int g,\n      int h)\n{\n}\n"
    large = made_up.replace("h)", "h, int i)").replace("{", "{" + "\n\tx();" * 60)
    ok(not overgrown("a.c", made_up) and len(overgrown("a.c", large)) == 2,
       "a long function and one with many parameters are found")
    made_up = {"a.py": "def f():\n" + "    x()\n" * 60 + "def g():\n" + "    x()\n" * 59,
               "a.js": "const f = (a) => {\n" + "\tx();\n" * 59 + "};\nclass A {\n\tasync g() {\n"
               + "\t\tx();\n" * 59 + "\t}\n}\nfunction h() {\n" + "\tx();\n" * 58 + "}\n",
               "a.lua": "local function f(a)\n" + "\tx()\n" * 59 + "end\n"}
    ok([b.split(":", 1)[1] for p, t in made_up.items() for b in overlong_functions(p, t)] ==
       [f"{n}: {f}(): 61 lines, 60 are allowed" for n, f in ((1, "f"), (1, "f"), (63, "g"), (1, "f"))],
       "a long function is found in Python, JavaScript and Lua")
    run = "\n".join(f"\tstep({n}, c);" for n in range(6))
    body = "(int size)\n{\n\treturn size == 1 || size == 2 || size == 4 || size == 8;\n}\n"
    made_up = {"a.c": f"int a(void)\n{{\n\tx();\n{run}\n}}\nint b{body}int c{body}",
               "b.c": f"int d(void)\n{{\n{run}\n\ty();\n}}\n", "c.js": run}
    ok(copies(made_up, []) == ["a.c:11: b() and a.c:15: c()", "a.c:4 and b.c:3 and c.js:1"] and
       copies(made_up, [("a.c", "a.c"), ("a.c", "b.c", "c.js")]) == [] and
       explained("\n## What stands twice\n`a.c`, `b.c` beside\n`d/c.c`") == [("b.c", "d/c.c")],
       "equal functions and equal lines are found, unless they are explained")
    made_up = {"a.c": "", "a.h": "\n#ifndef A\n#define A\n/* A. */\n",
               "b.c": "#include <c>\nint d;\n"}
    ok(untitled(made_up, lambda p: "/* SPDX x */\n" + made_up[p]) == ["b.c"],
       "a file that does not say what it holds is found")
    ok(len(unframed("a.c", "/* A. */\n/* B\n * C */\nint d; /* E\n\t\t* F */\n/*\n * G\n */\n")) == 1
       and too_wide("a.md", "x " * 60 + "\n" + "    y " * 60 + "\n") == ["a.md:1: over 100 columns"],
       "a comment that begins with text is found, and a wide line of prose")
    made_up = {"a.h": "int f(void);\nint g(void);\nint h(void);\n#define H h()\n",
               "a.c": "int f(void)\n{\n\treturn g();\n}\n", "b.c": "int x = g();\n"}
    ok(unshared(made_up, ()) == ["a.h: only a.c uses f()"],
       "a function that its header need not declare is found")
    ok(unplaced(section, []) == ["no/such.c", "no_such_function()", "nosuch.c"],
       "a place that is not there is found")


def parsers(files, text_of):
    """Files that include libelf or libdw although the recorder may run their code. Only the
    processes of capture/probe/apart.h and capture/branch/reader.h may use these libraries; and
    uprobe/, which is a library for other programs."""
    opens = re.compile(r"^#include <(?:gelf|libelf|dwarf|elfutils/[^>]*)(?:\.h)?>", re.M)
    bad = [f"{p}: includes libelf or libdw" for p in files
           if opens.search(text_of(p)) and not p.startswith(("capture/probe/", "uprobe/"))]
    inside = {p for p in files if opens.search(text_of(p)) and p.endswith(".h")}
    more = True
    while more:
        more = {p for p in files if p.endswith(".h") and p not in inside and inside & set(files[p])}
        inside |= more
    readers = ("capture/probe/", "capture/branch/lookup.", "capture/branch/plt.")
    bad += [f"{p}: includes {i}, which is of the process that reads programs"
            for p in files for i in files[p] if i in inside and not p.startswith(readers)]
    return bad


proves_itself()
MADE_UP = {"capture/branch/x.c": ["capture/probe/dwarf.h"], "capture/usb/y.c": [],
           "capture/probe/elf.h": [],
           "capture/probe/dwarf.h": ["capture/probe/elf.h"]}
GELF = {"capture/probe/elf.h": "#include <gelf.h>\n",
        "capture/usb/y.c": "#include <elfutils/libdw.h>\n"}
ok(len(parsers(MADE_UP, lambda p: GELF.get(p, ""))) == 2,
   "a parser of programs in the recorder is found")
TEXT = read("CONTRIBUTING.md")
ROWS = table(TEXT)
BAD = check(ROWS, {p: includes(p) for p in sources()})
FOUND = parsers({p: includes(p) for p in sources()}, read)
ok(not FOUND, "programs are parsed by processes of their own alone", FOUND)
for kind, what in (("table", "every folder has a row in the table, and no row is of nothing"),
                   ("path", "includes name the path from the root"),
                   ("arrow", "every include is an arrow of the table"),
                   ("format", "of format/ the others include trawl.h only"),
                   ("file", "no circle of files"),
                   ("folder", "no circle of folders")):
    for line in BAD[kind]:
        print("#", line)
    ok(not BAD[kind], what)
GROWN = [p for p in sources()
         if p.startswith(("capture/", "common/", "decode/", "edit/", "replay/"))
         and p != "common/array.h"
         and re.search(r"\brealloc(array)?\(", read(p))]
for line in GROWN:
    print("#", line)
ok(not GROWN, "in the programs memory grows by common/array.h")
LATE = [p for p in sources() if '"config.h"' in re.findall(r"^#include (.*)", read(p), re.M)[1:]]
for line in LATE:
    print("#", line)
ok(not LATE, "config.h comes before every other header")
MAKE = "".join(read(p) for p in ["Makefile.am"] + [
    os.path.relpath(os.path.join(folder, n), SRC) for top in TOPS + ("samples", "docs")
    for folder, _, names in os.walk(os.path.join(SRC, top)) for n in names if n.endswith(".mk")])
UNLISTED = [p for p in sources() if not re.search(r"(^|\s)%s(\s|$)" % re.escape(p), MAKE, re.M)]
for line in UNLISTED:
    print("#", line)
ok(not UNLISTED, "every source is in a makefile, and so in the distribution")
LARGE = []
for p in written():
    LARGE += too_large(p, read(p))
for p in ("README.md", "CONTRIBUTING.md", *(f"docs/{n}" for n in sorted(os.listdir(SRC + "/docs")))):
    LARGE += too_wide(p, read(p)) if p.endswith(".md") else []
for line in LARGE:
    print("#", line)
ok(not LARGE, f"no file is over {LINES} lines, no line over {COLUMNS} columns")
UNFRAMED_ONES = []
for p in written():
    if p.endswith((".c", ".h")) and not p.startswith(RECORDED):
        UNFRAMED_ONES += unframed(p, read(p))
for line in UNFRAMED_ONES:
    print("#", line)
ok(not UNFRAMED_ONES, "comments of several lines begin and end with a line of their own")
OVERGROWN = []
for p in written():
    if p.endswith((".c", ".h")):
        OVERGROWN += overgrown(p, read(p))
    else:
        OVERGROWN += overlong_functions(p, read(p))
for line in OVERGROWN:
    print("#", line)
ok(not OVERGROWN, f"no function is over {FUNCTION_LINES} lines or {PARAMETERS} parameters")
COPIES = copies({p: read(p) for p in written() if p.startswith(TOPS + ("wireshark/",)) and
                 p.endswith((".c", ".h", ".js", ".lua"))}, explained(TEXT))
for line in COPIES:
    print("#", line)
ok(not COPIES, "no function and no six lines come twice that CONTRIBUTING.md does not explain")
UNTITLED = untitled(list(sources()), read)
for line in UNTITLED:
    print("#", line)
ok(not UNTITLED, "every file says at its beginning what it holds, or its header does")
C_FILES = {p: read(p) for p in written() if p.endswith((".c", ".h"))}
MISGUARDED = [line for p, t in C_FILES.items()
              if p.endswith(".h") and not p.startswith(RECORDED) for line in misguarded(p, t)]
for line in MISGUARDED:
    print("#", line)
ok(not MISGUARDED and misguarded("a/b.h", "#ifndef TRAWL_A_H\n#define TRAWL_A_H\n") and
   not misguarded("a/b.h", "#ifndef TRAWL_A_B_H\n#define TRAWL_A_B_H\n"),
   "every include guard is that of the header's path")
UNSHARED = unshared({p: t for p, t in C_FILES.items() if not p.startswith("tests/") or
                     p.endswith(".c")}, ("format/trawl.h", "uprobe/trawl-uprobe.h", "kmod/khandler.h"))
for line in UNSHARED:
    print("#", line)
ok(not UNSHARED, "headers declare what other files use")
HEADINGS = re.findall(r"^#+ (.*)", read("docs/format.md"), re.M)
STRAY = [f"{p}: {name}" for p in sources() if p.startswith("format/")
         for name in re.findall(r'RULE\("([^"]*)"', read(p)) if name not in HEADINGS]
for line in STRAY:
    print("#", line)
ok(not STRAY, "the checks of a chunk name sections of docs/format.md")
UNTRIED = untried("".join(read(p) for p in sources() if p.startswith("format/")),
                  read("tests/format/test_rules.c"))
for line in UNTRIED:
    print("#", line)
ok(not UNTRIED and untried('RULE("A", "it is small")', 'x("is large", " (docs/")') == ["it is small"] and
   not untried('RULE("A", "that is "\n\t"small")', 'x("that is small")'),
   "tests/format/test_rules.c breaks each rule that a check names")
MISSING = unplaced(TEXT, list(sources()))
for line in MISSING:
    print("#", line)
ok(not MISSING, "names in CONTRIBUTING.md's tables exist in the tree")
sys.exit(finish())
