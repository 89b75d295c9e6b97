#!/bin/bash
# SPDX-License-Identifier: MIT
# Runs trawl's tests and ends with one line that counts them over all suites.
#
#	./test.sh           plain build, sanitizers, clang, distribution, lab: about 20 minutes
#	./test.sh quick     the plain build's tests only
#	./test.sh long      every test under sanitizers and in the lab, with the emulated processors
cd "$(dirname "$0")" || exit 2
case ${1:-} in
'' | quick) long= ;;
long) long=1 ;;
*)
	echo "$0: $1: unknown set of tests; give quick, long, or nothing" >&2
	exit 2
	;;
esac
. ./prepare.sh

page_tools=(chromium-headless-shell) # for tests/cli/page.py, which gets puppeteer-core by npm
command -v npm >/dev/null || page_tools+=(nodejs npm)
need_packages "${BUILD_PACKAGES[@]}" "${page_tools[@]}" libcriterion-dev \
	binutils bpftrace clang file gdb golang-go jq libkshark2 linux-perf mandoc man-db procps \
	psmisc python3 sqlite3 git g++ gfortran gnat fp-compiler gdc rustc tcpdump iproute2 \
	trace-cmd tshark lcov llvm bolt-16 autofdo \
	umockdev python3-usb usbip xz-utils zstd qemu-system-x86 \
	busybox-static usbutils cpio kmod e2fsprogs alsa-utils || exit

passed=0 failed=0 skipped=0

# add_up LOG: counts the "# PASS: n" lines that make check prints.
add_up() {
	local p f s
	p=$(awk '/^# (PASS|XFAIL):/ { n += $3 } END { print n + 0 }' "$1")
	f=$(awk '/^# (FAIL|XPASS|ERROR):/ { n += $3 } END { print n + 0 }' "$1")
	s=$(awk '/^# SKIP:/ { n += $3 } END { print n + 0 }' "$1")
	[ $((p + f + s)) -gt 0 ] || f=1 # a suite without a result has failed
	echo "$p passed, $f failed, $s skipped"
	grep -E '^(FAIL|ERROR|SKIP|XPASS)(:| )' "$1"
	passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
}

# why FOLDER LOG: prints what each failed test of that log of make check says of its failure. Where
# only this output is kept, the tests' own logs are lost.
why() {
	sed -nE 's/^(FAIL|ERROR|XPASS): ([^ ]*).*/\2/p' "$2" | sed -E 's/\.(sh|py)$//' | sort -u |
		while read -r test; do
			echo "--- $test"
			awk '/^not ok/ { left = 26 } /^ok/ { left = 0 } left-- > 0' "$1/$test.log"
			grep -q '^1\.\.' "$1/$test.log" || tail -15 "$1/$test.log"
		done
}

