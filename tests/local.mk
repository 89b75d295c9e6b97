# SPDX-License-Identifier: MIT
# Every test speaks TAP, so that one driver counts passed, failed and skipped over all of them.
# Unit tests are Criterion programs (no suffix), end-to-end tests are .sh and .py scripts.
TEST_EXTENSIONS = .sh .py
BOUNDED = /usr/bin/python3 $(top_srcdir)/tests/bounded.py
LOG_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
SH_LOG_DRIVER = $(LOG_DRIVER)
PY_LOG_DRIVER = $(LOG_DRIVER)
LOG_COMPILER = $(BOUNDED) $(SHELL) $(top_srcdir)/tests/run-unit
SH_LOG_COMPILER = $(BOUNDED) bash
PY_LOG_COMPILER = $(BOUNDED) /usr/bin/python3
AM_TESTS_ENVIRONMENT = \
	TRAWL_SRC='$(abs_top_srcdir)' TRAWL_BUILD='$(abs_top_builddir)' \
	PATH='$(abs_top_builddir)':"$$PATH"; \
	export TRAWL_SRC TRAWL_BUILD PATH;
# For checks that bounded.py does not run: trawl mounts tracefs if nobody has.
mount_tracefs = '$(abs_top_builddir)/trawl' -D >/dev/null
EXTRA_DIST += tests/bounded.py tests/run-unit tests/tap.sh tests/tap.py tests/lsan.supp

UNIT_LDADD = $(CRITERION_LIBS) libcommon.la libformat.la
UNIT_CFLAGS = $(AM_CFLAGS) $(CRITERION_CFLAGS)

check_LTLIBRARIES =

TESTS += tests/structure.py
EXTRA_DIST += tests/structure.py tests/compare.py

# What sanitizers cannot find more in: tests of the tree, its manuals, scripts and installation, of the
# page's JavaScript, those that compare with gdb what others have made the programs parse, and those that
# hold outputs.
UNSANITIZED = tests/structure.py tests/format/appendix.py tests/format/names.sh tests/cli/decode-man.sh \
	tests/cli/readme.sh tests/cli/suites.sh tests/cli/install.sh tests/cli/prepare.sh tests/cli/page.py \
	tests/lab/runner.sh tests/uprobe/manual.sh tests/zoo/returns.py tests/zoo/variants.py \
	tests/zoo/tailcalls.py tests/zoo/inside.py tests/cli/outputs.py tests/cli/usbprinted.py tests/format/test_printed
# What takes long under sanitizers or depends on the recorder's speed, and whose code of ours other tests
# run under them, too: readers of foreign data are fuzzed and given every cut and flip, the recorder's
# parts have tests of their own.
SANITIZED_LONG = tests/cli/report.py tests/cli/usdt.py tests/cli/capture_ends.sh tests/cli/rotation.py \
	tests/zoo/run.py tests/cli/redact.py tests/cli/cut.py tests/cli/merge.py tests/cli/export.sh \
	tests/cli/branch.py tests/cli/branchexport.py tests/replay/branch.py tests/cli/flight.sh \
	tests/cli/usb.py tests/cli/usbclasses.py tests/cli/usbview.py tests/cli/memory.py \
	tests/cli/recorder.py tests/cli/capture_scope.sh tests/cli/capture_events.sh \
	tests/cli/capture_full.sh tests/cli/capture_output.sh tests/cli/capture_loss.sh
# The names of those that run under sanitizers; with LONG=1 of all.
sanitized-tests:
	@left=' $(UNSANITIZED) '; [ '$(LONG)' ] || left="$$left $(SANITIZED_LONG) "; \
	for t in $(TESTS); do case $$left in *" $$t "*) ;; *) echo $$t ;; esac; done
# What only the sanitizers' build runs in test.sh: it mutates data, which finds by chance what sanitizers
# then see.
MUTATING = $(FUZZERS) tests/format/test_damage tests/format/test_segment tests/format/test_small \
	tests/cli/decode-bad.sh tests/cli/flipped.py tests/cli/parsers.py
plain-tests:
	@left=' $(MUTATING) '; for t in $(TESTS); do case $$left in *" $$t "*) ;; *) echo $$t ;; esac; done
sanitized-long:
	$(MAKE) $(AM_MAKEFLAGS) check TESTS="$$($(MAKE) -s sanitized-tests LONG=1 | tr '\n' ' ')"
.PHONY: plain-tests sanitized-tests sanitized-long

# Whether another build (of the tree before a change) writes the same bytes over all samples.
compare: $(bin_PROGRAMS)
	@$(AM_TESTS_ENVIRONMENT) /usr/bin/python3 '$(srcdir)/tests/compare.py' '$(BEFORE)' $(FILES)
.PHONY: compare

include tests/format/local.mk
include tests/capture/local.mk
include tests/decode/local.mk
include tests/decode/usb/local.mk
include tests/replay/local.mk
include tests/edit/local.mk
include tests/cli/local.mk
include tests/fault/local.mk
include tests/siege/local.mk
include tests/mutants/local.mk
include tests/printed/local.mk
include tests/zoo/local.mk
include tests/captures/local.mk
include tests/kmod/local.mk
