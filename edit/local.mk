# SPDX-License-Identifier: MIT
# trawl-edit: saved file to saved file.
bin_PROGRAMS += trawl-edit
EDIT_SOURCES = edit/edit.h edit/edit.c edit/input.h edit/input.c edit/output.h edit/output.c \
	edit/eachfile.h edit/eachfile.c edit/importcommand.c edit/verifycommand.c \
	edit/choose.h edit/choose.c edit/keep.h edit/keep.c edit/needs.h edit/needs.c \
	edit/tasknames.h edit/tasknames.c \
	edit/cut.h edit/cut.c edit/branchbatch.h edit/branchbatch.c edit/cutbranch.c edit/cutmeta.c edit/cuttime.c edit/cutwrite.c edit/cutmissing.c edit/cutfile.h edit/cutfile.c edit/cutcommand.c edit/whole.c \
	edit/merge.h edit/merge.c edit/mergecommand.c \
	edit/classes.h edit/classes.c edit/systemfiles.h edit/systemfiles.c edit/redact.h edit/redact.c edit/redactvalue.c edit/redactcount.c edit/redactmembers.h edit/redactmembers.c edit/redactmeta.c edit/redactargv.c edit/knownprograms.h edit/knownprograms.c edit/redactnumbers.c edit/redactsql.c edit/redactfilter.c edit/redactusb.h edit/redactusb.c edit/usbroles.h edit/usbroles.c edit/redactpacket.c edit/redactbranch.c edit/redactcheck.c \
	edit/redactcommand.c \
	edit/removed.h edit/removed.c edit/metatext.h edit/metatext.c edit/standin.h edit/standin.c edit/sha256.h edit/sha256.c
trawl_edit_SOURCES = edit/trawl-edit.c $(EDIT_SOURCES)
trawl_edit_CFLAGS = $(AM_CFLAGS) $(JSON_CFLAGS) $(MD_CFLAGS) -O2
trawl_edit_LDADD = libimport.la libdecode.la libcommon.la libformat.la $(MD_LIBS)

# trawl-report: a capture as a zip file for somebody else.
bin_PROGRAMS += trawl-report
trawl_report_SOURCES = edit/trawl-report.c edit/edit.h edit/edit.c edit/zip.h edit/zip.c \
	edit/report.h edit/report.c edit/reportjobs.h edit/reportjobs.c edit/reportpack.h \
	edit/reportpack.c edit/reportprogress.h edit/reportprogress.c edit/reportdescription.h \
	edit/reportdescription.c edit/reporttext.h edit/reporttext.c edit/recorder.h \
	edit/recorder.c edit/jobs.h edit/jobs.c \
	edit/sha256.h edit/sha256.c
trawl_report_CFLAGS = $(AM_CFLAGS) $(ARCHIVE_CFLAGS) $(MD_CFLAGS) -O2
trawl_report_LDADD = libdecode.la libcommon.la libformat.la $(ARCHIVE_LIBS) $(MD_LIBS)
