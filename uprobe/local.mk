# SPDX-License-Identifier: MIT
# libtrawl-uprobe: what programs use of trawl.ko's uprobe interface.
lib_LTLIBRARIES += libtrawl-uprobe.la
libtrawl_uprobe_la_SOURCES = uprobe/trawl-uprobe.h uprobe/uprobe.c uprobe/boundary.c uprobe/boundary.h uprobe/function.c uprobe/function.h \
	uprobe/mapping.c uprobe/mapping.h
libtrawl_uprobe_la_LIBADD = $(ZYDIS_LIBS)
libtrawl_uprobe_la_CFLAGS = $(AM_CFLAGS) -pthread
libtrawl_uprobe_la_LDFLAGS = -version-info 0:0:0 -export-symbols-regex '^uprobe_' -pthread
include_HEADERS += uprobe/trawl-uprobe.h kmod/trawl_uprobe.h
