# SPDX-License-Identifier: MIT
# trawl-replay vm --mutate against the lab's kernel 6.12: make replay-long.
. "$TRAWL_SRC/tests/tap.sh"
lab=$TRAWL_BUILD/lab/6.12
PATH=$TRAWL_BUILD:$PATH
cd "$(mktemp -d)" || exit 1
"$TRAWL_SRC/tests/replay/module/build" "$lab" modules || exit 3
/usr/bin/python3 "$TRAWL_SRC/tests/replay/planteddevice.py" planted.pcap
vm() {
	trawl-replay vm --accel tcg --kernel "$lab/kernel" --modules "$lab/modules" "$@" </dev/null
}

for seed in 1 2 3; do
	vm --module modules/planted2.ko --mutate $seed \
		--save found$seed.pcap planted.pcap >found$seed.out
	same "the planted bounds error is found within 1,000 runs of seed $seed" 1 $?
	has "it is that one" "$(cat found$seed.out)" \
		"^finding in run [0-9]+ of seed $seed: WARNING: .* planted_probe"
	has "and found again from its capture alone" "$(cat found$seed.out)" \
		'replays it, in a new machine'
	grep '^finding' found$seed.out | sed 's/^/# /'
done
vm --module modules/planted2.ko --as-is found1.pcap >again.out
same "its capture by itself: status 1" 1 $?
vm --module modules/planted0.ko --as-is --runs 50 --mutate 1 planted.pcap
same "50 runs of the driver without the error: no finding" 0 $?
tap_done
