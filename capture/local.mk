# SPDX-License-Identifier: MIT
# trawl: capture. A convenience library, so that unit tests see its internals.
noinst_LTLIBRARIES += libcapture.la
libcapture_la_SOURCES = \
	capture/json.c capture/json.h \
	capture/nearest.c capture/nearest.h \
	capture/options.h \
	capture/session.h \
	capture/source.h
libcapture_la_CFLAGS = $(AM_CFLAGS) -O2
