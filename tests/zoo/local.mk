# SPDX-License-Identifier: MIT
# Programs of many compilers, whose values are compared with gdb's.
TESTS += tests/zoo/run.py
EXTRA_DIST += tests/zoo/run.py tests/zoo/stops.py tests/zoo/zoo.c tests/zoo/zoo.cc tests/zoo/zoo.rs \
	tests/zoo/program.py tests/zoo/gdbbase.py tests/zoo/fetched.py tests/zoo/plain.py tests/zoo/texts.py \
	tests/zoo/zoo.go tests/zoo/returns.py tests/zoo/finish.py tests/zoo/returns.c \
	tests/zoo/passed.c tests/zoo/returns.cc tests/zoo/returns.rs tests/zoo/returns.go
TESTS += tests/zoo/returns.py tests/zoo/variants.py tests/zoo/printed.py
EXTRA_DIST += tests/zoo/variants.py tests/zoo/variants.rs tests/zoo/variants.cc \
	tests/zoo/printed.py tests/zoo/printed.pas tests/zoo/printed.d

TESTS += tests/zoo/parts.py
EXTRA_DIST += tests/zoo/parts.py tests/zoo/parts.c tests/zoo/parts.cc tests/zoo/parts.go tests/zoo/parts.rs tests/zoo/opaque.c tests/zoo/parts.f90 tests/zoo/parts.adb

TESTS += tests/zoo/tailcalls.py tests/zoo/inside.py tests/zoo/entries.py
EXTRA_DIST += tests/zoo/inside.py tests/zoo/tailcalls.py tests/zoo/tailcalls.c \
	tests/zoo/entries.py tests/zoo/entries.c tests/zoo/entries.go

# Checks all variants (make check has a few), or with PROGRAM='FILE ARG ...' that program.
zoo-check: all
	if test -n '$(PROGRAM)'; then set -- 'program.py $(PROGRAM)'; \
	else set -- 'run.py --all' 'returns.py --all' 'variants.py --all' 'inside.py --all' \
		'parts.py --all' 'printed.py --all'; fi; \
	failed=0; $(mount_tracefs); for check do TRAWL_MUST=1 TRAWL_SRC='$(abs_top_srcdir)' TRAWL_BUILD='$(abs_top_builddir)' \
		/usr/bin/python3 $(srcdir)/tests/zoo/$$check || failed=1; done; exit $$failed
.PHONY: zoo-check
