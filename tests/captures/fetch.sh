#!/bin/sh
# SPDX-License-Identifier: MIT
# Brings the captures that LIST names into FOLDER, for check.py: fetch.sh FOLDER. Needs git and
# network.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
[ $# = 1 ] || { echo "fetch.sh: FOLDER is missing: name where the captures go" >&2; exit 2; }
mkdir -p "$1"
cd "$1"
grep -v '^#' "$here/LIST" | cut -f 2,3 | sort -u | while read -r repository commit; do
	clone=.clones/$(echo "$repository" | sed 's,/,__,')
	if [ ! -d "$clone" ]; then
		git clone -q --no-checkout "https://github.com/$repository" "$clone"
	fi
	grep -v '^#' "$here/LIST" | awk -F '\t' -v r="$repository" -v c="$commit" \
		'$2 == r && $3 == c { print $4 }' |
	while read -r path; do
		out=$(echo "$repository" | sed 's,/,__,')/$path
		[ -e "$out" ] && continue
		mkdir -p "$(dirname "$out")"
		git -C "$clone" show "$commit:$path" >"$out"
	done
done
