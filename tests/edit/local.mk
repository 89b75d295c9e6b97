# SPDX-License-Identifier: MIT
# make-secrets writes the capture that tests/cli/redact.py and report.py redact.
check_PROGRAMS += tests/edit/make-secrets
tests_edit_make_secrets_SOURCES = tests/edit/make-secrets.c
tests_edit_make_secrets_CFLAGS = $(AM_CFLAGS)
tests_edit_make_secrets_LDADD = libcommon.la libformat.la

check_PROGRAMS += tests/edit/test_removed
tests_edit_test_removed_SOURCES = tests/edit/test_removed.c edit/removed.h edit/removed.c edit/standin.h edit/standin.c
tests_edit_test_removed_CFLAGS = $(UNIT_CFLAGS)
tests_edit_test_removed_LDADD = $(UNIT_LDADD)
TESTS += tests/edit/test_removed

check_PROGRAMS += tests/edit/test_knownprograms
tests_edit_test_knownprograms_SOURCES = tests/edit/test_knownprograms.c edit/knownprograms.h edit/knownprograms.c
tests_edit_test_knownprograms_CFLAGS = $(UNIT_CFLAGS)
tests_edit_test_knownprograms_LDADD = $(UNIT_LDADD)
TESTS += tests/edit/test_knownprograms

check_PROGRAMS += tests/edit/test_sql
tests_edit_test_sql_SOURCES = tests/edit/test_sql.c edit/redact.h edit/redactsql.c
tests_edit_test_sql_CFLAGS = $(UNIT_CFLAGS)
tests_edit_test_sql_LDADD = $(UNIT_LDADD)
TESTS += tests/edit/test_sql

check_PROGRAMS += tests/edit/test_filter
tests_edit_test_filter_SOURCES = tests/edit/test_filter.c edit/redact.h edit/redactfilter.c
tests_edit_test_filter_CFLAGS = $(UNIT_CFLAGS)
tests_edit_test_filter_LDADD = $(UNIT_LDADD)
TESTS += tests/edit/test_filter
