# SPDX-License-Identifier: MIT
# Runs the README's commands that read files, as they are written there.
. "$TRAWL_SRC/tests/tap.sh"
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
ln -s "$TRAWL_SRC/samples" "$dir/samples" && mkdir "$dir/build" && cd "$dir/build" || exit 99

# The file that the README calls x.trawl has probes, kernel events and USB.
cat ../samples/tick.trawl ../samples/usb-storage.trawl >x.trawl
cp ../samples/tick.trawl tick.trawl
cp ../samples/tick.trawl late.trawl
trawl-export --to pcapng --source usb x.trawl -w capture.pcapng || exit 99

sed -n 's/^    \(\$ \)\{0,1\}\(trawl-\(decode\|export\|edit\) .*\)$/\2/p' \
	"$TRAWL_SRC/README.md" >commands
ok $(($(wc -l <commands) < 12)) "README.md has such commands"
while read -r command; do
	missing=
	for tool in jq tcpdump; do
		[[ $command != *"| $tool"* ]] || command -v $tool >/dev/null || missing=$tool
	done
	if [ "$missing" ]; then
		skip "$command" "$missing is not installed"
		continue
	fi
	out=$(bash -o pipefail -c "$command" 2>&1 </dev/null)
	status=$?
	[ $status -eq 0 ] || printf '%s\n' "$out" | head -5 | sed 's/^/# /'
	ok $status "$command"
done <commands
tap_done
