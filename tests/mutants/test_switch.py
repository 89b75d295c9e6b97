# SPDX-License-Identifier: MIT
"""tests/mutants/switch.py: a change is there when it is chosen, and only then; one that does not
compile is left out; what a run reaches is noted. And tests/mutants/equivalent: each of its changes
is one of the sources as they are now."""
import os
import subprocess
import sys
import tempfile

SRC = os.environ["TRAWL_SRC"]
sys.dont_write_bytecode = True
sys.path[:0] = [SRC + "/tests", SRC + "/tests/mutants"]
from places import all_places, changes, equivalents  # noqa: E402
from switch import build  # noqa: E402
from tap import finish, ok, same  # noqa: E402

PROGRAM = """#include <stdio.h>

static int twice(int n)
{
	int sum = 0;
	if (n < 3)
		goto out;
	sum = n + n;
out:
	return sum;
}

static int never(int n)
{
	return n > 7;
}

int main(int argc, char **argv)
{
	printf("%d\\n", twice(argc + 2));
	return argc > 5 ? never(argc) : 0;
}
"""


def numbered():
    """All changes of PROGRAM, and one that no compiler takes."""
    all_of = [("p.c", *c) for c in changes(PROGRAM)]
    all_of.append(("p.c", 7, "nonsense", "\tsum = no_such_thing;"))
    return dict(enumerate(all_of, 1))


def compiler(folder):
    def make():
        p = subprocess.run(["cc", "-Wall", "-Werror", "-I", SRC, "-o", folder + "/p", folder + "/p.c"],
                           capture_output=True, text=True)
        return p.stderr if p.returncode else None
    return make


def output(folder, number, reached=None):
    env = dict(os.environ, MUTANT=str(number), **({"MUTANT_REACHED": reached} if reached else {}))
    return subprocess.run([folder + "/p"], env=env, capture_output=True, text=True).stdout.strip()


def number_of(chosen, line, what):
    return next(n for n, c in chosen.items() if c[1] == line and c[2] == what)


def main():
    with tempfile.TemporaryDirectory() as folder:
        open(folder + "/p.c", "w").close()
        chosen = numbered()
        dropped = build(folder, {"p.c": PROGRAM}, chosen, compiler(folder))
        same({len(chosen)}, dropped, "the change that does not compile is left out, no other")
        same("6", output(folder, 0), "without a number the program is as it was")
        same("0", output(folder, number_of(chosen, 5, "< -> <=")), "a comparison of a function "
             "with a label")
        same("0", output(folder, number_of(chosen, 7, "+ -> -")), "the next line of that function")
        same("", output(folder, number_of(chosen, 19, "call left out")), "a call of main()")
        reached = folder + "/reached"
        with open(reached, "wb") as f:
            f.write(bytes(len(chosen) + 1))
        output(folder, 0, reached)
        with open(reached, "rb") as f:
            noted = {n for n, b in enumerate(f.read()) if b}
        lines = {chosen[n][1] for n in noted}
        ok(lines >= {4, 5, 7, 19} and 14 not in lines,
           "what ran is noted, and not the function that did not run", lines)
        build(folder, {"p.c": PROGRAM}, {}, compiler(folder))
        with open(folder + "/p.c") as f:
            same(PROGRAM, f.read(), "a source without changes is the source")
    stale = equivalents(SRC)
    names = {name for name, *_ in stale}
    for name, line, what, _ in all_places(SRC, names):
        with open(f"{SRC}/{name}") as f:
            stale.discard((name, f.read().split("\n")[line].strip(), what))
    same(set(), stale, "each change that is equivalent can still be made")
    sys.exit(finish())


if __name__ == "__main__":
    main()
