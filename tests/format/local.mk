# SPDX-License-Identifier: MIT
# What the container's tests share: made-up captures.
check_LTLIBRARIES += libsample.la
libsample_la_SOURCES = tests/format/sample.h tests/format/sample.c
libsample_la_LIBADD = libtrawl-test.la

if HAVE_CRITERION
UNIT_FORMAT = tests/format/test_error tests/format/test_roundtrip tests/format/test_damage
check_PROGRAMS += $(UNIT_FORMAT)
TESTS += $(UNIT_FORMAT)
tests_format_test_error_SOURCES = tests/format/test_error.c
tests_format_test_error_CFLAGS = $(UNIT_CFLAGS)
tests_format_test_error_LDADD = $(UNIT_LDADD)
tests_format_test_roundtrip_SOURCES = tests/format/test_roundtrip.c
tests_format_test_roundtrip_CFLAGS = $(UNIT_CFLAGS)
tests_format_test_roundtrip_LDADD = $(UNIT_LDADD)
tests_format_test_damage_SOURCES = tests/format/test_damage.c
tests_format_test_damage_CFLAGS = $(UNIT_CFLAGS)
tests_format_test_damage_LDADD = libsample.la $(UNIT_LDADD)
endif