# suite NAME FOLDER JOBS MAKE-ARGUMENT...: runs make in a build folder and counts.
suite() {
	local name=$1 folder=$2 jobs=$3
	shift 3
	say "$name"
	local log=$folder/${name// /-}.log start=$SECONDS
	make -C "$folder" -j"$jobs" "$@" >"$log" 2>&1 </dev/null
	add_up "$log"
	why "$folder" "$log"
	echo "($((SECONDS - start)) s, log: $log)"
}

# Tests mostly wait: for the kernel's grace periods when probes are added or removed, or for a
# capture to end. So more of them run at once than there are processors.
test_jobs=$(($(nproc) * 2))
# Builds that do not disturb the tests run beside them at the lowest priority: ahead starts one, met
# waits for it.
declare -A begun
trap 'for pid in "${begun[@]}"; do kill -- "-$pid" 2>/dev/null; done' EXIT

# ahead NAME COMMAND...: starts COMMAND in the background; its output goes to build/NAME.log.
ahead() {
	local name=$1
	shift
	set -m # a group of its own, which can be ended as a whole
	(
		renice -n 19 -p "$BASHPID" >/dev/null
		"$@"
	) >"build/${name//[ \/]/-}.log" 2>&1 </dev/null &
	begun[$name]=$!
	set +m
}

# met NAME: waits for the command that ahead started as NAME and returns its status. If it failed,
# prints the end of its log.
met() {
	local log=build/${1//[ \/]/-}.log status
	say "$1"
	wait "${begun[$1]}"
	status=$?
	unset "begun[$1]"
	[ $status -eq 0 ] && return
	tail -20 "$log"
	echo "FAILED, log: $log"
	return $status
}

# one NAME: counts the command that ahead started as NAME as one test.
one() {
	if met "$1"; then
		passed=$((passed + 1))
		echo "passed"
	else
		failed=$((failed + 1))
	fi
}

# with_tests FOLDER CONFIGURE-OPTION...: builds the product and the programs of the tests.
with_tests() {
	build "$@" && make -C "$1" -j"$(nproc)" check TESTS=
}

# tests BUILD-FOLDER LIST: prints the names of the tests in a list of tests/local.mk.
tests() {
	make -s -C "$1" "$2" LONG=$long | tr '\n' ' '
}

# Checks that the tarball has all files of the tree and can be built, installed and uninstalled. It
# is built without optional libraries, which nothing else tries, and with -O0, which halves the
# time, and packed fast. distcheck runs in build-clang, where no tests run meanwhile.
tarball() {
	XZ_OPT=-1 make -C build-clang -j"$(nproc)" distcheck TESTS= check_PROGRAMS= \
		DISTCHECK_CONFIGURE_FLAGS="CFLAGS=-O0 --enable-werror --without-dw --without-pcap \
			--without-archive --without-seccomp --without-zydis --without-demangler \
			--without-traceevent --without-criterion" || return
	[ -e .git ] || return 0 # this is a tarball
	local left
	left=$(comm -23 <(git ls-files | sort) \
		<(tar tf build-clang/trawl-*.tar.xz | cut -d/ -f2- | sort))
	[ "$left" = .gitignore ] || ! printf 'not in the tarball: %s\n' "$left"
}

# clang warns of other things than gcc, optimizes differently and clones functions differently.
with_clang() {
	build build-clang CFLAGS='-g -O1' --enable-werror --with-all CC=clang &&
		make -C build-clang check TESTS=tests/format/golden.sh \
			check_PROGRAMS='tests/format/golden tests/format/dump'
}

with_clang_and_as_tarball() {
	with_clang && tarball
}

say "building in build/"
# --with-all: without an optional library its tests would silently be missing.
build build --enable-werror --with-all || failed=$((failed + 1))
if [ "${1:-}" = quick ]; then
	suite "tests" build $test_jobs check
else
	ahead "kernels of the lab" make -C build lab-kernels
	[ ! "$long" ] || ahead "QEMU of the lab" make -C build lab-qemu
	# -O1 halves the compiler's time; a test needs a clone that -fipa-cp, a part of -O2, makes.
	ahead "building with sanitizers in build-asan/" with_tests build-asan \
		CFLAGS='-g -O1 -fipa-cp' --enable-werror --with-all --enable-sanitizers
	ahead "build with clang, distribution without optional libraries" with_clang_and_as_tarball
	suite "tests" build $test_jobs check TESTS="$(tests build plain-tests)"
	met "building with sanitizers in build-asan/" || failed=$((failed + 1))
	suite "tests under ASan and UBSan" build-asan $test_jobs check \
		TESTS="$(tests build-asan sanitized-tests)"
	one "build with clang, distribution without optional libraries"
	met "kernels of the lab" || failed=$((failed + 1))
	# The lab runs alone: its guests keep the machine busy, and their clocks have to be right.
	if [ "$long" ]; then
		met "QEMU of the lab" || failed=$((failed + 1))
		suite "lab" build "$(nproc)" lab-long
	else
		suite "lab" build "$(nproc)" lab-check
	fi
fi

printf '\n%d passed, %d failed, %d skipped\n' $passed $failed $skipped
[ $failed -eq 0 ]
