# SPDX-License-Identifier: MIT
# trawl-edit, and the import of foreign files, which trawl-decode and trawl-export use too. Link
# libedit.la before libdecode.la and libtrawl.la.
noinst_LTLIBRARIES += libedit.la
libedit_la_SOURCES = \
	edit/foreign.h edit/foreign.c \
	edit/pcapfile.c edit/pcapngfile.c \
	edit/snapshot.h edit/snapshot.c \
	edit/usbimport.h edit/usbimport.c \
	edit/usbmonfile.c \
	edit/usbpcap.c
libedit_la_CFLAGS = $(AM_CFLAGS) $(PCAP_CFLAGS) -O2
libedit_la_LIBADD = $(PCAP_LIBS)

bin_PROGRAMS += trawl-edit
trawl_edit_SOURCES = edit/trawl-edit.c
trawl_edit_CFLAGS = $(AM_CFLAGS) -O2
trawl_edit_LDADD = libedit.la libdecode.la libcommon.la libtrawl.la
