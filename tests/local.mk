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
EXTRA_DIST += tests/bounded.py tests/run-unit tests/tap.sh tests/tap.py tests/lsan.supp

UNIT_LDADD = $(CRITERION_LIBS) libcommon.la libtrawl-test.la
UNIT_CFLAGS = $(AM_CFLAGS) $(CRITERION_CFLAGS)

# libtrawl with its internals visible, for unit tests.
check_LTLIBRARIES = libtrawl-test.la
libtrawl_test_la_SOURCES = $(libtrawl_la_SOURCES)
libtrawl_test_la_CFLAGS = $(libtrawl_la_CFLAGS)
libtrawl_test_la_LIBADD = $(libtrawl_la_LIBADD)


TESTS += tests/structure.py
EXTRA_DIST += tests/structure.py tests/compare.py

# What sanitizers cannot find more in: tests of the tree, its manuals, scripts and installation, of the
# page's JavaScript, and those that compare with gdb what others have made the programs parse.
UNSANITIZED = tests/structure.py tests/format/appendix.py tests/format/names.sh tests/cli/decode-man.sh \
	tests/cli/readme.sh tests/cli/suites.sh tests/cli/install.sh tests/cli/prepare.sh tests/cli/page.py \
	tests/lab/runner.sh tests/uprobe/manual.sh tests/zoo/returns.py tests/zoo/variants.py \
	tests/zoo/tailcalls.py tests/zoo/inside.py
sanitized-tests:
	@for t in $(TESTS); do case ' $(UNSANITIZED) ' in *" $$t "*) ;; *) echo $$t ;; esac; done
.PHONY: sanitized-tests

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
include tests/zoo/local.mk
include tests/captures/local.mk
include tests/kmod/local.mk
