# SPDX-License-Identifier: MIT
"""One build with all changes, of which the environment chooses one. A function with changes gets a
copy of its whole body for each:

    if (mutant(7)) { changed body } else { body }

So a change may be anywhere in a function, and a test needs no build of its own. A function's body
begins and ends with a brace in the first column.
"""
import re

# The second line makes a source one for which the compiler has no warnings ("system header").
HEADER = '#include "tests/mutants/mutant.h"\n# 3 "%s" 3'


def switched(name, text, chosen):
    """Returns the source with the changes `chosen` (number, index of the line, its new text), and
    for each number the lines of its copy there: [first, behind the last), counted from 1."""
    lines, out, spans, start = text.split("\n"), (HEADER % name).split("\n"), {}, None
    for i, line in enumerate(lines):
        out.append(line)
        if line.startswith("{"):
            start = i
        elif line.startswith("}") and start is not None:
            mine = [c for c in chosen if start < c[1] < i]
            if mine:
                del out[len(out) - (i - start):]
                out += copies(lines[start + 1:i], mine, start + 1, len(out), spans) + [line]
            start = None
    return "\n".join(out), spans


def copies(body, chosen, offset, above, spans):
    """The lines of a function's body with its changed copies; notes where they are in spans."""
    labels = sorted(set(re.findall(r"\bgoto (\w+);", "\n".join(body))))
    begin = "{" + (" __label__ " + ", ".join(labels) + ";" if labels else "")
    out = []
    for number, at, new in chosen:
        out.append(f"if (mutant({number}))")
        first = above + len(out) + 1
        out += [begin, *body[:at - offset], new, *body[at - offset + 1:], "} else"]
        spans[number] = first, above + len(out) + 1
    return [*out, begin, *body, "}"]


def write_sources(tree, texts, chosen):
    """Writes `texts` (name: text) with their changes (number: (name, index of the line, what, new))
    into tree, where they differ. Returns name: spans."""
    spans = {}
    for name, text in texts.items():
        mine = [(n, at, new) for n, (f, at, _, new) in chosen.items() if f == name]
        if mine:
            text, spans[name] = switched(name, text, mine)
        with open(f"{tree}/{name}", "r+") as f:
            if f.read() != text:
                f.seek(0)
                f.truncate()
                f.write(text)
    return spans


def culprits(messages, spans):
    """The numbers of the changes whose lines the compiler's errors name."""
    bad = set()
    for name, line in re.findall(r"^(\S+?):(\d+):(?:\d+:)? (?:fatal )?error:", messages, re.M):
        for source, its in spans.items():
            if name.endswith("/" + source) or name == source:
                bad |= {n for n, (a, b) in its.items() if a <= int(line) < b}
    return bad


def build(tree, texts, chosen, make):
    """Builds texts with all changes but those that do not compile; returns the numbers of these.
    make() returns nothing or the messages of a build that failed."""
    chosen, dropped = dict(chosen), set()
    while True:
        spans = write_sources(tree, texts, chosen)
        messages = make()
        if not messages:
            return dropped
        bad = culprits(messages, spans)
        if not bad:
            raise SystemExit(messages[-3000:])
        dropped |= bad
        for n in bad:
            del chosen[n]
