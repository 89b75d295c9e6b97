# SPDX-License-Identifier: MIT

if HAVE_CRITERION
UNIT_USBMON = tests/capture/test_usbmon tests/capture/test_usbfilter tests/capture/test_usbsys
check_PROGRAMS += $(UNIT_USBMON)
TESTS += $(UNIT_USBMON)
USBMON_LDADD = libcapture.la $(UNIT_LDADD)
tests_capture_test_usbmon_SOURCES = tests/capture/test_usbmon.c \
	tests/capture/monmodel.c tests/capture/monmodel.h
tests_capture_test_usbmon_CFLAGS = $(UNIT_CFLAGS)
tests_capture_test_usbmon_LDADD = $(USBMON_LDADD)
tests_capture_test_usbfilter_SOURCES = tests/capture/test_usbfilter.c
tests_capture_test_usbfilter_CFLAGS = $(UNIT_CFLAGS)
tests_capture_test_usbfilter_LDADD = $(USBMON_LDADD)
tests_capture_test_usbsys_SOURCES = tests/capture/test_usbsys.c
tests_capture_test_usbsys_CFLAGS = $(UNIT_CFLAGS)
tests_capture_test_usbsys_LDADD = $(USBMON_LDADD)
endif
# Probes: a program that shows what specs resolve to, and what checks it.
check_PROGRAMS += tests/capture/show_probes
tests_capture_show_probes_SOURCES = tests/capture/show_probes.c
tests_capture_show_probes_LDADD = libcapture.la libtrawl-test.la
