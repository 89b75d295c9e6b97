# SPDX-License-Identifier: MIT
# What capture/ and the programs that read share. Link it behind libcapture.la, libedit.la and
# libdecode.la, in front of libtrawl.la.
noinst_LTLIBRARIES += libcommon.la
libcommon_la_SOURCES = \
	common/json.h common/json.c \
	common/nameless.h common/nameless.c \
	common/nearest.h common/nearest.c \
	common/once.h common/once.c \
	common/usbtypes.h common/usbtypes.c
libcommon_la_CFLAGS = $(AM_CFLAGS) -O2
