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

# Probes in programs: from what the user writes to what uprobe_events takes.
libcapture_la_SOURCES += \
	capture/alloc.h \
	capture/build.c capture/build.h \
	capture/dwarf.c capture/dwarf.h \
	capture/elf.c capture/elf.h capture/symbol.c \
	capture/fetch.c capture/fetch.h \
	capture/insn.c capture/insn.h \
	capture/operand.c capture/operand.h \
	capture/path.c capture/path.h \
	capture/place.c capture/place.h \
	capture/probe.c capture/probe.h capture/probe_json.c \
	capture/procmap.c capture/procmap.h \
	capture/spec.c capture/spec.h \
	capture/uprobe.c \
	capture/usdt.c capture/usdt.h capture/usdt_probe.c
libcapture_la_LIBADD = $(ELF_LIBS) $(DW_LIBS) $(ZYDIS_LIBS)
