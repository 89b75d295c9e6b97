# SPDX-License-Identifier: MIT
# One harness a parser: tests/fuzz/fuzz_NAME.c with LLVMFuzzerTestOneInput(), its inputs in
# tests/fuzz/corpus/NAME. driver.c gives it a main() that needs no libFuzzer; tests/run-unit runs
# it over its corpus and some mutations. To add one, add to FUZZERS and bind:
#	tests_fuzz_fuzz_NAME_SOURCES = tests/fuzz/fuzz_NAME.c tests/fuzz/driver.c
FUZZERS = tests/fuzz/fuzz_container
tests_fuzz_fuzz_container_SOURCES = tests/fuzz/fuzz_container.c tests/fuzz/driver.c \
	tests/fuzz/rightcheck.h
tests_fuzz_fuzz_container_LDADD = libformat.la
FUZZERS += tests/fuzz/fuzz_chunk
tests_fuzz_fuzz_chunk_SOURCES = tests/fuzz/fuzz_chunk.c tests/fuzz/driver.c
tests_fuzz_fuzz_chunk_LDADD = libsample.la libformat.la
FUZZERS += tests/fuzz/fuzz_small
tests_fuzz_fuzz_small_SOURCES = tests/fuzz/fuzz_small.c tests/fuzz/driver.c
tests_fuzz_fuzz_small_LDADD = libformat.la
check_PROGRAMS += tests/fuzz/chunk_seeds
tests_fuzz_chunk_seeds_SOURCES = tests/fuzz/chunk_seeds.c
tests_fuzz_chunk_seeds_LDADD = libsample.la libformat.la
regenerate-chunk-seeds: tests/fuzz/chunk_seeds
	tests/fuzz/chunk_seeds $(srcdir)/tests/fuzz/corpus/chunk
.PHONY: regenerate-chunk-seeds

# USB
FUZZERS += \
	tests/fuzz/fuzz_descriptor \
	tests/fuzz/fuzz_hidreport \
	tests/fuzz/fuzz_pcapimport \
	tests/fuzz/fuzz_usb \
	tests/fuzz/fuzz_usbmontext
tests_fuzz_fuzz_descriptor_SOURCES = tests/fuzz/fuzz_descriptor.c tests/fuzz/driver.c
tests_fuzz_fuzz_descriptor_LDADD = libdecode.la libcommon.la libformat.la
tests_fuzz_fuzz_hidreport_SOURCES = tests/fuzz/fuzz_hidreport.c tests/fuzz/driver.c
tests_fuzz_fuzz_hidreport_LDADD = libdecode.la libcommon.la libformat.la
tests_fuzz_fuzz_pcapimport_SOURCES = tests/fuzz/fuzz_pcapimport.c tests/fuzz/driver.c
tests_fuzz_fuzz_pcapimport_LDADD = libimport.la libdecode.la libcommon.la libformat.la
tests_fuzz_fuzz_usb_SOURCES = tests/fuzz/fuzz_usb.c tests/fuzz/driver.c
tests_fuzz_fuzz_usb_LDADD = libdecode.la libcommon.la libformat.la
tests_fuzz_fuzz_usbmontext_SOURCES = tests/fuzz/fuzz_usbmontext.c tests/fuzz/driver.c
tests_fuzz_fuzz_usbmontext_LDADD = libdecode.la libcommon.la libformat.la

# Branches
FUZZERS += tests/fuzz/fuzz_branch
tests_fuzz_fuzz_branch_SOURCES = tests/fuzz/fuzz_branch.c tests/fuzz/driver.c
tests_fuzz_fuzz_branch_LDADD = libcommon.la libformat.la

# Capture
FUZZERS += tests/fuzz/fuzz_eventformat tests/fuzz/fuzz_ringpage
tests_fuzz_fuzz_eventformat_SOURCES = tests/fuzz/fuzz_eventformat.c tests/fuzz/driver.c
tests_fuzz_fuzz_eventformat_LDADD = libcapture.la libcommon.la libformat.la
tests_fuzz_fuzz_ringpage_SOURCES = tests/fuzz/fuzz_ringpage.c tests/fuzz/driver.c
tests_fuzz_fuzz_ringpage_LDADD = libcapture.la libcommon.la libformat.la

# Probes
FUZZERS += tests/fuzz/fuzz_reply
tests_fuzz_fuzz_reply_SOURCES = tests/fuzz/fuzz_reply.c tests/fuzz/driver.c
tests_fuzz_fuzz_reply_LDADD = libcapture.la libcommon.la libformat.la
FUZZERS += tests/fuzz/fuzz_names
tests_fuzz_fuzz_names_SOURCES = tests/fuzz/fuzz_names.c tests/fuzz/driver.c
tests_fuzz_fuzz_names_LDADD = libcapture.la libcommon.la libformat.la
FUZZERS += tests/fuzz/fuzz_functions tests/fuzz/fuzz_notes tests/fuzz/fuzz_spec
tests_fuzz_fuzz_functions_SOURCES = tests/fuzz/fuzz_functions.c tests/fuzz/resolve.h tests/fuzz/driver.c
tests_fuzz_fuzz_functions_LDADD = libcapture.la libcommon.la libformat.la
tests_fuzz_fuzz_notes_SOURCES = tests/fuzz/fuzz_notes.c tests/fuzz/resolve.h tests/fuzz/driver.c
tests_fuzz_fuzz_notes_LDADD = libcapture.la libcommon.la libformat.la
tests_fuzz_fuzz_spec_SOURCES = tests/fuzz/fuzz_spec.c tests/fuzz/driver.c
tests_fuzz_fuzz_spec_LDADD = libcapture.la libcommon.la libformat.la

