# SPDX-License-Identifier: MIT
# What capture/ and the programs that read share. Part of libcapture and of libdecode.
noinst_LTLIBRARIES += libcommon.la
libcommon_la_SOURCES = \
	common/json.h common/json.c \
	common/nameless.h common/nameless.c \
	common/once.h common/once.c \
	common/usbtypes.h common/usbtypes.c
libcommon_la_CFLAGS = $(AM_CFLAGS) -O2
