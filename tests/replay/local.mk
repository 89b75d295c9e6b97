# SPDX-License-Identifier: MIT
TEST_REPLAY = tests/replay/branch.py tests/replay/device.py tests/replay/devicenotes.py tests/replay/stream.py tests/replay/host.py tests/replay/probes.py tests/replay/vm.py
TESTS += $(TEST_REPLAY)
if HAVE_CRITERION
check_PROGRAMS += tests/replay/test_codefile
TESTS += tests/replay/test_codefile
tests_replay_test_codefile_SOURCES = tests/replay/test_codefile.c
tests_replay_test_codefile_CFLAGS = $(UNIT_CFLAGS)
tests_replay_test_codefile_LDADD = libreplay.la libdecode.la $(UNIT_LDADD)
endif
EXTRA_DIST += tests/replay/usbipclient.py tests/replay/planteddevice.py tests/replay/module/planted.c tests/replay/module/build $(TEST_REPLAY)

# The tests of replaying that take minutes: --mutate finds a fault that was planted in a driver, and
# finds it again from the capture that it saved.
replay-long: lab-programs
	$(srcdir)/tests/lab/kernel 6.12 lab/6.12 && $(srcdir)/tests/lab/kmod 6.12 lab/6.12
	TRAWL_SRC='$(abs_top_srcdir)' TRAWL_BUILD='$(abs_top_builddir)' $(srcdir)/tests/lab/run 6.12 replay-vm
	TRAWL_SRC='$(abs_top_srcdir)' TRAWL_BUILD='$(abs_top_builddir)' bash $(srcdir)/tests/replay/long.sh
.PHONY: replay-long

# The speed of a replayed disk beside that of QEMU's own disk in the same guest.
replay-bench: lab-programs
	for k in $(LAB_KERNELS); do TRAWL_SRC='$(abs_top_srcdir)' TRAWL_BUILD='$(abs_top_builddir)' \
		$(srcdir)/tests/lab/run $$k replay-speed | grep '^# .*MB by dd' || exit; done
.PHONY: replay-bench
EXTRA_DIST += tests/replay/long.sh
