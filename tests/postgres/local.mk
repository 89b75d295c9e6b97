# SPDX-License-Identifier: MIT
# A real server under load; needs PostgreSQL and bpftrace, and a minute. Not part of `make check`.
EXTRA_DIST += tests/postgres/check.sh tests/postgres/cycles.py

postgres-check: all
	$(mount_tracefs); TRAWL_SRC='$(abs_top_srcdir)' TRAWL_BUILD='$(abs_top_builddir)' bash $(srcdir)/tests/postgres/check.sh
.PHONY: postgres-check
