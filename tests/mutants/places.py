# SPDX-License-Identifier: MIT
"""Where sources can be changed, and how: the places that tests/mutants/mutants.py tries."""
import glob
import os
import random
import re

# Files whose mutants could remove or stop what belongs to others on this machine.
LEFT_OUT = re.compile(
    r"^capture/(tracefs/(gc|instance|instances|control|owner)\.c|branch/module\.c|sys/priority\.c)$")


def masked(text):
    """The same with comments, strings and preprocessor lines blank, so that places stay."""
    def blank(m):
        return re.sub(r"[^\n]", " ", m[0])
    return re.sub(
        r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|^\s*#(?:\\\n|[^\n])*',
        blank, text, flags=re.S | re.M)


SWAPS = [(r"(?<![<>=!+\-*/&|^%-])<(?![<=])", "<="), (r"(?<!<)<=", "<"),
         (r"(?<![>-])>(?![>=])", ">="), (r"(?<!>)>=", ">"),
         (r"==", "!="), (r"!=", "=="), (r"&&", "||"), (r"\|\|", "&&"),
         (r"(?<=[\w)\]] )\+(?= )", "-"), (r"(?<=[\w)\]] )-(?= )", "+"), (r"\+=", "-="),
         (r"-=", "+="),
         (r"(?<=[\w)\]] )&(?= )", "|"), (r"(?<=[\w)\]] )\|(?= )", "&"), (r"<<(?!=)", ">>"),
         (r">>(?!=)", "<<")]
CALL = re.compile(r"^\t+((?!return|sizeof|if|while|for|switch|va_\w+)[a-z_]\w*\([^;{}]*\));$")


def changes(text, sanitizers=False):
    """(line, what, new text of the line) of all that can be changed."""
    lines, code = text.split("\n"), masked(text).split("\n")
    inside, out = False, []
    for i, line in enumerate(code):
        if line.startswith(("{", "}")):
            inside = line.startswith("{")
            continue
        if not inside or not line.startswith("\t"):
            continue
        for pattern, new in SWAPS:
            for m in re.finditer(pattern, line):
                out.append((i, f"{m[0]} -> {new}", lines[i][:m.start()] + new + lines[i][m.end():]))
        # a failure is any negative number, and room for a text is a guess
        for m in () if re.match(
            r"^\t+(return -\d+;|(const |static |unsigned )*\w+ [^=;()]*\[[^\]]*\](;|,| =.*))",
            line) else re.finditer(r"(?<![\w.])(0x[0-9a-fA-F]+|\d+)([uUlL]*)(?![\w.])", line):
            n = int(m[1], 8 if re.match(r"0\d", m[1]) else 0)
            for other in (n + 1, n - 1) if n else (1,):
                other = f"0{other:o}" if re.match(r"0\d", m[1]) else str(other)
                out.append((i, f"{m[1]} -> {other}",
                            lines[i][:m.start()] + other + m[2] + lines[i][m.end():]))
        m = re.match(r"^(\t+(?:\} else )?)(if|while) \((.*)\)( \{)?$", line)
        if m and m[3].count("(") == m[3].count(")"):
            a, b = m.start(3), m.end(3)
            out.append((i, f"{m[2]} negated", f"{lines[i][:a]}!({lines[i][a:b]}){lines[i][b:]}"))
        m = CALL.match(line)
        if m and (sanitizers or
                  not re.match(r"(\w+_)?(free|close)\(|assert\(", m[1])):
            out.append((i, "call left out", lines[i][:m.start(1)] + lines[i][m.end(1):]))
    return out


def all_places(src, only, sanitizers=False):
    files = [f for d in ("format", "decode", "capture")
             for f in glob.glob(f"{src}/{d}/**/*.c", recursive=True)]
    places = []
    for path in sorted(files):
        name = os.path.relpath(path, src)
        if LEFT_OUT.match(name) or not name.startswith(tuple(only)):
            continue
        with open(path) as f:
            text = f.read()
        places += [(name, *c) for c in changes(text, sanitizers)]
    return places


def sample(places, count, seed):
    """An equal share of each of the three folders, each line at most once."""
    rng, taken = random.Random(seed), []
    for top in ("format/", "decode/", "capture/"):
        by_line = {}
        for p in places:
            if p[0].startswith(top):
                by_line.setdefault((p[0], p[1]), []).append(p)
        keys = rng.sample(sorted(by_line), min(len(by_line), count))
        taken.append([rng.choice(by_line[k]) for k in keys])
    groups = zip(*taken) if all(taken) else taken
    mixed = [p for group in groups for p in group]
    return mixed[:count]


def equivalents(src):
    """FILE|LINE'S TEXT|WHAT of tests/mutants/equivalent; after it, why."""
    with open(src + "/tests/mutants/equivalent") as f:
        return {tuple(x.strip() for x in line.split("|||")[:3]) for line in f
                if "|||" in line and not line.startswith("#")}
