#!/bin/bash
# SPDX-License-Identifier: MIT
# A file has the maps only of processes that it has events of. COMMAND gets the environment of the
# user who started the recorder, and only the first three file descriptors and those that its
# arguments name.
. "$TRAWL_SRC/tests/tap.sh"
. "$TRAWL_SRC/tests/cli/capture.sh"
f=$work/x.trawl

# mapped FILE: prints the processes whose maps are in the file.
mapped() { trawl-decode --meta "$1" | sed -n 's,.* maps/,,p' | sort -un; }

# hitters FILE: prints the processes that hit the probe.
hitters() { trawl-decode --json --source usdt "$1" | grep -o '"pid":[0-9]*' | cut -d: -f2 |
	sort -un; }
others() { trawl-decode --json --source event "$1" | grep -o '"pid":[0-9]*' | cut -d: -f2 |
	sort -un; }

while sleep 0.02; do :; done & noise=$!
trawl -i "usdt:$target:hit" -i event:sched:sched_switch -i event:sched:sched_waking --duration 2s \
	-w "$f" \
	2>"$work/err" & trawl=$!
wait_armed "$f"
"$target" hits 15 100000 & hitter=$!
"$target" hits 15 100000 & second=$!
wait $trawl
kill $noise
wait $hitter $second
ok $((! $(others "$f" | wc -l) > 3)) "there are kernel events of other processes"
same "two processes hit the probe" 2 "$(hitters "$f" | wc -l)"
same "only the maps of followed processes are in the file" "$(hitters "$f")" "$(mapped "$f")"
has "and with them the file of a site is found" \
	"$(trawl-decode --json --source usdt "$f" | head -1)" '"symbol":"'

trawl -i "usdt:$target:hit" -i event:sched:sched_switch -i event:sched:sched_waking -w "$f" -- \
	bash -c '"$0" hits 3 100000; exit' "$target" 2>"$work/err"
same "of COMMAND: who is recorded" "" \
	"$(comm -13 <({ others "$f"; hitters "$f"; } | sort -u) <(mapped "$f" | sort))"
ok $((! $(mapped "$f" | wc -l) >= 1)) "COMMAND's are there"

# ---- maps that are longer than what is kept of them
cat > "$work/many.c" <<'EOF'
#include <sys/mman.h>
#include <fcntl.h>
#include <unistd.h>
__attribute__((noinline)) int hit(int x) { __asm__ volatile(""); return x + 1; }
int main(int argc, char **argv)
{
	int fd = open(argv[1], O_RDONLY | O_CREAT, 0600);

	for (int i = 0; i < 50000; i++)
		mmap(0, 4096, i % 2 ? PROT_READ : PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	hit(0);
	return pause();
}
EOF
gcc -g -O1 -o "$work/many" "$work/many.c"
trawl -q -c 1 -i "uprobe:$work/many:hit x" -w "$f" -- \
	"$work/many" "$work/$(printf 'm%.0s' {1..200})" $(seq 2000)
same "of more than 8 MiB of maps, sites are found" hit "$(trawl-decode --json "$f" |
	jq -r .site.symbol)"
maps=$(trawl-decode --meta='maps/*' "$f" | grep -B1 '^# cut:')
has "the executable lines are there, and a mark" "$(paste -sd' ' <<<"$maps")" \
	"--xp .*# cut: only executable mappings"
has "a command line of more than 4,096 bytes is marked as cut" \
	"$(trawl-decode --meta='task/*' "$f")" '"cmdline_cut":true'
trawl-edit redact "$f" -w "$work/redacted.trawl" 2>"$work/err"
has "redacted, too" "$(trawl-decode --meta='maps/*' "$work/redacted.trawl" | grep '^#')" \
	"# cut: only"

# ---- descriptors
exec 7>"$work/seven" 251>"$work/left"
same "COMMAND has three descriptors" "0 1 2" "$(trawl -q -i "usdt:$target:hit" -w "$f" -- \
	sh -c 'ls /proc/$$/fd; :' | paste -sd' ')"
same "and what it names itself" "from seven" "$(trawl -q -i "usdt:$target:hit" -w "$f" -- \
	cat <(echo from seven))"
exec 7>&- 251>&-

# ---- environment
same "COMMAND has the user's environment" "$(env -i A=b HOME=/x PATH="$PATH" env)" \
	"$(env -i A=b HOME=/x PATH="$PATH" trawl -q -i "usdt:$target:hit" -w "$f" -- env)"
tap_done
