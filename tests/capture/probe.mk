# SPDX-License-Identifier: MIT
# Probes: a program that shows what specs resolve to, and what checks it.
check_PROGRAMS += tests/capture/show_probes
tests_capture_show_probes_SOURCES = tests/capture/show_probes.c
tests_capture_show_probes_LDADD = libcapture.la libtrawl-test.la
EXTRA_DIST += tests/capture/test_live.py
if HAVE_SDT
TESTS += tests/capture/test_live.py
endif
