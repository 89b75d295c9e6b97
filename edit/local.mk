# SPDX-License-Identifier: MIT
# trawl-edit: saved file to saved file.
bin_PROGRAMS += trawl-edit
trawl_edit_SOURCES = edit/trawl-edit.c
trawl_edit_CFLAGS = $(AM_CFLAGS) -O2
trawl_edit_LDADD = libimport.la libdecode.la libcommon.la libtrawl.la
