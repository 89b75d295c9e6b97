# SPDX-License-Identifier: MIT
# Every source in one capture, during which the wall clock is set.
# long: 6.1
. "$TRAWL_SRC/tests/tap.sh"
. "$TRAWL_SRC/tests/lab/lab.sh"

modprobe usbmon
disk=$(disks | head -1)
cat >load.sh <<END
for i in 1 2 3 4 5 6; do
	dd if=/dev/$disk of=/dev/null bs=64k count=16 iflag=direct status=none
	[ \$i = 2 ] && date -s '+1 hour' >/dev/null
	[ \$i = 4 ] && date -s '-2 hours' >/dev/null
	$TRAWL_BUILD/samples/tick 5 1000 >/dev/null
	sleep 0.4
done
END
trawl -w all.trawl -i usb -i 'eprobe:block.block_bio_queue dev=$dev $sector $nr_sector $rwbs' \
	-i "usdt:$TRAWL_BUILD/samples/tick:tick:loop" -i event:sched:sched_switch \
	-i event:block:block_rq_issue -- bash load.sh 2>said
ok $? "usb, eprobe, usdt and events record together, through two steps of the clock"
sed 's/^/# /' said
trawl-decode --json --raw all.trawl >all.json
ok $? "and decode"
cp all.trawl "$LAB_KEEP/"

/usr/bin/python3 - <<'END' >result
import json
counts, wrong, last = {}, 0, 0
for line in open("all.json"):
    e = json.loads(line)
    counts[e["source"]] = counts.get(e["source"], 0) + 1
    wrong += e["ts_ns"] < last
    last = e["ts_ns"]
print(json.dumps(counts))
print(wrong)
END
{ read -r counts; read -r wrong; } <result
for source in usb eprobe usdt event; do
	has "$source has its events" "$counts" "\"$source\": [1-9]"
done
same "no event is out of its order" 0 "$wrong"
has "--join names the task whose request a transfer carries" \
	"$(trawl-decode --join --window 500ms all.trawl)" \
	'<- dd-[0-9]+ block:block_bio_queue \(the same sectors'
same "of what is left out too" \
	"$(trawl-decode --join --window 500ms all.trawl | grep -c '^ *<- ')" \
	"$(trawl-decode --join --window 500ms --where 'source == "usb"' all.trawl |
		grep -c '^ *<- ')"
same "of other sources, too" \
	"$(trawl-decode --json --join --window 500ms all.trawl | grep -o '"how":' | wc -l)" \
	"$(trawl-decode --json --join --window 500ms --source usb all.trawl | grep -o '"how":' |
		wc -l)"
has "and in JSON" "$(trawl-decode --json --join --window 500ms all.trawl)" \
	'"join":\[.*\{"how":"sectors","tid":[0-9]+,"comm":"dd","name":"block:block_bio_queue","before_ns":-?[0-9]+\}'
# A request may be queued by one task and issued by another; its command, data and status have one
# cause.
trawl-decode --json --join --window 500ms --source usb all.trawl | /usr/bin/python3 -c '
import collections, json, sys
causes = collections.defaultdict(list)
for line in sys.stdin:
    e = json.loads(line)
    f = e["fields"]
    storage = f.get("decoded", {}).get("storage", {})
    if "lba" in storage.get("scsi", {}) and "tag" in storage:
        causes[f["bus"], f["dev"], storage["tag"]].append(
            [(c["tid"], c["name"]) for c in e.get("join", []) if c["how"] == "sectors"])
several = [c for c in causes.values() if len(c) > 1 and c[0]]
print(len(several) > 20, [c for c in several if any(x != c[0] for x in c)][:3])' >causes
same "--join: all transfers of a request have one cause" "True []" "$(cat causes)"
has "--around shows what every source saw" \
	"$(trawl-decode --json --around 'lba = 128' --window 50ms all.trawl |
		grep -o '"source":"[a-z]*"' | sort -u | tr '\n' ' ')" \
	'eprobe.*event.*usb'
tap_done
