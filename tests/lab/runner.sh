# SPDX-License-Identifier: MIT
# tests/lab/run itself, with a script in place of QEMU: a guest that dies costs one test, and the
# message says why.
. "$TRAWL_SRC/tests/tap.sh"
top=$(mktemp -d)
chmod 755 "$top"
trap 'rm -rf "$top"' EXIT
mkdir -p "$top/bin" "$top/tests/lab/guest" "$top/tests/lab/host" "$top/build/lab/x"
echo 1.2.3 >"$top/build/lab/x/release"
printf '#!/bin/sh\n' | tee "$top/tests/lab/kernel" >"$top/tests/lab/kmod"
mkdir -p "$top/build/tests/lab"
cp "$TRAWL_BUILD/tests/lab/tsc" "$top/build/tests/lab/"
# The guest runs those of its tests that no other has begun; their scripts decide how it dies.
cat >"$top/bin/qemu-system-x86_64" <<'END'
#!/bin/bash
for word; do
	case $word in
	local,id=lab,path=*) lab=${word#local,id=lab,path=} lab=${lab%%,*} ;;
	*lab.guest=*) guest=${word#*lab.guest=} guest=${guest%% *} ;;
	esac
done
here=$lab/guests/$guest
console=$here/console.log
: >"$console"
for name in $(cat "$here/tests"); do
	ln -s "$guest" "$lab/$name.guest" 2>/dev/null || continue
	mkdir "$lab/$name"
	. "$TRAWL_SRC/tests/lab/guest/$name.sh" "$@" >"$lab/$name.tap"
	echo "0 150" >"$lab/$name.status"
done
: >"$here/dmesg"
: >"$here/ended"
END
chmod +x "$top/tests/lab/kernel" "$top/tests/lab/kmod" "$top/bin/qemu-system-x86_64"

guest() {
	cat >"$top/tests/lab/guest/$1.sh"
}
guest good <<<'echo "ok 1 - fine"; echo 1..1'
guest panics <<'END'
echo "ok 1 - before"
echo "[ 1.0] harmless
[ 2.0] Oops: int3: 0000
[ 2.1] RIP: somewhere" >"$console"
exit 0
END
guest killed <<<'kill -KILL $$'
guest other <<'END'
# machine: iommu
case $* in *intel_iommu=on*) echo "ok 1 - its machine" ;; *) echo "not ok 1 - its machine" ;; esac
echo 1..1
END
guest fails <<<'echo "not ok 1 - wrong"; echo 1..1'
cat >"$top/tests/lab/host/good.sh" <<'END'
echo "ok 1 - second half"; echo 1..1
END
cp "$top/tests/lab/host/good.sh" "$top/tests/lab/host/panics.sh"

# lab TEST...: runs these tests; prints the runner's output and returns its exit status.
lab() {
	MAKELEVEL=1 TRAWL_SRC=$top TRAWL_BUILD=$top/build PATH=$top/bin:$PATH \
		/usr/bin/python3 "$TRAWL_SRC/tests/lab/run" x "$@" 2>&1
}

out=$(lab good)
same "all is well" 0 $?
has "a test and its second half are counted" "$(tr '\n' ' ' <<<"$out")" \
	'ok 1 .*fine.*ok 2 .*second half.*ok 3 .*1\.\.3'
out=$(lab other good)
has "a test has the machine that it asks for" "$(tr '\n' ' ' <<<"$out")" \
	'ok 1 .*its machine.*ok 2 .*fine'
guest ends <<'END'
# last: it switches off
echo "ok 1 - off"; echo 1..1; echo "0 150" >"$lab/$name.status"; : >"$here/dmesg"; : >"$here/ended"; exit 0
END
for n in 1 2 3 4 5; do
	guest before$n <<<'echo "ok 1 - fine"; echo 1..1'
done
out=$(lab before1 before2 before3 before4 before5 ends)
same "a test may end its guest" 0 $?
has "when others have been run" "$(tr '\n' ' ' <"$top/build/lab/x/results/guests/guest1/tests")" \
	'before5 before4 ends before3 '
out=$(lab panics good)
same "a panic is a failure" 1 $?
same "one and only one" 1 "$(grep -c '^not ok' <<<"$out")"
has "that names the test and the reason" "$out" \
	'^not ok 2 .*panics: the guest died during it: its kernel stopped: .*Oops: int3'
