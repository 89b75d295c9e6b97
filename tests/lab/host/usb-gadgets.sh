# SPDX-License-Identifier: MIT
. "$TRAWL_SRC/tests/tap.sh"
trawl-export --to pcap --source usb gadgets.trawl -w gadgets.pcap
ok $? "the capture exports to pcap"
out=$(/usr/bin/python3 "$TRAWL_SRC/tests/lab/host/pcapsame.py" tcpdump.pcap gadgets.pcap 2>&1)
ok $? "tcpdump's events are the same, byte by byte: $(head -2 <<<"$out" | tr '\n' ' ')"
trawl-edit import tcpdump.pcap -w tcpdump.trawl
out=$(PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$TRAWL_SRC/tests/captures" /usr/bin/python3 - <<'PY'
import classes, subprocess
def run(*a, **kw):
    return subprocess.run(a, capture_output=True, **kw)
fields = run("tshark", "-G", "fields", text=True).stdout.splitlines()
have = {line.split("\t")[2] for line in fields if line.startswith("F\t")}
wrong, equal = classes.compare(["tcpdump.pcap"], "tcpdump.trawl", run, have)
print("\n".join(wrong))
print("equal %d" % equal)
PY
)
[[ $out =~ ^[[:space:]]*equal\ [1-9][0-9]{2} ]]
ok $? "values of classes are those of Wireshark (${out//$'\n'/ })"
text=$(trawl-decode gadgets.trawl)
for wanted in 'NCM block [0-9]+, [0-9]+ frames?: .* IPv6' 'Ethernet .* IPv6' \
	'EEM, 1 frame: .* IPv6' 'RNDIS, 1 frame: .* IPv6' 'RNDIS QUERY id [0-9]+ OID_GEN' \
	'SET_LINE_CODING .*57600 8E2' 'text "from the device' 'READ.10' 'INQUIRY' \
	'GetSlotStatus' 'HID report interface 0: Keyboard, [0-9]+ fields, 63 bytes'; do
	has "a line is as $wanted" "$text" "$wanted"
done
tap_done
