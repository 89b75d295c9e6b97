# SPDX-License-Identifier: MIT
# make-secrets writes the capture that tests/cli/redact.py and report.py redact.
check_PROGRAMS += tests/edit/make-secrets
tests_edit_make_secrets_SOURCES = tests/edit/make-secrets.c
tests_edit_make_secrets_CFLAGS = $(AM_CFLAGS)
tests_edit_make_secrets_LDADD = libcommon.la libtrawl.la
