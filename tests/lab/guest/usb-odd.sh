# SPDX-License-Identifier: MIT
# Rare things on a bus: isochronous IN with gaps and errors, each way to fail, refused submissions,
# transfers longer than the ring keeps, a ring that cannot be mapped. The second half compares with
# tcpdump's capture.
# long: 6.12
. "$TRAWL_SRC/tests/tap.sh"
. "$TRAWL_SRC/tests/lab/lab.sh"
modprobe -a usbmon vhci_hcd
trap 'modprobe -r vhci_hcd' EXIT

# One heap for all threads, so that trawl's memory is predictable.
export MALLOC_ARENA_MAX=1
record all ""
ok $? "trawl records"
record_options=(-B 16)
record small ""
# There is too little address space to map a ring of 64 MiB, so each event is fetched by itself.
peak=$(sed -n 's/^VmPeak:[[:space:]]*\([0-9]*\) kB/\1/p' "/proc/$pid_all/status")
start copied prlimit --as=$(((peak - 56 * 1024) * 1024)) trawl -i usb -w copied.trawl
wait_for grep -q 'capturing to' copied.log
ok $? "another records without a map"
start tcpdump tcpdump -i usbmon0 -w tcpdump.pcap
wait_for grep -q listening tcpdump.log

cat /sys/kernel/debug/usb/usbmon/0u >saved.txt &
text=$!
out=$("$TRAWL_SRC/tests/lab/odddevice.py" 2>&1)
has "isochronous IN, errors and an unplugging" "$out" 'pulled out: -[0-9]'
has "a submission is refused" "$out" 'refused: 22'
sleep 0.5
kill $text
finish tcpdump
for name in all small copied; do
	finish $name
	ok $? "capture $name ends well"
done
cp saved.txt ./*.trawl ./*.pcap ./*.log "$LAB_KEEP"
tap_done
