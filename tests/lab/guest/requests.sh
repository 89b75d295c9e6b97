# SPDX-License-Identifier: MIT
# COMMAND's requests to a disk complete in interrupts: the events of COMMAND's requests are
# recorded, those of other tasks' requests are not.
# long: 6.1
. "$TRAWL_SRC/tests/tap.sh"
. "$TRAWL_SRC/tests/lab/lab.sh"

disk=/dev/$(disks | head -1)
# Another task reads the same disk, from 32 MiB on.
while :; do
	dd if=$disk of=/dev/null bs=16k skip=2048 count=64 iflag=direct status=none
done &
other=$!

# sum FILE NAME: prints the number of sectors in these events.
sum() {
	decoded "$1" --name "$2" | grep -o '"nr_sector":[0-9]*' |
		awk -F: '{ n += $2 } END { print n + 0 }'
}

trawl -w r.trawl -i 'event:block:block_rq_complete' -i event:block:block_rq_issue \
	-i event:sched:sched_process_exec -- \
	dd if=$disk of=/dev/null bs=64k count=32 iflag=direct status=none 2>said
ok $? "a command's requests are recorded"
sed 's/^/# /' said
same "all of its sectors are issued" 4096 "$(sum r.trawl block:block_rq_issue)"
same "and complete" 4096 "$(sum r.trawl block:block_rq_complete)"
same "no others do" 0 \
	"$(decoded r.trawl | grep -oP '"name":"block:.*"sector":\K[0-9]+' | awk '$1 >= 4096' |
		wc -l)"
same "nothing is recorded that was not asked for" \
	"block:block_rq_complete block:block_rq_issue sched:sched_process_exec " \
	"$(decoded r.trawl | grep -o '"name":"[^"]*"' | cut -d'"' -f4 | sort -u | tr '\n' ' ')"

# A worker of the kernel issues a request that had to wait; the events name the task that queued it.
decoded r.trawl >r.json
longest=$(/usr/bin/python3 - r.json <<'EOF'
import json
import re
import sys

issued, longest = {}, (0, "")
for line in open(sys.argv[1], encoding="utf-8"):
    e = json.loads(line)
    who = f"{e.get('comm')}-{e['tid']}"
    request = e["fields"].get("dev"), e["fields"].get("sector")
    if e["name"] == "block:block_rq_issue":
        issued[request] = e["ts_ns"], who
    elif e["name"] == "block:block_rq_complete" and request in issued:
        begin, by = issued.pop(request)
        by = re.sub(r"[][.*+?(){}|^$\\]", r"\\\g<0>", by)  # kworker/1:1H+kblockd
        longest = max(longest, (e["ts_ns"] - begin, f"(of {by}; ended|ended .* in {by};)"))
print(longest[1])
EOF
)
has "the longest operation names the task that issued it, whatever task it completed in" \
	"$(trawl-decode --summary r.trawl | grep -A1 'from block:block_rq_issue')" \
	"^ +${longest:-none}"

trawl -w s.trawl \
	-i 'synth:io=block.block_rq_issue,block.block_rq_complete key=sector start.nr_sector' \
	-i event:sched:sched_process_exec -- dd if=$disk of=/dev/null bs=64k count=32 iflag=direct \
	status=none
ok $? "the time that its requests take is recorded"
same "of each sector" 4096 "$(sum s.trawl synth:io)"
same "and of no others" 0 \
	"$(decoded s.trawl --name synth:io | grep -oP '"key":\K[0-9]+' | awk '$1 >= 4096' | wc -l)"

trawl -w e.trawl -i 'eprobe:lab/done=block.block_rq_complete $error' \
	-i 'eprobe:block.block_rq_issue $bytes' -i event:sched:sched_process_exec -- \
	dd if=$disk of=/dev/null bs=64k count=32 iflag=direct status=none
ok $? "probes on events of its requests"
same "of each sector that completes" 4096 "$(sum e.trawl lab:done)"
same "and that is issued" 4096 "$(sum e.trawl block:block_rq_issue)"
same "and of no others" 0 \
	"$(decoded e.trawl | grep -oP '"sector":\K[0-9]+' | awk '$1 >= 4096' | wc -l)"
fails "an argument that hides the request's fields is refused" 2 \
	'sector identifies the disk request; give this argument another name' \
	trawl -w x.trawl -i 'eprobe:block.block_rq_issue sector=$bytes' -- true

# Two tasks read the same sectors in turns, within a millisecond of each other.
mkfifo there back
cat >turns.py <<'EOF'
import mmap
import os
import sys

disk = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT)
memory = mmap.mmap(-1, 4096)
if sys.argv[2] == "first":
    there, back = open("there", "wb", 0), open("back", "rb", 0)
    for _ in range(20):
        os.preadv(disk, [memory], 0)
        there.write(b".")
        back.read(1)
else:
    there, back = open("there", "rb", 0), open("back", "wb", 0)
    while there.read(1):
        os.preadv(disk, [memory], 0)
        back.write(b".")
EOF
/usr/bin/python3 turns.py $disk second &
second=$!
trawl -w t.trawl -i 'eprobe:lab/done=block.block_rq_complete $error' \
	-i 'synth:io=block.block_rq_issue,block.block_rq_complete key=sector start.nr_sector' \
	-i event:block:block_rq_complete -- /usr/bin/python3 turns.py $disk first
ok $? "two tasks read the same sectors by turns, one of them is recorded"
wait $second
for name in lab:done synth:io block:block_rq_complete; do
	same "$name: of its reads alone" 160 "$(sum t.trawl $name)"
done

trawl -w p.trawl -i 'event:block:*' -p $other --duration 2s 2>said
ok $? "events of all requests of a process"
same "with as many that complete as are issued, but for those under way" 1 \
	"$(($(sum p.trawl block:block_rq_issue) - $(sum p.trawl block:block_rq_complete) < 256))"
decoded p.trawl | grep -o '"ts_ns":[0-9]*' | cut -d: -f2 | sort -c -n 2>said
ok $? "in the order of their times, those without sectors, too" "$(cat said)"
has "it has read" "$(sum p.trawl block:block_rq_complete)" '^[1-9][0-9]{2,}$'
kill $other
wait $other 2>/dev/null

# A device without request events: its sectors may belong to another task after the first has read
# them.
modprobe brd rd_nr=1 rd_size=1024
reads() {
	dd if=/dev/ram0 of=/dev/null bs=4k count=8 iflag=direct status=none
}
export -f reads
(
	until [ -e first ]; do sleep 0.05; done
	reads
	touch second
) &
trawl -w m.trawl -i 'event:block:block_bio_*' -- \
	bash -c 'reads; touch first; until [ -e second ]; do sleep 0.05; done'
ok $? "requests to a device in memory are recorded"
wait
for what in queue complete; do
	same "block_bio_$what: of the command's sectors, and not of those that another task reads later" \
		64 "$(decoded m.trawl --name block:block_bio_$what --where 'dev == 0x100000' |
			grep -o '"nr_sector":[0-9]*' | awk -F: '{ n += $2 } END { print n + 0 }')"
done

has "other events in interrupts are reported" \
	"$(trawl -w x.trawl -i event:irq:irq_handler_entry -- true 2>&1)" \
	'event:irq:irq_handler_entry happens in interrupts, which belong to no task: -p and COMMAND exclude most of them'
same "nothing is left" 0 "$(leftovers)"
cp ./*.trawl "$LAB_KEEP/"
tap_done