# The uprobe interface
FUZZERS += tests/fuzz/fuzz_boundary
tests_fuzz_fuzz_boundary_SOURCES = tests/fuzz/fuzz_boundary.c uprobe/boundary.c uprobe/boundary.h uprobe/function.c \
	uprobe/function.h tests/fuzz/driver.c
tests_fuzz_fuzz_boundary_LDADD = $(ZYDIS_LIBS)

# Decoding
FUZZERS += tests/fuzz/fuzz_layout tests/fuzz/fuzz_where
tests_fuzz_fuzz_layout_SOURCES = tests/fuzz/fuzz_layout.c tests/fuzz/driver.c
tests_fuzz_fuzz_layout_LDADD = libdecode.la libcommon.la libformat.la
tests_fuzz_fuzz_where_SOURCES = tests/fuzz/fuzz_where.c tests/fuzz/driver.c
tests_fuzz_fuzz_where_LDADD = libdecode.la libcommon.la libformat.la

# Print formats
FUZZERS += tests/fuzz/fuzz_printfmt
tests_fuzz_fuzz_printfmt_SOURCES = tests/fuzz/fuzz_printfmt.c tests/fuzz/driver.c
tests_fuzz_fuzz_printfmt_LDADD = libcapture.la libdecode.la libcommon.la libformat.la

# Replaying, and what a bug report is made of
FUZZERS += tests/fuzz/fuzz_gdb tests/fuzz/fuzz_report tests/fuzz/fuzz_tape tests/fuzz/fuzz_usbip tests/fuzz/fuzz_vm
tests_fuzz_fuzz_gdb_SOURCES = tests/fuzz/fuzz_gdb.c tests/fuzz/driver.c
tests_fuzz_fuzz_gdb_LDADD = libreplay.la libdecode.la libcommon.la libformat.la
tests_fuzz_fuzz_report_SOURCES = tests/fuzz/fuzz_report.c edit/reporttext.h edit/reporttext.c edit/zip.h edit/zip.c \
	tests/fuzz/driver.c
tests_fuzz_fuzz_report_CFLAGS = $(AM_CFLAGS) $(ARCHIVE_CFLAGS)
tests_fuzz_fuzz_report_LDADD = libcommon.la libformat.la $(ARCHIVE_LIBS)
tests_fuzz_fuzz_tape_SOURCES = tests/fuzz/fuzz_tape.c tests/fuzz/driver.c
tests_fuzz_fuzz_tape_CFLAGS = $(AM_CFLAGS) $(JSON_CFLAGS)
tests_fuzz_fuzz_tape_LDADD = libreplay.la libimport.la libdecode.la libcommon.la libformat.la
tests_fuzz_fuzz_usbip_SOURCES = tests/fuzz/fuzz_usbip.c tests/fuzz/driver.c
tests_fuzz_fuzz_usbip_LDADD = libreplay.la libcommon.la libformat.la
tests_fuzz_fuzz_vm_SOURCES = tests/fuzz/fuzz_vm.c tests/fuzz/driver.c
tests_fuzz_fuzz_vm_CFLAGS = $(AM_CFLAGS) $(JSON_CFLAGS)
tests_fuzz_fuzz_vm_LDADD = libreplay.la libimport.la libdecode.la libcommon.la libformat.la

# The programs as a whole
check_LTLIBRARIES += libprograms.la
libprograms_la_SOURCES = tests/fuzz/folder.h tests/fuzz/programs.h tests/fuzz/programs.c tests/fuzz/program_decode.c \
	tests/fuzz/program_export.c tests/fuzz/program_edit.c tests/fuzz/program_replay.c decode/protocols.h decode/protocols.c decode/diff.c decode/usbdiff.c decode/branchdiff.c \
	$(EDIT_SOURCES)
FUZZERS += tests/fuzz/fuzz_programs
tests_fuzz_fuzz_programs_SOURCES = tests/fuzz/fuzz_programs.c tests/fuzz/driver.c
tests_fuzz_fuzz_programs_LDADD = libprograms.la libreplay.la $(trawl_export_LDADD) libformat.la $(ZSTD_LIBS) $(XXHASH_LIBS) $(MD_LIBS)

if HAVE_CRITERION
check_PROGRAMS += tests/fuzz/test_programs
TESTS += tests/fuzz/test_programs
tests_fuzz_test_programs_SOURCES = tests/fuzz/test_programs.c
tests_fuzz_test_programs_CFLAGS = $(AM_CFLAGS) $(CRITERION_CFLAGS)
tests_fuzz_test_programs_LDADD = $(tests_fuzz_fuzz_programs_LDADD) $(CRITERION_LIBS)
endif

# Hours of processor time under libFuzzer, shared by all harnesses, in a folder configured with CC=clang --enable-fuzzing
# --enable-sanitizers. What they find goes to fuzz/ there, with a line of figures each.
fuzz-build: all
	$(MAKE) $(check_LTLIBRARIES)
	$(MAKE) $(FUZZERS) LDFLAGS='$(LDFLAGS) -fsanitize=fuzzer'
fuzz-long: fuzz-build
	$(srcdir)/tests/fuzz/long.sh '$(HOURS)' $(FUZZERS)
.PHONY: fuzz-build fuzz-long

EXTRA_DIST += tests/fuzz/long.sh tests/fuzz/corpus

check_PROGRAMS += $(FUZZERS)
TESTS += $(FUZZERS)
