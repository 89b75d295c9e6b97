# SPDX-License-Identifier: MIT
# trawl: capture. A convenience library, so that unit tests see its internals.
noinst_LTLIBRARIES += libcapture.la
libcapture_la_SOURCES = \
	capture/account.c capture/account.h \
	capture/command.c capture/command.h \
	capture/event.c capture/filter.h capture/filter.c \
	capture/eventformat.c capture/eventformat.h \
	capture/first.c capture/first.h \
	capture/flight.c capture/flight.h \
	capture/gc.c capture/gc.h \
	capture/inputs.c capture/inputs.h \
	capture/kin.c capture/kin.h \
	capture/list.c capture/list.h \
	capture/intact.c capture/intact.h \
	capture/loss.c capture/loss.h \
	capture/machine.c capture/machine.h \
	capture/news.c capture/news.h \
	capture/now.h \
	capture/newfile.c capture/newfile.h \
	capture/options.c capture/options.h \
	capture/output.c capture/output.h \
	capture/owner.c capture/owner.h \
	capture/pending.c capture/pending.h \
	capture/pidfilter.c capture/pidfilter.h \
	capture/priority.c capture/priority.h \
	capture/recording.c capture/recording.h \
	capture/ring.c capture/ring.h \
	capture/scope.c capture/scope.h \
	capture/session.c capture/session.h \
	capture/source.h capture/sources.c \
	capture/proc.c capture/proc.h \
	capture/task.c capture/task.h \
	capture/census.c capture/census.h \
	capture/trace.c capture/trace.h \
	capture/tracefs.c capture/tracefs.h \
	capture/userprobe.c \
	capture/user.c capture/user.h \
	capture/usb.c \
	capture/usbfilter.c capture/usbfilter.h \
	capture/usbhold.c capture/usbhold.h \
	capture/usbmon.c capture/usbmon.h capture/usbmon_ioctl.h \
	capture/usbnode.c capture/usbnode.h \
	capture/usbsys.c capture/usbsys.h \
	capture/usbtally.c capture/usbtally.h \
	capture/usbtext.c capture/usbtext.h
libcapture_la_CFLAGS = $(AM_CFLAGS) -O2 -DBINDIR='"$(bindir)"'

# Probes in programs: from what the user writes to what uprobe_events takes.
libcapture_la_SOURCES += \
	capture/alloc.h \
	capture/build.c capture/build.h \
	capture/cxx.c capture/cxx.h \
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
libcapture_la_LIBADD = $(ELF_LIBS) $(DW_LIBS) $(ZYDIS_LIBS) $(CXX_LIBS)

include capture/kernel.mk

bin_PROGRAMS += trawl
trawl_SOURCES = capture/main.c
trawl_CFLAGS = $(AM_CFLAGS) -O2
trawl_LDADD = libcapture.la libdecode.la libcommon.la libtrawl.la
