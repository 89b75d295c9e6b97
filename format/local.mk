# SPDX-License-Identifier: MIT
# libtrawl: the container.
lib_LTLIBRARIES += libtrawl.la
libtrawl_la_SOURCES = format/trawl.h format/chunk.h format/error.c \
	format/bytes.h format/bytes.c format/block.h format/block.c format/pcapng.c \
	format/body.h format/body.c format/index.h format/index.c format/chunk.c \
	format/out.h format/out.c format/stage.h format/stage.c format/writer.c \
	format/clock.h format/clock.c format/input.h format/input.c format/walk.h format/walk.c \
	format/catalog.h format/catalog.c format/merge.h format/merge.c \
	format/reader.h format/reader.c format/locate.c
libtrawl_la_CFLAGS = $(AM_CFLAGS) -O2
libtrawl_la_LIBADD = $(ZSTD_LIBS) $(XXHASH_LIBS)
libtrawl_la_LDFLAGS = -version-info 0:0:0 -export-symbols-regex '^trawl_'
include_HEADERS += format/trawl.h
pkgconfig_DATA += format/libtrawl.pc
