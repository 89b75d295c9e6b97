# SPDX-License-Identifier: MIT
. "$TRAWL_SRC/tests/tap.sh"
trawl-export --to pcapng --source usb --no-descriptors classes.trawl -w classes.pcapng
out=$(PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$TRAWL_SRC/tests/captures" /usr/bin/python3 - <<'PY'
import classes, subprocess
def run(*a, **kw):
    return subprocess.run(a, capture_output=True, **kw)
have = {l.split("\t")[2]
        for l in run("tshark", "-G", "fields", text=True).stdout.splitlines() if l.startswith("F\t")}
wrong, equal = classes.compare(["classes.pcapng"], "classes.trawl", run, have)
of = {k: sum(v.values()) for k, v in classes.theirs("classes.pcapng", have).items()}
print("\n".join(wrong))
print("equal %d" % equal, "midi %d" % of.get("usbaudio.midi.code_index", 0),
      "printer %d" % of.get("usbprinter.device_id", 0))
PY
)
[[ $out =~ ^[[:space:]]*equal\ [0-9]+\ midi\ [1-9][0-9]*\ printer\ [1-9] ]]
ok $? "values of classes are those of Wireshark (${out//$'\n'/ })"
text=$(trawl-decode classes.trawl)
has "a note is played" "$text" 'note on channel 1 note 60 velocity 127'
has "a printer's name" "$text" 'MFG:Nobody;MDL:Paper 1'
has "its status" "$text" 'GET_PORT_STATUS'
has "a printer's job" "$text" 'PJL'
same "each object of the MTP device, with its name and size" \
	"$(sed -n 's/^object [0-9]* \(.*\) [0-9]* \([0-9]*\)$/\1 \2/p' mtp.txt | sort)" \
	"$(trawl-decode --json classes.trawl |
		jq \
			-r '.fields.decoded.ptp | select(.Filename) | "\(.Filename) \(.ObjectCompressedSize)"' | sort)"
tap_done
