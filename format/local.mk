# SPDX-License-Identifier: MIT
# libformat: the container. Our programs and the unit tests are linked with it; libtrawl is the same
# for others, with the names of trawl.h only. So a program of ours runs from the build folder as it is,
# and what it starts has the environment that the user gave it, no script of libtool's in between.
noinst_LTLIBRARIES += libformat.la
libformat_la_SOURCES = format/trawl.h format/chunk.h format/error.c \
	format/bytes.h format/bytes.c format/block.h format/rule.h format/block.c format/pcapng.c \
	format/zdict.h format/zdict.c \
	format/body.h format/body.c format/index.h format/index.c \
	format/varint.h format/varint.c format/loops.h format/code.h format/code.c format/bucket.h format/bucket.c \
	format/layout.h format/layout.c format/table.h format/table.c \
	format/column.h format/column.c format/stringtable.h format/stringtable.c \
	format/substream.h format/substream.c format/grouping.h format/grouping.c \
	format/excerpt.h format/excerpt.c format/ticks.h format/ticks.c format/plan.h format/plan.c format/payload.h format/load.h format/load.c format/encode.c \
	format/arena.h \
	format/arena.c format/search.h format/memory.h format/memory.c format/decoded.h format/decoder.h format/decode.c format/decodecolumns.h format/decodecolumns.c format/cursor.c \
	format/thread.h format/thread.c format/sink.h format/sink.c format/writeback.h format/writeback.c format/level.h format/level.c \
	format/batcher.h format/batcher.c format/sectionwriter.h format/sectionwriter.c format/writequeue.h format/writequeue.c \
	format/writer.c format/metacache.h format/metacache.c format/ring.h format/ring.c \
	format/clock.h format/clock.c format/input.h format/input.c format/walk.h format/walk.c \
	format/small.h format/small.c format/makesmall.h format/makesmall.c format/known.h format/known.c format/catalog.h format/catalog.c format/merge.h format/merge.c \
	format/openfile.h format/openfile.c format/intake.h format/intake.c \
	format/reader.h format/reader.c format/locate.h format/locate.c \
	format/lanes.h format/lanes.c format/segment.h format/segment.c format/piece.c format/live.c
# Loops over columns.
libformat_la_CFLAGS = $(AM_CFLAGS) $(LOOP_CFLAGS)
libformat_la_LIBADD = $(ZSTD_LIBS) $(XXHASH_LIBS) -lm
lib_LTLIBRARIES += libtrawl.la
libtrawl_la_SOURCES =
libtrawl_la_LIBADD = libformat.la
libtrawl_la_LDFLAGS = -version-info 0:0:0 -export-symbols-regex '^trawl_'
include_HEADERS += format/trawl.h
pkgconfig_DATA += format/libtrawl.pc

format/zdict.inc: docs/zdict.txt
	$(AM_V_GEN)$(MKDIR_P) format && sed 's/.*/"&"/' $(srcdir)/docs/zdict.txt >$@.tmp && mv $@.tmp $@
format/zdict2.inc: docs/zdict2.txt
	$(AM_V_GEN)$(MKDIR_P) format && sed 's/.*/"&"/' $(srcdir)/docs/zdict2.txt >$@.tmp && mv $@.tmp $@
BUILT_SOURCES += format/zdict.inc format/zdict2.inc
$(libformat_la_OBJECTS): format/zdict.inc format/zdict2.inc
CLEANFILES += format/zdict.inc format/zdict2.inc
