# SPDX-License-Identifier: MIT
# Programs of tests/lab/guest/kmod-uprobe.sh: the tracees are children of them, at the same addresses.
check_PROGRAMS += tests/uprobe/interface tests/uprobe/stress tests/uprobe/calls
UPROBE_FLAGS = $(AM_CFLAGS) -O1 -fno-pie -fno-omit-frame-pointer -fno-optimize-sibling-calls
UPROBE_LINK = -no-pie -pthread
tests_uprobe_interface_SOURCES = tests/uprobe/interface.c tests/uprobe/stopped.c tests/uprobe/refused.c \
	tests/uprobe/child.c tests/uprobe/child.h samples/uprobe/khandler/histogram.h
tests_uprobe_interface_CFLAGS = $(UPROBE_FLAGS)
tests_uprobe_interface_LDFLAGS = $(UPROBE_LINK)
tests_uprobe_interface_LDADD = libtrawl-uprobe.la
tests_uprobe_stress_SOURCES = tests/uprobe/stress.c
tests_uprobe_stress_CFLAGS = $(UPROBE_FLAGS)
tests_uprobe_stress_LDFLAGS = $(UPROBE_LINK)
tests_uprobe_stress_LDADD = libtrawl-uprobe.la
tests_uprobe_calls_SOURCES = samples/uprobe/calls.c
tests_uprobe_calls_CFLAGS = $(AM_CFLAGS)
tests_uprobe_calls_LDADD = libtrawl-uprobe.la
check_PROGRAMS += tests/bench/uprobestop
tests_bench_uprobestop_SOURCES = tests/bench/uprobestop.c
tests_bench_uprobestop_CFLAGS = $(UPROBE_FLAGS)
tests_bench_uprobestop_LDFLAGS = $(UPROBE_LINK)
tests_bench_uprobestop_LDADD = libtrawl-uprobe.la
TESTS += tests/uprobe/manual.sh
EXTRA_DIST += samples/uprobe/khandler/histogram.c samples/uprobe/khandler/Kbuild
EXTRA_DIST += tests/lab/guest/kmod-uprobe.sh tests/lab/host/kmod-uprobe.sh tests/lab/guest/uprobestop.sh tests/uprobe/manual.sh tests/uprobe/example.sh

# 100,000 stops, 1,000 kills and a minute of random requests in each kernel: ten minutes.
uprobe-stress: lab-programs
	@for k in $(LAB_KERNELS); do TRAWL_SRC='$(abs_top_srcdir)' TRAWL_BUILD='$(abs_top_builddir)' \
		LAB_STRESS=180 LAB_LIMIT=1500 $(srcdir)/tests/lab/run --limit 1800 $$k kmod-uprobe || exit; done

# A stop beside one of ptrace and of gdb, a khandler beside a uprobe of tracefs; with two processors and with one.
uprobe-bench: lab-programs
	@for k in $(LAB_KERNELS); do for m in "" single; do TRAWL_SRC='$(abs_top_srcdir)' TRAWL_BUILD='$(abs_top_builddir)' \
		$(srcdir)/tests/lab/run --machine "$$m" $$k uprobestop || exit; done; done
.PHONY: uprobe-stress uprobe-bench
