# SPDX-License-Identifier: MIT
# The recorder under attack: make siege [SIEGE_SECONDS=600] [SIEGE_PARTS="killed full"]. Not part of make check.
SIEGE_SECONDS = 600
SIEGE_PARTS =
siege: all tests/capture/target
	@$(mount_tracefs); $(AM_TESTS_ENVIRONMENT) TRAWL_MUST=1 SIEGE_SECONDS='$(SIEGE_SECONDS)' /usr/bin/python3 '$(srcdir)/tests/siege/siege.py' $(SIEGE_PARTS)
.PHONY: siege
EXTRA_DIST += tests/siege/siege.py tests/lab/guest/siege.sh
# The same in the lab, with steps of the clock.
siege-lab: lab-programs
	for k in $(LAB_KERNELS); do TRAWL_SRC='$(abs_top_srcdir)' TRAWL_BUILD='$(abs_top_builddir)' $(srcdir)/tests/lab/run $$k siege || exit; done
.PHONY: siege-lab
