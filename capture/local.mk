# SPDX-License-Identifier: MIT
# trawl: capture. A convenience library, so that unit tests see its internals.
noinst_LTLIBRARIES += libcapture.la
libcapture_la_SOURCES = \
	capture/json.c capture/json.h \
	capture/nearest.c capture/nearest.h \
	capture/options.h \
	capture/session.h \
	capture/source.h \
	capture/usb.c \
	capture/usbfilter.c capture/usbfilter.h \
	capture/usbhold.c capture/usbhold.h \
	capture/usbmon.c capture/usbmon.h capture/usbmon_ioctl.h \
	capture/usbnode.c capture/usbnode.h \
	capture/usbsys.c capture/usbsys.h \
	capture/usbtally.c capture/usbtally.h \
	capture/usbtypes.c capture/usbtypes.h
libcapture_la_CFLAGS = $(AM_CFLAGS) -O2
