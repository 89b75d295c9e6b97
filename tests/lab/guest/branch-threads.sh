# SPDX-License-Identifier: MIT
# kernels: 6.12
# machine: skylake
# -i branch:last=N@usdt: in threads and children of COMMAND and of -p, whose process executes
# another program: each hit has the branches that led to it in its own task.
. "$TRAWL_SRC/tests/tap.sh"
. "$TRAWL_SRC/tests/lab/lab.sh"
threads=$TRAWL_BUILD/samples/threads
insmod "$LAB_MODULES/../kmod/trawl.ko"
trawl -q -i branch:kmod-step -w all.trawl -- "$threads" 3 1 12
ok $? "threads and a child of them by steps"
trawl-decode --json all.trawl >all.json

# led_there HOW NAME STATUS: checks the branches before the hits in NAME.trawl, and what `said` ends
# with.
led_there() {
	local found
	trawl-decode --json "$2.trawl" >"$2.json"
	said_lost "$2" "$3" "$2.json"
	found=$(/usr/bin/python3 "$TRAWL_SRC/tests/lab/lastsame.py" all.json \
		"$2.json" work 4 "$1")
	ok $? "$2: each hit has the branches that led there in its task: $found"
	has "$2: of six tasks, 72 hits" "$found" '^6 tasks, 72 hits'
}
for how in kmod-step kmod-lbr; do
	trawl -i "branch:$how:last=4@usdt:$threads:threads:hit" -w $how.trawl -- \
		"$threads" 3 1 12 2>said
	led_there $how $how $?
	# shellcheck disable=SC2016
	bash -c 'kill -STOP $$; exec "$0" 3 1 12' "$threads" &
	target=$!
	wait_for grep -q '^State:.*stopped' /proc/$target/status
	trawl -i "branch:$how:last=4@usdt:$threads:threads:hit" -p $target -w $how-p.trawl 2>said &
	recorder=$!
	wait_for grep -q 'capturing to' said
	kill -CONT $target
	wait $recorder
	led_there $how $how-p $?
done
rmmod trawl
ok $? "the module can be unloaded"
cp ./*.json said "$LAB_KEEP"
tap_done
