# SPDX-License-Identifier: MIT
# prepare.sh configures a folder again after a change of options or packages, as happens when
# ./test.sh follows ./demo.sh on a fresh machine.
. "$TRAWL_SRC/tests/tap.sh"
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 99
. "$TRAWL_SRC/prepare.sh"

# A configure script that writes down its options, and packages that this test controls.
cat >configure <<'END'
#!/bin/bash
echo "${*:-none}" >>asked
printf '#!/bin/sh\necho "%s"\n' "${*@Q}" >config.status
chmod +x config.status
END
chmod +x configure
packages='ii gcc 12'
installed() {
	echo "$packages"
}
mkdir f

asked() {
	cat f/asked
	rm -f f/asked
}

configured f
same "a new folder is configured" "none" "$(asked)"
configured f
same "and then left alone" "" "$(asked 2>/dev/null)"
configured f --enable-werror --with-all
same "an option that it lacks" "--enable-werror --with-all" "$(asked)"
configured f --with-all
same "one that it has" "" "$(asked 2>/dev/null)"
packages+=$'\nii libcriterion-dev 2.4'
configured f
same "other packages" "--enable-werror --with-all" "$(asked)"
configured f
same "the same packages" "" "$(asked 2>/dev/null)"
rm -rf f
mkdir f
(cd f && ../configure 'CC=ccache gcc' && rm asked)
configured f --with-all
same "options of one's own are kept" "CC=ccache gcc --with-all" "$(asked)"
tap_done
