# SPDX-License-Identifier: MIT

if HAVE_CRITERION
UNIT_CAPTURE = tests/capture/test_ring \
	tests/capture/test_eventformat \
	tests/capture/test_options \
	tests/capture/test_loss \
	tests/capture/test_output \
	tests/capture/test_newfile \
	tests/capture/test_owner \
	tests/capture/test_kin \
	tests/capture/test_nearest \
	tests/capture/test_pending \
	tests/capture/test_first \
	tests/capture/test_session \
	tests/capture/test_json
check_PROGRAMS += $(UNIT_CAPTURE)
TESTS += $(UNIT_CAPTURE)
tests_capture_test_ring_SOURCES = tests/capture/test_ring.c
tests_capture_test_ring_CFLAGS = $(UNIT_CFLAGS)
tests_capture_test_ring_LDADD = libcapture.la $(UNIT_LDADD)
tests_capture_test_eventformat_SOURCES = tests/capture/test_eventformat.c
tests_capture_test_eventformat_CFLAGS = $(UNIT_CFLAGS)
tests_capture_test_eventformat_LDADD = libcapture.la $(UNIT_LDADD)
tests_capture_test_options_SOURCES = tests/capture/test_options.c
tests_capture_test_options_CFLAGS = $(UNIT_CFLAGS)
tests_capture_test_options_LDADD = libcapture.la libdecode.la libcommon.la libtrawl.la $(CRITERION_LIBS)
tests_capture_test_loss_SOURCES = tests/capture/test_loss.c
tests_capture_test_loss_CFLAGS = $(UNIT_CFLAGS)
tests_capture_test_loss_LDADD = libcapture.la $(UNIT_LDADD)
tests_capture_test_output_SOURCES = tests/capture/test_output.c tests/no_tmpfile.c tests/no_tmpfile.h
tests_capture_test_output_CFLAGS = $(UNIT_CFLAGS)
tests_capture_test_output_LDADD = libcapture.la $(UNIT_LDADD)
tests_capture_test_newfile_SOURCES = tests/capture/test_newfile.c tests/no_tmpfile.c tests/no_tmpfile.h
tests_capture_test_newfile_CFLAGS = $(UNIT_CFLAGS)
tests_capture_test_newfile_LDADD = libcapture.la $(UNIT_LDADD)
tests_capture_test_owner_SOURCES = tests/capture/test_owner.c
tests_capture_test_owner_CFLAGS = $(UNIT_CFLAGS)
tests_capture_test_owner_LDADD = libcapture.la $(UNIT_LDADD)
tests_capture_test_kin_SOURCES = tests/capture/test_kin.c
tests_capture_test_kin_CFLAGS = $(UNIT_CFLAGS)
tests_capture_test_kin_LDADD = libcapture.la $(UNIT_LDADD)
tests_capture_test_nearest_SOURCES = tests/capture/test_nearest.c
tests_capture_test_nearest_CFLAGS = $(UNIT_CFLAGS)
tests_capture_test_nearest_LDADD = libcapture.la $(UNIT_LDADD)
tests_capture_test_pending_SOURCES = tests/capture/test_pending.c tests/capture/got.h
tests_capture_test_pending_CFLAGS = $(UNIT_CFLAGS)
tests_capture_test_pending_LDADD = libcapture.la $(UNIT_LDADD)
tests_capture_test_first_SOURCES = tests/capture/test_first.c tests/capture/got.h
tests_capture_test_first_CFLAGS = $(UNIT_CFLAGS)
tests_capture_test_first_LDADD = libcapture.la $(UNIT_LDADD)
tests_capture_test_session_SOURCES = tests/capture/test_session.c
tests_capture_test_session_CFLAGS = $(UNIT_CFLAGS)
tests_capture_test_session_LDADD = libcapture.la libdecode.la libcommon.la libtrawl.la $(CRITERION_LIBS)
tests_capture_test_json_SOURCES = tests/capture/test_json.c
tests_capture_test_json_CFLAGS = $(UNIT_CFLAGS)
tests_capture_test_json_LDADD = libcapture.la $(UNIT_LDADD)
UNIT_USBMON = tests/capture/test_usbmon tests/capture/test_usbfilter tests/capture/test_usbsys \
	tests/capture/test_usbtext
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
tests_capture_test_usbtext_SOURCES = tests/capture/test_usbtext.c
tests_capture_test_usbtext_CFLAGS = $(UNIT_CFLAGS)
tests_capture_test_usbtext_LDADD = libcapture.la libdecode.la libcommon.la libtrawl.la $(CRITERION_LIBS)
tests_capture_test_usbsys_SOURCES = tests/capture/test_usbsys.c
tests_capture_test_usbsys_CFLAGS = $(UNIT_CFLAGS)
tests_capture_test_usbsys_LDADD = libcapture.la libdecode.la libcommon.la libtrawl.la $(CRITERION_LIBS)
endif

include tests/capture/probe.mk

# The program that the end-to-end tests trace.
if HAVE_SDT
check_PROGRAMS += tests/capture/target
tests_capture_target_SOURCES = tests/capture/target.c
tests_capture_target_CFLAGS = $(AM_CFLAGS) -g -O1
endif