has "with the console from the error on" "$(grep -A1 '^not ok' <<<"$out" | tail -1)" \
	'^# console: .*Oops'
has "and its place" "$out" '^# console: .*RIP: somewhere'
has "what it had said counts" "$out" '^ok 1 .*panics: before'
has "the tests after it are run, with their second halves" "$(tr '\n' ' ' <<<"$out")" \
	'ok 3 .*good: fine.*good: second half'
has "the plan holds" "$(tail -1 <<<"$out")" '^1\.\.5$'
out=$(lab killed good)
has "a killed QEMU is reported" "$out" \
	'^not ok 1 .*killed: the guest died during it: QEMU was killed by SIGKILL'
same "and costs no other test" 1 "$(grep -c '^not ok' <<<"$out")"
for n in 1 2 3 4; do
	guest killed$n <<<'kill -KILL $$'
done
out=$(lab good killed killed1 killed2 killed3 killed4)
has "guests that die always are given up" "$out" 'good: was never run'
guest meets <<'END'
for ((try = 0; try < 100; try++)); do
	[ -e "$lab/met.guest" ] && break
	sleep 0.1
done
[ "$(readlink "$lab/met.guest")" != "$guest" ] && echo "ok 1 - by two" || echo "not ok 1 - by two"
echo 1..1
END
guest met <<<'echo "ok 1 - too"; echo 1..1'
out=$(lab met meets)
same "tests are shared" 0 $?
has "by guests that run at once" "$(tr '\n' ' ' <<<"$out")" 'ok 1 .*met: too.*ok 2 .*meets: by two'
out=$(lab fails good)
same "a failure is one" 1 $?
has "and stays one" "$out" '^not ok 1 .*fails: wrong'

# A word to the runner must begin its line: in the middle of a comment the runner does not see it.
same "no word to the runner in the middle of a comment" "" \
	"$(grep -nE '^#.*[^#] (kernels|long|machine|last): ' "$TRAWL_SRC"/tests/lab/guest/*.sh)"

# Long tests are left to make lab-long.
guest slow <<<'# long: x y'
guest elsewhere <<<'# kernels: y'
guest branches <<<'# machine: skylake'
same "without LAB_LONG, what takes long and what takes a QEMU of our own is left out" \
	"good other" "$(lab --list | grep -x 'good\|other\|slow\|elsewhere\|branches' | xargs)"
same "with it, nothing of this kernel is" "branches good other slow" \
	"$(LAB_LONG=1 lab --list | grep -x 'good\|other\|slow\|elsewhere\|branches' | xargs)"

# The guests' users must be able to enter the tree, to run its programs.
chmod 700 "$top"
out=$(lab good)
same "a tree that others may not enter: status" 1 $?
has "it is reported at once, with the folder" "$out" "^not ok 1 - x $top: .*may not enter.*chmod o.x $top"
chmod 755 "$top"

# What is missing is said in a line, with what to do.
guest needs <<<'"$TRAWL_BUILD/tests/lab/lbr"; echo 1..0'
mv "$top/build/tests/lab/tsc" "$top/tsc"
has "programs that are not built" "$(lab needs good)" \
	"^not ok 1 - x tests/lab/lbr, tests/lab/tsc: not built; make -C $top/build lab-programs\$"
mv "$top/tsc" "$top/build/tests/lab/tsc"
has "a test that does not exist" "$(lab good nosuch)" "^not ok 1 - x nosuch: no test of the lab; --list"
printf '#!/bin/sh\nexit 1\n' >"$top/tests/lab/kernel"
out=$(lab good)
same "no kernel: status" 1 $?
has "and the script whose message is above" "$out" "^not ok 1 - x tests/lab/kernel x: failed"
printf '#!/bin/sh\n' >"$top/tests/lab/kernel"

# If tests/lab/run is called directly, as after ./demo.sh, it builds the programs that guests run.
printf 'lab-programs:\n\t@echo >built\n' >"$top/build/Makefile"
lab good >/dev/null
ok $((! $(test -e "$top/build/built"; echo $?))) "under make nothing is built"
(unset MAKELEVEL MAKEFLAGS && TRAWL_SRC=$top TRAWL_BUILD=$top/build PATH=$top/bin:$PATH \
	/usr/bin/python3 "$TRAWL_SRC/tests/lab/run" x good) >/dev/null 2>&1
same "by itself: status" 0 $?
ok "$(test -e "$top/build/built"; echo $?)" "by itself it builds what guests run"
tap_done
