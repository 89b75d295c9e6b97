# SPDX-License-Identifier: MIT
# What capture/ and the programs that read share. Link it after libcapture.la, libimport.la and
# libdecode.la, in front of libformat.la.
noinst_LTLIBRARIES += libcommon.la
libcommon_la_SOURCES = \
	common/array.h common/compare.h common/fnv.h common/hashset.h \
	common/hashtable.h common/interrupted.h common/numbersize.h common/search.h common/text.h common/json.h common/utf8.h common/json.c \
	common/destination.h common/destination.c \
	common/unnamed.h common/unnamed.c common/regular.h common/regular.c \
	common/reopen.h common/reopen.c common/printed.h common/printed.c \
	common/nearest.h common/nearest.c \
	common/caret.h common/caret.c \
	common/dupopt.h common/dupopt.c common/duration.h common/duration.c \
	common/otheropt.h common/otheropt.c common/recordoptions.h common/recordoptions.c \
	common/branch.h common/branch.c common/branchguess.h common/buildid.h \
	common/branchrecord.h common/branchrecord.c \
	common/branchencode.c common/branchdecode.c common/branchrewrite.h common/branchrewrite.c \
	common/landlock.h common/landlock.c \
	common/callrules.h common/callrules.c common/sanitizers.h \
	common/sandbox.h common/sandbox.c common/plain.h common/plain.c \
	common/mapsmark.h common/sources.h common/pcapng.h common/usbtypes.h common/usbtypes.c
libcommon_la_CFLAGS = $(AM_CFLAGS) $(SECCOMP_CFLAGS) -O2
libcommon_la_LIBADD = $(SECCOMP_LIBS)
