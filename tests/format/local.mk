# SPDX-License-Identifier: MIT
if HAVE_CRITERION
UNIT_FORMAT = tests/format/test_error tests/format/test_roundtrip
check_PROGRAMS += $(UNIT_FORMAT)
TESTS += $(UNIT_FORMAT)
tests_format_test_error_SOURCES = tests/format/test_error.c
tests_format_test_error_CFLAGS = $(UNIT_CFLAGS)
tests_format_test_error_LDADD = $(UNIT_LDADD)
tests_format_test_roundtrip_SOURCES = tests/format/test_roundtrip.c
tests_format_test_roundtrip_CFLAGS = $(UNIT_CFLAGS)
tests_format_test_roundtrip_LDADD = $(UNIT_LDADD)
endif
