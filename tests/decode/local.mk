# SPDX-License-Identifier: MIT
# make-sample writes the captures that tests/cli/decode* and export* read.
check_PROGRAMS += tests/decode/make-sample
tests_decode_make_sample_SOURCES = tests/decode/make-sample.c $(SAMPLE)
tests_decode_make_sample_CFLAGS = $(AM_CFLAGS)
tests_decode_make_sample_LDADD = libformat.la
check_PROGRAMS += tests/decode/make-hostile
tests_decode_make_hostile_SOURCES = tests/decode/make-hostile.c
tests_decode_make_hostile_CFLAGS = $(AM_CFLAGS)
tests_decode_make_hostile_LDADD = libformat.la
check_PROGRAMS += tests/decode/taint
tests_decode_taint_SOURCES = tests/decode/taint.c
tests_decode_taint_CFLAGS = $(AM_CFLAGS) $(JSON_CFLAGS)
tests_decode_taint_LDADD = libformat.la $(JSON_LIBS)
# make-branches writes captures of branches that tests/cli/branchflow.py describes.
check_PROGRAMS += tests/decode/make-branches
tests_decode_make_branches_SOURCES = tests/decode/make-branches.c
tests_decode_make_branches_CFLAGS = $(AM_CFLAGS)
tests_decode_make_branches_LDADD = libcommon.la libformat.la
check_PROGRAMS += tests/decode/make-lines
tests_decode_make_lines_SOURCES = tests/decode/make-lines.c
tests_decode_make_lines_CFLAGS = $(AM_CFLAGS)
tests_decode_make_lines_LDADD = libformat.la
SAMPLE = tests/decode/sample.h tests/decode/sample.c

if HAVE_CRITERION
UNIT_DECODE = \
	tests/decode/base/test_align \
	tests/decode/base/test_fit \
	tests/decode/base/test_glob \
	tests/decode/branch/test_image \
	tests/decode/base/test_jdoc \
	tests/decode/base/test_eventlayout \
	tests/decode/base/test_output \
	tests/decode/export/test_protobuf \
	tests/decode/base/test_outfile \
	tests/decode/kernel/test_printfmt \
	tests/decode/kernel/test_printfield \
	tests/decode/query/test_selection \
	tests/decode/kernel/test_site \
	tests/decode/base/test_task \
	tests/decode/base/test_time \
	tests/decode/query/test_where tests/decode/query/test_listing
check_PROGRAMS += $(UNIT_DECODE)
TESTS += $(UNIT_DECODE)
DECODE_LDADD = libdecode.la libcommon.la libformat.la $(CRITERION_LIBS)
tests_decode_branch_test_image_SOURCES = tests/decode/branch/test_image.c tests/decode/capture.h
tests_decode_branch_test_image_CFLAGS = $(UNIT_CFLAGS)
tests_decode_branch_test_image_LDADD = $(DECODE_LDADD)
tests_decode_base_test_align_SOURCES = tests/decode/base/test_align.c
tests_decode_base_test_align_CFLAGS = $(UNIT_CFLAGS)
tests_decode_base_test_align_LDADD = $(DECODE_LDADD)
tests_decode_base_test_fit_SOURCES = tests/decode/base/test_fit.c
tests_decode_base_test_fit_CFLAGS = $(UNIT_CFLAGS)
tests_decode_base_test_fit_LDADD = $(DECODE_LDADD)
tests_decode_base_test_glob_SOURCES = tests/decode/base/test_glob.c
tests_decode_base_test_glob_CFLAGS = $(UNIT_CFLAGS)
tests_decode_base_test_glob_LDADD = $(DECODE_LDADD)
tests_decode_base_test_jdoc_SOURCES = tests/decode/base/test_jdoc.c
tests_decode_base_test_jdoc_CFLAGS = $(UNIT_CFLAGS)
tests_decode_base_test_jdoc_LDADD = $(DECODE_LDADD)
tests_decode_export_test_protobuf_SOURCES = tests/decode/export/test_protobuf.c
tests_decode_export_test_protobuf_CFLAGS = $(UNIT_CFLAGS)
tests_decode_export_test_protobuf_LDADD = $(DECODE_LDADD)
tests_decode_base_test_output_SOURCES = tests/decode/base/test_output.c
tests_decode_base_test_output_CFLAGS = $(UNIT_CFLAGS)
tests_decode_base_test_output_LDADD = $(DECODE_LDADD)
tests_decode_base_test_outfile_SOURCES = tests/decode/base/test_outfile.c tests/folder.h \
	tests/no_tmpfile.c tests/no_tmpfile.h
tests_decode_base_test_outfile_CFLAGS = $(UNIT_CFLAGS)
tests_decode_base_test_outfile_LDADD = $(DECODE_LDADD)
tests_decode_kernel_test_printfield_SOURCES = tests/decode/kernel/test_printfield.c
tests_decode_kernel_test_printfield_CFLAGS = $(UNIT_CFLAGS)
tests_decode_kernel_test_printfield_LDADD = $(DECODE_LDADD)
tests_decode_kernel_test_printfmt_SOURCES = tests/decode/kernel/test_printfmt.c
tests_decode_kernel_test_printfmt_CFLAGS = $(UNIT_CFLAGS)
tests_decode_kernel_test_printfmt_LDADD = $(DECODE_LDADD)
tests_decode_base_test_time_SOURCES = tests/decode/base/test_time.c
tests_decode_base_test_time_CFLAGS = $(UNIT_CFLAGS)
tests_decode_base_test_time_LDADD = $(DECODE_LDADD)
tests_decode_query_test_listing_SOURCES = tests/decode/query/test_listing.c
tests_decode_query_test_listing_CFLAGS = $(UNIT_CFLAGS)
tests_decode_query_test_listing_LDADD = $(DECODE_LDADD)
tests_decode_query_test_where_SOURCES = tests/decode/query/test_where.c
tests_decode_query_test_where_CFLAGS = $(UNIT_CFLAGS)
tests_decode_query_test_where_LDADD = $(DECODE_LDADD)
tests_decode_base_test_eventlayout_SOURCES = tests/decode/base/test_eventlayout.c
tests_decode_base_test_eventlayout_CFLAGS = $(UNIT_CFLAGS)
tests_decode_base_test_eventlayout_LDADD = $(DECODE_LDADD)
tests_decode_query_test_selection_SOURCES = tests/decode/query/test_selection.c
tests_decode_query_test_selection_CFLAGS = $(UNIT_CFLAGS)
tests_decode_query_test_selection_LDADD = $(DECODE_LDADD)
tests_decode_kernel_test_site_SOURCES = tests/decode/kernel/test_site.c tests/decode/capture.h
tests_decode_kernel_test_site_CFLAGS = $(UNIT_CFLAGS)
tests_decode_kernel_test_site_LDADD = $(DECODE_LDADD)
tests_decode_base_test_task_SOURCES = tests/decode/base/test_task.c tests/decode/capture.h
tests_decode_base_test_task_CFLAGS = $(UNIT_CFLAGS)
tests_decode_base_test_task_LDADD = $(DECODE_LDADD)
endif

# How many print formats of a kernel are understood: for tests/cli/kernel.py and the lab.
check_PROGRAMS += tests/decode/formats
tests_decode_formats_SOURCES = tests/decode/formats.c
tests_decode_formats_CFLAGS = $(AM_CFLAGS)
tests_decode_formats_LDADD = libcapture.la libdecode.la libcommon.la libformat.la
