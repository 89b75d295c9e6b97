# SPDX-License-Identifier: MIT
# Sourced by demo.sh and test.sh: functions that install missing Debian packages and build in a
# folder.

say() {
	printf '\n== %s\n' "$*"
}

# need_packages PACKAGE...: installs the packages that are missing, and prints which.
need_packages() {
	local missing=() package sudo=
	for package in "$@"; do
		dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null |
			grep -qx installed ||
			missing+=("$package")
	done
	[ ${#missing[@]} -eq 0 ] && return 0
	say "installing ${#missing[@]} missing packages: ${missing[*]}"
	if [ "$(id -u)" -ne 0 ]; then
		sudo=sudo
		command -v sudo >/dev/null || {
			echo \
				"$0: not root and no sudo: install these packages by hand: ${missing[*]}" >&2
			return 3
		}
	fi
	local log
	log=$(mktemp)
	if ! { $sudo apt-get update && $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y \
		--no-install-recommends "${missing[@]}"; } >"$log" 2>&1 </dev/null; then
		tail -20 "$log" >&2
		echo "$0: the packages could not be installed; the log is $log" >&2
		return 3
	fi
	rm -f "$log"
}

BUILD_PACKAGES=(gcc g++ make autoconf automake libtool pkg-config libc6-dev libzstd-dev
	libxxhash-dev
	libjson-c-dev libelf-dev libdw-dev libpcap-dev libzydis-dev libtraceevent-dev \
		systemtap-sdt-dev zlib1g-dev
	libarchive-dev libseccomp-dev libusb-1.0-0-dev libmd-dev)

# installed: prints the installed packages that determine what configure finds, with their versions.
installed() {
	# shellcheck disable=SC2016 # dpkg-query's own ${...}
	dpkg-query -W -f '${db:Status-Abbrev}${Package} ${Version}\n' \
		"${BUILD_PACKAGES[@]}" libcriterion-dev tshark 2>/dev/null | grep '^ii'
}

# configured FOLDER [CONFIGURE-OPTION...]: configures FOLDER if it was never configured, lacks one
# of the options, or was configured while other packages were installed. Options that FOLDER was
# configured with are kept.
configured() {
	local folder=$1 option status='' config='' again=''
	shift
	if [ -x "$folder/config.status" ]; then
		config=$("$folder/config.status" --config)
		eval "local given=($config)"
	else
		local given=()
		again=yes
	fi
	for option in "$@"; do
		[[ " ${given[*]} " == *" $option "* ]] || given+=("$option") again=yes
	done
	status=$(installed)
	[ "$status" = "$(cat "$folder/packages" 2>/dev/null)" ] || again=yes
	[ "$again" ] || return 0
	(cd "$folder" && "$OLDPWD/configure" "${given[@]}") &&
		printf '%s\n' "$status" >"$folder/packages"
}

# build FOLDER [CONFIGURE-OPTION...]: configures and builds out of tree; the log is
# FOLDER/build.log.
build() {
	local folder=$1
	mkdir -p "$folder"
	if ! {
		{ [ -x configure ] || autoreconf -i; } && configured "$@" &&
			make -C "$folder" -j"$(nproc)"
	} >"$folder/build.log" 2>&1; then
		tail -30 "$folder/build.log" >&2
		echo "$0: the build failed; the log is $folder/build.log" >&2
		return 1
	fi
}
