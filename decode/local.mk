# SPDX-License-Identifier: MIT
# libdecode: decoders, printers and exporters, for the programs and for live printing in trawl.
# Link it before libtrawl (programs: libtrawl.la, unit tests: libtrawl-test.la).
noinst_LTLIBRARIES += libdecode.la
libdecode_la_SOURCES = \
	decode/decoder.h decode/decoders.c \
	decode/out.h decode/out.c
libdecode_la_CFLAGS = $(AM_CFLAGS) -O2
