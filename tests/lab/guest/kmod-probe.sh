# SPDX-License-Identifier: MIT
# At a probe, the last branches of the task. A program with probed instructions runs as without.
. "$TRAWL_SRC/tests/tap.sh"
. "$TRAWL_SRC/tests/lab/lab.sh"
PATH=$TRAWL_BUILD/tests/kmod:$PATH
insmod "$LAB_MODULES/../kmod/trawl.ko"
walk=$(type -p walk)
# offset SYMBOL: prints the symbol's file offset (the only code segment is at 0x401000, offset
# 0x1000).
offset() {
	echo $((0x$(nm "$walk" | sed -n "s/^\([0-9a-f]*\) . $1\$/\1/p") - 0x400000))
}

kbranch -o plain.txt -- walk 2>/dev/null
for place in function pops_two far_away case0; do
	kbranch -c "$walk:$(offset $place):5" -o all.txt -- walk 2>said
	ok $? "$place: the program ends well"
	hits=$(awk '$2 == 37' all.txt | wc -l)
	# Each hit has the five branches before it in the stream; the last one leads to the probe.
	awk -v want="$(printf %x $(($(offset $place) + 0x400000)))" '
		$6 == "probe" { mine[n++] = $3 " " $4; next }
		$2 == 37 {
			bad += $5 != 5 || n != 5 || $4 != want
			for (i = 0; i < 5; i++)
				bad += mine[i] != last[(count - 5 + i) % 5]
			n = 0
			next
		}
		$2 < 8 { last[count++ % 5] = $3 " " $4 }
		END { exit bad > 0 }' all.txt
	ok $? "$place: at each of $hits hits the five branches that led there"
	[ "$hits" -gt 5 ]
	ok $? "$place: it was hit"
	awk '$2 < 8 && $6 != "probe" { print $2, $3, $4 }' all.txt >got
	awk '$2 < 8 { print $2, $3, $4 }' plain.txt | cmp - got
	ok $? "$place: the branches are those without a probe"
done
rmmod trawl
ok $? "the module can be unloaded"
tap_done
