# SPDX-License-Identifier: MIT
# libdecode: decoders, printers and exporters, for the programs and for live printing in trawl.
# Link it before libtrawl (libtrawl.la, in unit tests too: the two
# have functions of the same name inside).
noinst_LTLIBRARIES += libdecode.la
libdecode_la_SOURCES = \
	decode/decoder.h decode/decoders.c \
	decode/cell.h decode/cell.c \
	decode/choice.h decode/choice.c \
	decode/boot.h decode/boot.c \
	decode/cli.h decode/cli.c \
	decode/csv.h decode/csv.c \
	decode/glob.h decode/glob.c \
	decode/gzip.h decode/gzip.c \
	decode/jdoc.h decode/jdoc.c \
	decode/journal.h decode/journal.c \
	decode/jsonl.h decode/jsonl.c \
	decode/ctype.h decode/ctype.c \
	decode/layout.h decode/layout.c \
	decode/out.h decode/out.c \
	decode/outfile.h decode/outfile.c \
	decode/pcapng.h decode/pcapng.c \
	decode/reading.h decode/reading.c \
	decode/selection.h decode/selection.c \
	decode/site.h decode/site.c \
	decode/stream.h decode/stream.c \
	decode/summary.h decode/summary.c \
	decode/tally.h decode/tally.c \
	decode/task.h decode/task.c \
	decode/text.h decode/text.c \
	decode/tracefs.c \
	decode/watch.h decode/watch.c \
	decode/when.h decode/when.c \
	decode/where.h decode/where.c \
	decode/words.h decode/words.c
include decode/kernel.mk
# USB.
libdecode_la_SOURCES += \
	decode/bytes.h \
	decode/cdc.h decode/cdc.c \
	decode/descriptor.h decode/descriptor.c \
	decode/desctable.h decode/desctable.c \
	decode/ftdi.h decode/ftdi.c \
	decode/hidreport.h decode/hidreport.c \
	decode/hidusage.h decode/hidusage.c \
	decode/hub.h decode/hub.c \
	decode/msc.h decode/msc.c \
	decode/scsi.h decode/scsi.c \
	decode/setup.h decode/setup.c \
	decode/transfer.h decode/transfer.c \
	decode/tree.h decode/tree.c \
	decode/urb.h decode/urb.c \
	decode/usb.h decode/usb.c decode/usbshow.c decode/usbexport.c \
	decode/usbahead.h decode/usbahead.c \
	decode/usbdev.h decode/usbdev.c \
	decode/usberr.h decode/usberr.c \
	decode/usbmontext.h decode/usbmontext.c \
	decode/usbparts.c \
	decode/usbmonout.h decode/usbmonout.c \
	decode/pcap.h decode/pcap.c \
	decode/usbstat.h decode/usbstat.c
libdecode_la_CFLAGS = $(AM_CFLAGS) $(JSON_CFLAGS) $(ZLIB_CFLAGS) -O3
libdecode_la_LIBADD = $(JSON_LIBS) $(ZLIB_LIBS)

bin_PROGRAMS += trawl-decode trawl-export
trawl_decode_SOURCES = decode/trawl-decode.c
trawl_decode_CFLAGS = $(AM_CFLAGS) -O2
trawl_decode_LDADD = libedit.la libdecode.la libcommon.la libtrawl.la
trawl_export_SOURCES = decode/export.h decode/trawl-export.c
trawl_export_CFLAGS = $(AM_CFLAGS) -O2
trawl_export_LDADD = libedit.la libdecode.la libcommon.la libtrawl.la
