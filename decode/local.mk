# SPDX-License-Identifier: MIT
# libdecode: decoders, printers and exporters, for the programs and for live printing in trawl.
# Link it before libformat.la.
noinst_LTLIBRARIES += libdecode.la
libdecode_la_SOURCES = \
	decode/base/decoder.h decode/base/namefn.h decode/decoders.c \
	decode/base/printcache.h decode/base/printcache.c \
	decode/export/choice.h decode/export/choice.c \
	decode/base/boot.h decode/base/boot.c \
	decode/base/cli.h decode/base/cli.c \
	decode/export/csv.h decode/export/csv.c \
	decode/base/glob.h decode/base/glob.c \
	decode/export/gzip.h decode/export/gzip.c \
	decode/export/html.h decode/export/html.c \
	decode/export/intern.h decode/export/intern.c \
	decode/export/pageabout.h decode/export/pageabout.c \
	decode/export/pageparts.h decode/export/pageparts.c \
	decode/export/shapes.h decode/export/shapes.c \
	decode/base/jdoc.h decode/base/jdoc.c \
	decode/export/journal.h decode/export/journal.c \
	decode/export/contents.h decode/export/contents.c \
	decode/export/jsonl.h decode/export/jsonl.c \
	decode/base/ctype.h decode/base/ctype.c \
	decode/base/eventlayout.h decode/base/eventlayout.c \
	decode/base/output.h decode/base/output.c decode/base/fit.h decode/base/fit.c \
	decode/base/errnoname.h decode/base/errnoname.c \
	decode/base/number.h decode/base/number.c decode/base/escape.h decode/base/escape.c \
	decode/base/outfile.h decode/base/outfile.c \
	decode/export/pcapng.h decode/export/pcapng.c \
	decode/query/listing.h decode/query/listing.c \
	decode/query/reading.h decode/query/reading.c \
	decode/query/selection.h decode/query/selection.c \
	decode/kernel/enumnames.h decode/kernel/enumnames.c \
	decode/kernel/site.h decode/kernel/site.c \
	decode/query/consumer.h decode/query/state.h \
	decode/query/stream.h decode/query/stream.c decode/query/engine.c decode/query/check.c \
	decode/query/unseen.h decode/query/unseen.c \
	decode/export/killed.h decode/export/killed.c decode/export/sleeps.h decode/export/sleeps.c \
	decode/export/summary.h decode/export/summary.c \
	decode/base/tally.h decode/base/tally.c \
	decode/base/task.h decode/base/task.c \
	decode/export/print_text.h decode/export/print_text.c \
	decode/kernel/pattern.h decode/kernel/pattern.c \
	decode/kernel/tracefsvalue.h decode/kernel/tracefsvalue.c decode/kernel/tracefs.c \
	decode/query/watch.h decode/query/watch.c \
	decode/base/time.h decode/base/time.c \
	decode/query/where.h decode/query/wherematch.c \
	decode/query/wherenode.h decode/query/whereparse.c decode/query/wherecheck.c \
	decode/query/enumvalues.h decode/query/enumvalues.c
