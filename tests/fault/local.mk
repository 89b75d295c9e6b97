# SPDX-License-Identifier: MIT
# What becomes of the programs when an allocation, a read, a write, an ioctl or an open fails: some of
# each in make check, each one in make fault-long.
tests/fault/fault.so: tests/fault/fault.c
	$(AM_V_CCLD)$(MKDIR_P) tests/fault && $(CC) $(DEFS) $(DEFAULT_INCLUDES) $(AM_CPPFLAGS) \
		$(CPPFLAGS) -Wall -Wextra -O2 -fPIC -shared -o $@ $(srcdir)/tests/fault/fault.c -ldl
check_DATA += tests/fault/fault.so
CLEANFILES += tests/fault/fault.so
TESTS += tests/fault/fault.py
EXTRA_DIST += tests/fault/fault.py tests/fault/fault.c
fault-long: all tests/fault/fault.so
	TRAWL_SRC=$(abs_top_srcdir) TRAWL_BUILD=$(abs_top_builddir) PATH=$(abs_top_builddir):$$PATH \
		/usr/bin/python3 $(srcdir)/tests/fault/fault.py all
.PHONY: fault-long
