# SPDX-License-Identifier: MIT
# Every test in the tree is part of `make check`. Without this test, a suite whose library configure
# did not find would be silently missing.
. "$TRAWL_SRC/tests/tap.sh"

# TESTS as in the Makefile: the command line of make may have replaced it.
list=$(cd "$TRAWL_BUILD" && printf 'include Makefile\nlist-of-tests:\n\t@echo $(TESTS)\n' |
	env -u MAKEFLAGS -u MAKEOVERRIDES -u MFLAGS make -s --no-print-directory -f \
		- list-of-tests | tail -1)

# The libraries that this build was configured without.
without=$("$TRAWL_BUILD/config.status" --config | grep -o -- '--without-[a-z]*' | tr '\n' ' ')

# in_tree: prints the files that look like tests.
in_tree() {
	cd "$TRAWL_SRC" || exit
	ls tests/*/test_*.c tests/*/*/test_*.c tests/fuzz/fuzz_*.c 2>/dev/null | sed 's/\.c$//'
	grep -l '^tap_done$' tests/*/*.sh tests/*/*/*.sh 2>/dev/null |
		grep -v '^tests/\(lab/\(guest\|host\)/\|zoo/\|postgres/\|replay/long\.sh\)'
	# except for tests of make zoo-check and the like
	grep -l 'finish()$' tests/*/*.py tests/*/*/*.py 2>/dev/null |
		grep -v '^tests/\(zoo\|postgres\|siege\)/'
}

folders=$(in_tree | sed 's,/[^/]*$,,' | sort -u)
ok $((! $(in_tree | grep -c .) > 50)) "the tree has tests"
for folder in $folders; do
	missing=$(in_tree | grep "^$folder/[^/]*$" | while read -r test; do
		[[ " $list " == *" $test "* ]] || echo "$test"
	done)
	if [ "$missing" ] && [ "$without" ]; then
		skip "every test of $folder/ is in this build" "configured with $without"
	else
		same "every test of $folder/ is in this build" "" "$missing"
	fi
done

# tests/bounded.py, under which every test runs: tests end, leave nothing, and can be interrupted.
bounded() {
	TRAWL_TEST_SECONDS=0.5 /usr/bin/python3 "$TRAWL_SRC/tests/bounded.py" "$@" 2>&1
}
said=$(bounded sh -c 'sleep 60'); same "a test that hangs fails" 1 $?
has "the message names the hanging process" "$said" "^# [0-9]+ S .*'sleep 60'"
said=$(bounded sh -c 'setsid sleep 60 & exit 0'); same \
	"a test that leaves a process behind fails" 1 $?
has "the message names it" "$said" "^# [0-9]+ S .*'sleep 60'"
left=$(sed -nE 's/^# ([0-9]+) .*/\1/p' <<<"$said")
# lives: whether that process still does; a zombie, which init has not reaped, does not.
lives() {
	grep -qs '^State:[[:space:]]*[^ZX]' "/proc/$left/status"
}
for _ in $(seq 100); do # it was killed, and exits as soon as it gets a CPU
	! lives || sleep 0.1
done
ok "$([ "$left" ] && ! lives; echo $?)" "and that one is ended"
said=$(trap '' INT; bounded sh -c 'kill -INT $$; echo goes on'); same \
	"SIGINT is not ignored in a test" 130 $?
said=$(bounded sh -c 'exit 7'); same "its status is the test's" 7 $?

# A machine that has just booted has no tracefs mounted, so that tests that record would skip.
if [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null; then
	said=$(unshare -m bash -c 'while umount /sys/kernel/tracing; do :; done 2>/dev/null
		ls /sys/kernel/tracing
		TRAWL_TEST_SECONDS=60 /usr/bin/python3 "$TRAWL_SRC/tests/bounded.py" \
			sh -c "ls /sys/kernel/tracing | grep uprobe_events"')
	same "tracefs is mounted for the tests" uprobe_events "$(sed '/^# took/d' <<<"$said")"
else
	skip "tracefs is mounted for the tests" "not root, or no mount namespaces here"
fi
tap_done