include decode/kernel.mk
# USB.
libdecode_la_SOURCES += \
	decode/base/bytes.h decode/base/align.h decode/base/align.c \
	decode/usb/chapter9.h decode/usb/detail.h \
	decode/usb/buspacket.c \
	decode/usb/busstatistics.h decode/usb/busstatistics.c \
	decode/usb/cdc.h decode/usb/cdc.c \
	decode/usb/descriptor.h decode/usb/descriptor.c \
	decode/usb/desctable.h decode/usb/desctable.c \
	decode/usb/descbits.h decode/usb/descbits.c \
	decode/usb/ftdi.h decode/usb/ftdi.c \
	decode/usb/hiddescriptor.h decode/usb/hiddescriptor.c decode/usb/hidreport.h decode/usb/hidreport.c \
	decode/usb/hidusage.h decode/usb/hidusage.c \
	decode/usb/hub.h decode/usb/hub.c \
	decode/usb/msc.h decode/usb/msc.c \
	decode/usb/scsiopcode.h decode/usb/scsi.h decode/usb/scsi.c decode/usb/bitlayout.h decode/usb/bitlayout.c \
	decode/usb/scsisense.h decode/usb/scsisense.c decode/usb/scsiinquiry.h decode/usb/scsiinquiry.c decode/usb/scsimode.h decode/usb/scsimode.c \
	decode/usb/scsimmc.h decode/usb/scsimmc.c \
	decode/usb/digitech.h decode/usb/digitech.c decode/usb/buscrc.h \
	decode/usb/control.h decode/usb/control.c \
	decode/usb/transfer.h decode/usb/transfer.c decode/usb/duplicate.h decode/usb/duplicate.c \
	decode/usb/usbpcap.h decode/usb/usbpcap.c decode/usb/usbpcapshow.c \
	decode/usb/darwin.h decode/usb/darwin.c decode/usb/darwinshow.c \
	decode/base/valuetree.h decode/base/valuetree.c \
	decode/usb/urb.h decode/usb/urb.c \
	decode/usb/usb.h decode/usb/usb.c decode/usb/show.c decode/usb/fields.c decode/usb/packets.c \
	decode/usb/audio.c \
	decode/usb/att.c decode/usb/btprotocol.h decode/usb/btprotocol.c decode/usb/btuuid.c \
	decode/usb/l2cap.h decode/usb/l2cap.c decode/usb/l2capsignal.c \
	decode/usb/obex.h decode/usb/obex.c decode/usb/rfcomm.c decode/usb/sdp.c decode/usb/smp.c \
	decode/usb/bluetooth.c decode/usb/hci.h decode/usb/hci.c decode/usb/hcibits.h decode/usb/hcibits.c decode/usb/bytelayout.h decode/usb/bytelayout.c decode/usb/ptpdata.h decode/usb/ptpdata.c decode/usb/entity.h decode/usb/entity.c decode/usb/uvccontrol.h decode/usb/uvccontrol.c \
	decode/usb/ccid.c \
	decode/usb/codename.h \
	decode/usb/dfu.c \
	decode/usb/midi.c \
	decode/usb/mbimfield.h decode/usb/mbimfield.c decode/usb/mbimnames.h \
	decode/usb/mbimservice.h decode/usb/mbimservice.c \
	decode/usb/netmessage.h decode/usb/netmessage.c \
	decode/usb/network.c \
	decode/usb/requestguess.h decode/usb/requestguess.c \
	decode/usb/printer.c decode/usb/ipp.h decode/usb/ipp.c \
	decode/usb/ptp.c \
	decode/usb/video.c \
	decode/usb/vision.c decode/usb/visionregister.h decode/usb/visionregister.c \
	decode/usb/zeroed.h decode/usb/zeroed.c \
	decode/usb/wellknown.h decode/usb/wellknown.c \
	decode/usb/bytefield.h decode/usb/bytefield.c \
	decode/usb/checksum.h decode/usb/checksum.c \
	decode/usb/conversation.h decode/usb/conversation.c decode/usb/pipe.h decode/usb/pipe.c \
	decode/usb/protocol.h decode/usb/protocol.c decode/usb/protocolecho.c decode/usb/protocolshow.c \
	decode/usb/protocoltypes.c \
	decode/usb/class.h decode/usb/classes.c \
	decode/usb/colorimeter.c \
	decode/usb/mpsse.c \
	decode/usb/hidclass.c \
	decode/usb/reportowner.c \
	decode/usb/hidunit.h decode/usb/hidunit.c \
	decode/usb/hubclass.c \
	decode/usb/keystrokes.h decode/usb/keystrokes.c \
	decode/usb/payload.h decode/usb/payload.c \
	decode/usb/serialclass.c \
	decode/usb/storageclass.c \
	decode/usb/ahead.h decode/usb/ahead.c \
	decode/usb/device.h decode/usb/device.c \
	decode/usb/status.h decode/usb/status.c \
	decode/usb/usbmontext.h decode/usb/usbmontext.c \
	decode/usb/parts.c \
	decode/usb/echofield.h decode/usb/echofield.c \
	decode/usb/transferdiff.h decode/usb/transferdiff.c decode/usb/transferdiffstate.h decode/usb/transferdiffshow.h decode/usb/transferdiffshow.c \
	decode/export/usbmonout.h decode/export/usbmonout.c \
	decode/export/umockdev.h decode/export/umockdev.c \
	decode/export/pcap.h decode/export/pcap.c \
	decode/usb/replayable.h decode/usb/replayable.c \
	decode/usb/statistics.h decode/usb/statistics.c
# Branches.
libdecode_la_SOURCES += \
	decode/branch/batch.h decode/branch/branch.h decode/branch/branch.c \
	decode/branch/held.h decode/branch/held.c \
	decode/branch/image.h decode/branch/image.c \
	decode/branch/callstack.h decode/branch/callstack.c \
	decode/flow/paths.h decode/flow/paths.c \
	decode/flow/export.h decode/flow/drcov.c decode/flow/lcov.c \
	decode/flow/folded.c decode/flow/brstack.c \
	decode/flow/calltree.h decode/flow/calltree.c decode/flow/callnode.h decode/flow/callshow.h decode/flow/callshow.c \
	decode/flow/counts.h decode/flow/counts.c \
	decode/flow/countsview.h decode/flow/countsview.c \
	decode/flow/flow.h decode/flow/flow.c
