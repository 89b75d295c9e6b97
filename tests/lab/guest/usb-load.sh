# SPDX-License-Identifier: MIT
# A gadget at the fastest rate that emulation gives, recorded by trawl and tcpdump at once. Losses
# are compared; CPU time and sizes are printed, not tested: a busy machine would fail them.
# long: 6.1 6.12
. "$TRAWL_SRC/tests/tap.sh"
. "$TRAWL_SRC/tests/lab/lab.sh"
modprobe usbmon
seconds=${LAB_LOAD_SECONDS:-3}

# cpu_ms PID: prints the user and system time of a process.
cpu_ms() {
	local stat
	read -r stat <"/proc/$1/stat"
	set -- ${stat##*) }
	echo $(((${12} + ${13}) * 1000 / $(getconf CLK_TCK)))
}

# tenths N: prints N tenths as a decimal fraction.
tenths() {
	echo $(($1 / 10)).$(($1 % 10))
}

# plug NAME SIZE: plugs the gadget in; sets its address, its device file and its endpoints.
plug() {
	local e
	gadget zero SourceSink.0 0525:a4a0 "bulk_buflen=$2"
	ok $? "$1: the gadget appears"
	address=$(usb_address 0525:a4a0 1)
	printf -v node /dev/bus/usb/%03d/%03d ${address/:/ }
	endpoints=()
	# The controller chooses the addresses of its endpoints: one in, one out.
	for e in $(usb_device 0525:a4a0)/*:1.0/ep_*; do
		endpoints+=("0x${e##*_}")
	done
}

# room NAME: checks that the disk has room: without it tcpdump silently writes nothing, and is fast.
room() {
	[ "$(stat -f -c %a .)" -gt 1000 ]
	ok $? "$1: there was room for what was recorded"
}

# load NAME SIZE DEPTH [lossy]: both record a load of transfers of this size. trawl may lose no more
# than tcpdump. With lossy, trawl is stopped for a second and must lose something.
load() {
	local name=$1 trawl_ms tcpdump_ms captured dropped events lost status address node endpoints
	plug "$1" "$2"
	record "$name" "${address%:*}"
	start tcpdump tcpdump -i "usbmon${address%:*}" -w "$name.pcap"
	wait_for grep -q listening tcpdump.log
	local pid=pid_$name
	trawl_ms=$(cpu_ms "${!pid}") tcpdump_ms=$(cpu_ms "$pid_tcpdump")
	[ -z "$4" ] || { kill -STOP "${!pid}" && (sleep 1 && kill -CONT "${!pid}") & }
	"$TRAWL_BUILD/tests/lab/usbload" "$node" "$seconds" "$3" "$2" \
		"${endpoints[@]}" >"$name.load" 2>&1
	ok $? "$name: $(cat "$name.load")"
	sleep 1
	trawl_ms=$(($(cpu_ms "${!pid}") - trawl_ms))
	tcpdump_ms=$(($(cpu_ms "$pid_tcpdump") - tcpdump_ms))
	finish tcpdump
	finish "$name"
	status=$?
	captured=$(sed -n 's/^\([0-9]*\) packets captured/\1/p' tcpdump.log)
	dropped=$(sed -n 's/^\([0-9]*\) packets dropped by kernel/\1/p' tcpdump.log)
	events=$(sed -n 's/^\([0-9]*\) events* captured.*/\1/p' "$name.log")
	lost=$(sed -n 's/^.* captured, \([0-9]*\) lost.*/\1/p' "$name.log")
	same "$name: the exit status reflects losses" $((lost > 0)) $status
	[ "$events" -ge 1000 ] &&
		if [ -n "$4" ]; then [ "$lost" -gt 0 ]; else [ "$lost" -le "$dropped" ]; fi
	ok $? "$name: trawl has $events events, lost $lost; tcpdump has $captured, dropped $dropped"
	same "$name: events and losses add up to the same" $((captured + dropped)) \
		$((events + lost))
	echo "# $name: CPU us/event: trawl $(tenths $((trawl_ms * 10000 / events)))," \
		"tcpdump $(tenths $((tcpdump_ms * 10000 / captured))), which does not compress;" \
		"$((trawl_ms * captured * 100 / events / (tcpdump_ms + !tcpdump_ms))) % of it; $trawl_ms and $tcpdump_ms ms"
	room "$name"
	cp "$name.trawl" "$name.pcap" "$LAB_KEEP"
	rm -f "$name.pcap"
	gadget_gone zero
}

# alone NAME SIZE DEPTH: measures each recorder by itself, in turns, so that neither affects the
# other: together, the one that runs second finds many events at once.
alone() {
	local name=$1 address node endpoints round who pid ms n said
	plug "$1" "$2"
	for round in 1 2; do
		for who in trawl tcpdump; do
			if [ $who = trawl ]; then
				record alone "${address%:*}"
			else
				start alone tcpdump -i "usbmon${address%:*}" -w alone.pcap
				wait_for grep -q listening alone.log
			fi
			ms=$(cpu_ms "$pid_alone")
			said=$("$TRAWL_BUILD/tests/lab/usbload" "$node" "$seconds" "$3" "$2" "${endpoints[@]}" 2>&1)
			ok $? "$name: $who alone: $said"
			sleep 1
			ms=$(($(cpu_ms "$pid_alone") - ms))
			finish alone
			room "$name"
			n=$(sed -n 's/^\([0-9]*\) \(packets\|events\) captured.*/\1/p' alone.log)
			echo \
				"# $name, alone: CPU us/event: $who $(tenths $((ms * 10000 / n))); $ms ms," \
				"$n events; $(grep -Eo '[0-9]* (lost|packets dropped)' alone.log)"
		done
	done
	rm -f alone.pcap
	gadget_gone zero
}

load small 8 16
load bulk 16384 8
# A benchmark (tests/bench/usbload.sh), not a test.
if [ -n "$LAB_LOAD_SECONDS" ]; then
	alone small 8 16
	alone bulk 16384 8
	tap_done
	exit
fi
# With a ring that is too small, losses are counted exactly.
record_options=(-B 16)
seconds=2
load tiny 8 32 lossy
has "tiny: the losses are in the file" "$(trawl-decode --summary tiny.trawl)" \
	'losses.* [1-9]|dropped'
has "tiny: the file says that it is not replayable" "$(trawl-decode --summary tiny.trawl)" \
	"USB replayable: no, because: the kernel's ring was full"
has "tiny: and so does the capture" "$(cat tiny.log)" \
	"replayable: no, because: the kernel's ring was full"
tap_done
