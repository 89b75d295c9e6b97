# SPDX-License-Identifier: MIT
# make install prefix=DIR: all installed files are below DIR, and the programs work there.
. "$TRAWL_SRC/tests/tap.sh"
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
prefix=$dir/a/prefix

# installing ARGUMENT...: runs make install in this build without the options of this test's own
# make.
installing() {
	env -u MAKEFLAGS -u MAKEOVERRIDES -u MFLAGS make --no-print-directory \
		-C "$TRAWL_BUILD" install "$@"
}

if installing prefix="$prefix" >"$dir/log" 2>&1; then
	ok 0 "make install prefix=DIR"
else
	ok 1 "make install prefix=DIR"
	tail -20 "$dir/log" | sed 's/^/# /'
fi
folders=$(installing -n prefix="$prefix" 2>/dev/null | grep -o "mkdir -p '[^']*'" | cut -d"'" -f2 |
		sort -u)
has "it names the folders" "$folders" "^$prefix/bin$"
same "no folder outside of DIR" "" "$(grep -v "^$prefix/" <<<"$folders")"
has "how Wireshark finds the dissector" "$(cat "$dir/log")" \
	"^Wireshark finds .*$prefix/lib/.*/trawl.lua"
has "and the live capture" "$(cat "$dir/log")" "^Wireshark finds .*$prefix/lib/.*/trawl-extcap"

for program in trawl trawl-decode trawl-export trawl-edit; do
	has "$program runs from there" \
		"$(env -u LD_LIBRARY_PATH "$prefix/bin/$program" --version 2>&1)" "^$program "
done
same "without a library of ours" "" "$(ldd "$prefix"/bin/trawl* | grep libtrawl)"
same "the live capture finds trawl there" "$prefix/bin/trawl" "$(
	sed -n '/^bindir=/,/^$/p' "$prefix/lib/wireshark/extcap/trawl-extcap" >"$dir/head"
	. "$dir/head" && command -v trawl)"
same "pkg-config names it" "-I$prefix/include -L$prefix/lib -ltrawl" \
	"$(PKG_CONFIG_PATH=$prefix/lib/pkgconfig pkg-config --cflags --libs libtrawl | xargs)"
cat >"$dir/reads.c" <<'EOF'
#include <stdio.h>
#include <trawl.h>
int main(int argc, char **argv)
{
	struct trawl_error err;
	struct trawl_reader *r = trawl_open(argv[1], &err);
	struct trawl_event ev;
	int events = 0;

	while (r && trawl_next(r, &ev, &err) == 1)
		events++;
	trawl_close(r);
	return printf("%d\n", events) < 0;
}
EOF
"${CC:-cc}" -o "$dir/reads" "$dir/reads.c" -I"$prefix/include" -L"$prefix/lib" -ltrawl 2>"$dir/log"
same "a program of somebody else's reads a capture with the library" \
	"$(trawl-decode "$TRAWL_SRC/tests/golden/two.trawl" | wc -l)" \
	"$(LD_LIBRARY_PATH=$prefix/lib "$dir/reads" "$TRAWL_SRC/tests/golden/two.trawl")"

# The files that let an ordinary user record.
same "the unit runs what was installed" "$prefix/sbin/trawl-access %i" \
	"$(sed -n 's/^ExecStart=//p' "$prefix/lib/systemd/system/trawl-access@.service")"
fails "which refuses whom there is not" 2 'nobody-by-that-name: no such user' "$prefix/sbin/trawl-access" nobody-by-that-name
same "systemd makes the group" "g trawl -" "$(grep -v '^#' "$prefix/lib/sysusers.d/trawl.conf")"
has "udev gives it usbmon" "$(cat "$prefix/lib/udev/rules.d/70-trawl.rules")" '^SUBSYSTEM=="usbmon", GROUP="trawl", MODE="0640"$'

# With the configured prefix, files go to the folders where an installed Wireshark looks.
looks=$(tshark -G folders 2>/dev/null | sed -n 's/^Global Lua Plugins:[[:space:]]*//p')
if [ "$looks" ] && grep -q "^prefix = /usr/local$" "$TRAWL_BUILD/Makefile"; then
	installing DESTDIR="$dir/dest" >"$dir/log" 2>&1
	same "without prefix=, Wireshark finds the dissector" "trawl.lua" "$(ls "$dir/dest$looks")"
	same "and nothing has to be said" "" "$(grep ^Wireshark "$dir/log")"
else
	skip "without prefix=, Wireshark finds the dissector" \
		"configured with a prefix, or no tshark"
fi
tap_done