libdecode_la_CFLAGS = $(AM_CFLAGS) $(JSON_CFLAGS) $(ZLIB_CFLAGS) -O3
libdecode_la_LIBADD = $(JSON_LIBS) $(ZLIB_LIBS) -lm

bin_PROGRAMS += trawl-decode trawl-export
trawl_decode_SOURCES = decode/trawl-decode.c decode/protocols.h decode/protocols.c \
	decode/diff.h decode/diff.c decode/usbdiff.h decode/usbdiff.c \
	decode/branchdiff.h decode/branchdiff.c
trawl_decode_CFLAGS = $(AM_CFLAGS) -O2
trawl_decode_LDADD = libimport.la libdecode.la libcommon.la libformat.la
trawl_export_SOURCES = decode/export/export.h decode/trawl-export.c
trawl_export_CFLAGS = $(AM_CFLAGS) -O2
trawl_export_LDADD = libimport.la libdecode.la libcommon.la libformat.la

# The page of --to html: its document, style and program as texts of C, and the hashes of the last two.
# The program is one script of several files, in this order, without their comments but the first
# lines and without indentation: every page and report has it.
PAGE = decode/export/page/page.html decode/export/page/page.css decode/export/page/page.js
PAGE_JS = decode/export/page/begin.js decode/export/page/data.js decode/export/page/format.js \
	decode/export/page/lanes.js decode/export/page/timeline.js decode/export/page/table.js \
	decode/export/page/event.js decode/export/page/counts.js decode/export/page/search.js \
	decode/export/page/input.js
EXTRA_DIST += decode/export/page/page.html decode/export/page/page.css $(PAGE_JS)
PAGE_TEXT = $(MKDIR_P) $(@D) && sed 's/[\\"]/\\&/g; s/.*/"&\\n"/' "$$page" >$@.tmp && mv $@.tmp $@
PAGE_SUM = $(MKDIR_P) $(@D) && \
	sum=$$(env printf "$$(sha256sum "$$page" | cut -c1-64 | sed 's/../\\x&/g')" | base64) && \
	echo "\"sha256-$$sum\"" >$@
PAGE_INC = $(PAGE:=.inc) decode/export/page/page.css.sum.inc decode/export/page/page.js.sum.inc
decode/export/page/page.html.inc: decode/export/page/page.html
	@page='$(srcdir)/decode/export/page/page.html'; $(PAGE_TEXT)
decode/export/page/page.css.inc: decode/export/page/page.css
	@page='$(srcdir)/decode/export/page/page.css'; $(PAGE_TEXT)
decode/export/page/page.js: $(PAGE_JS)
	@$(MKDIR_P) $(@D) && for part in $(PAGE_JS); do cat "$(srcdir)/$$part" || exit; done | \
		sed '1,3b; /^\t*\/\//d; s/^\t*//' >$@.tmp && mv $@.tmp $@
decode/export/page/page.js.inc: decode/export/page/page.js
	@page=decode/export/page/page.js; $(PAGE_TEXT)
decode/export/page/page.css.sum.inc: decode/export/page/page.css
	@page='$(srcdir)/decode/export/page/page.css'; $(PAGE_SUM)
decode/export/page/page.js.sum.inc: decode/export/page/page.js
	@page=decode/export/page/page.js; $(PAGE_SUM)
BUILT_SOURCES += $(PAGE_INC)
$(libdecode_la_OBJECTS): $(PAGE_INC)
CLEANFILES += $(PAGE_INC) decode/export/page/page.js

# The import of foreign files, for all programs that read. Link libimport.la before libdecode.la and
# libformat.la.
noinst_LTLIBRARIES += libimport.la
libimport_la_SOURCES = \
	decode/import/foreign.h decode/import/foreign.c \
	decode/import/unpack.h decode/import/unpack.c \
	decode/import/halves.h decode/import/halves.c \
	decode/import/pcapfile.c decode/import/pcapngfile.c \
	decode/import/snapshot.h decode/import/snapshot.c \
	decode/import/usbimport.h decode/import/usbimport.c \
	decode/import/usbmonfile.c \
	decode/import/usbpcap.c
libimport_la_CFLAGS = $(AM_CFLAGS) $(PCAP_CFLAGS) $(ARCHIVE_CFLAGS) -O2
libimport_la_LIBADD = $(PCAP_LIBS) $(ARCHIVE_LIBS)
