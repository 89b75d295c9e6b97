# SPDX-License-Identifier: MIT

check_PROGRAMS += tests/bench/usbmon
tests_bench_usbmon_SOURCES = tests/bench/usbmon.c tests/bench/usbevents.c tests/bench/usbevents.h \
	tests/capture/usb/monmodel.c tests/capture/usb/monmodel.h
tests_bench_usbmon_CFLAGS = $(AM_CFLAGS) -O2
tests_bench_usbmon_LDADD = libcapture.la libcommon.la libformat.la

# Loaded into tcpdump and trawl (usbpeers.sh): a shared object even where libtool is to make none.
MONSHIM = tests/bench/monshim.c tests/bench/usbevents.c tests/capture/usb/monmodel.c
EXTRA_DIST += tests/bench/monshim.c
tests/bench/monshim.so: $(MONSHIM)
	$(AM_V_CCLD)$(MKDIR_P) tests/bench && $(CC) $(DEFS) $(DEFAULT_INCLUDES) $(AM_CPPFLAGS) \
		$(CPPFLAGS) $(AM_CFLAGS) -O2 -U_FILE_OFFSET_BITS -fPIC -shared -o $@ \
		$(MONSHIM:%=$(srcdir)/%) -ldl
CLEANFILES += tests/bench/monshim.so

check_PROGRAMS += tests/bench/container
tests_bench_container_SOURCES = tests/bench/container.c
tests_bench_container_CFLAGS = $(AM_CFLAGS) -O2
tests_bench_container_LDADD = libcapture.la libcommon.la libformat.la

check_PROGRAMS += tests/bench/seek
tests_bench_seek_SOURCES = tests/bench/seek.c
tests_bench_seek_CFLAGS = $(AM_CFLAGS) -O2
tests_bench_seek_LDADD = libsample.la libformat.la
check_PROGRAMS += tests/bench/sandbox
tests_bench_sandbox_SOURCES = tests/bench/sandbox.c
tests_bench_sandbox_CFLAGS = $(AM_CFLAGS) -O2
tests_bench_sandbox_LDADD = libcommon.la libformat.la
check_PROGRAMS += tests/bench/branch
tests_bench_branch_SOURCES = tests/bench/branch.c
tests_bench_branch_CFLAGS = $(AM_CFLAGS) -O2
tests_bench_branch_LDADD = libcommon.la libformat.la
check_PROGRAMS += tests/bench/branchstep
tests_bench_branchstep_SOURCES = tests/bench/branchstep.c
BENCHES = tests/bench/seek.sh tests/bench/container.sh tests/bench/capture.sh \
	tests/bench/decode.sh tests/bench/kernel.sh tests/bench/sources.sh tests/bench/flight.sh \
	tests/bench/usbpeers.sh tests/bench/branch.sh tests/bench/sandbox.sh \
	tests/bench/page.sh tests/bench/replay.sh tests/bench/edit.sh
EXTRA_DIST += $(BENCHES) tests/bench/usbload.sh tests/bench/page.js

# Ratios, side by side in one run; nothing here passes or fails.
bench: $(check_PROGRAMS) $(bin_PROGRAMS) tests/bench/monshim.so
	@for b in $(BENCHES); do echo "== $$b"; \
	  TRAWL_SRC='$(abs_top_srcdir)' TRAWL_BUILD='$(abs_top_builddir)' \
	  bash $(srcdir)/$$b || exit 1; done
.PHONY: bench
# The same work by this build and by that of the tree before a change.
bench-before: $(bin_PROGRAMS) samples/tick
	@TRAWL_BUILD='$(abs_top_builddir)' RUNS='$(RUNS)' /usr/bin/python3 -B $(srcdir)/tests/bench/before.py '$(BEFORE)'
.PHONY: bench-before
EXTRA_DIST += tests/bench/before.py
page-bench: tests/decode/make-sample trawl-export
	@TRAWL_SRC='$(abs_top_srcdir)' TRAWL_BUILD='$(abs_top_builddir)' bash $(srcdir)/tests/bench/page.sh
.PHONY: page-bench
edit-bench: tests/decode/make-sample trawl-edit trawl-decode trawl-export trawl-report
	@TRAWL_SRC='$(abs_top_srcdir)' TRAWL_BUILD='$(abs_top_builddir)' bash $(srcdir)/tests/bench/edit.sh
.PHONY: edit-bench
