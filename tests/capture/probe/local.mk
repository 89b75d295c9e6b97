# SPDX-License-Identifier: MIT
# Probes: a program that shows what specs resolve to, and what checks it.
check_PROGRAMS += tests/capture/probe/show_probes
tests_capture_probe_show_probes_SOURCES = tests/capture/probe/show_probes.c
tests_capture_probe_show_probes_LDADD = libcapture.la libcommon.la libformat.la
EXTRA_DIST += tests/capture/probe/test_live.py tests/capture/probe/test_peers.py
if HAVE_SDT
TESTS += tests/capture/probe/test_live.py tests/capture/probe/test_peers.py
endif

if HAVE_CRITERION
UNIT_PROBE = tests/capture/cli/test_spec tests/capture/probe/test_operand tests/capture/probe/test_elf \
	tests/capture/probe/test_procmap \
	tests/capture/probe/test_insn tests/capture/probe/test_flow tests/capture/probe/test_prologue tests/capture/probe/test_rustv0 \
	tests/capture/probe/test_printed
if HAVE_SDT
UNIT_PROBE += tests/capture/probe/test_apart tests/capture/probe/test_usdt tests/capture/probe/test_probe tests/capture/probe/test_dwarf
endif
if HAVE_DEMANGLER
UNIT_PROBE += tests/capture/probe/test_cxx
endif
check_PROGRAMS += $(UNIT_PROBE)
TESTS += $(UNIT_PROBE)
tests_capture_cli_test_spec_SOURCES = tests/capture/cli/test_spec.c
tests_capture_cli_test_spec_CFLAGS = $(UNIT_CFLAGS)
tests_capture_cli_test_spec_LDADD = libcapture.la $(UNIT_LDADD)
tests_capture_probe_test_cxx_SOURCES = tests/capture/probe/test_cxx.c
tests_capture_probe_test_cxx_CFLAGS = $(UNIT_CFLAGS)
tests_capture_probe_test_cxx_LDADD = libcapture.la $(UNIT_LDADD)
tests_capture_probe_test_rustv0_SOURCES = tests/capture/probe/test_rustv0.c
tests_capture_probe_test_rustv0_CFLAGS = $(UNIT_CFLAGS)
tests_capture_probe_test_rustv0_LDADD = libcapture.la $(UNIT_LDADD)
tests_capture_probe_test_operand_SOURCES = tests/capture/probe/test_operand.c
tests_capture_probe_test_operand_CFLAGS = $(UNIT_CFLAGS)
tests_capture_probe_test_operand_LDADD = libcapture.la $(UNIT_LDADD)
tests_capture_probe_test_apart_SOURCES = tests/capture/probe/test_apart.c
tests_capture_probe_test_apart_CFLAGS = $(UNIT_CFLAGS)
tests_capture_probe_test_apart_LDADD = libcapture.la $(UNIT_LDADD)
tests_capture_probe_test_procmap_SOURCES = tests/capture/probe/test_procmap.c
tests_capture_probe_test_procmap_CFLAGS = $(UNIT_CFLAGS)
tests_capture_probe_test_procmap_LDADD = libcapture.la $(UNIT_LDADD)
tests_capture_probe_test_elf_SOURCES = tests/capture/probe/test_elf.c
tests_capture_probe_test_elf_CFLAGS = $(UNIT_CFLAGS)
tests_capture_probe_test_elf_LDADD = libcapture.la $(UNIT_LDADD)
tests_capture_probe_test_flow_SOURCES = tests/capture/probe/test_flow.c tests/capture/probe/self.h
tests_capture_probe_test_flow_CFLAGS = $(UNIT_CFLAGS)
tests_capture_probe_test_flow_LDADD = libcapture.la $(UNIT_LDADD)
tests_capture_probe_test_prologue_SOURCES = tests/capture/probe/test_prologue.c tests/capture/probe/self.h
tests_capture_probe_test_prologue_CFLAGS = $(UNIT_CFLAGS)
tests_capture_probe_test_prologue_LDADD = libcapture.la $(UNIT_LDADD)
tests_capture_probe_test_insn_SOURCES = tests/capture/probe/test_insn.c
tests_capture_probe_test_insn_CFLAGS = $(UNIT_CFLAGS)
tests_capture_probe_test_insn_LDADD = libcapture.la $(UNIT_LDADD)
tests_capture_probe_test_printed_SOURCES = tests/capture/probe/test_printed.c tests/capture/probe/showall.h
tests_capture_probe_test_printed_CFLAGS = $(UNIT_CFLAGS)
tests_capture_probe_test_printed_LDADD = libcapture.la $(UNIT_LDADD) $(ZSTD_LIBS) $(XXHASH_LIBS)
EXTRA_DIST += tests/printed/functions.zst tests/printed/notes.zst tests/printed/names.zst \
	tests/printed/reply.zst tests/printed/spec.zst tests/printed/objects-c.zst \
	tests/printed/objects-cxx.zst tests/printed/objects-rust.zst tests/printed/objects-go.zst \
	tests/printed/objects-strings.zst tests/printed/strings.cc \
	tests/printed/probe-specs tests/printed/probe-damaged tests/printed/probe-programs \
	tests/printed/probe-texts
tests_capture_probe_test_usdt_SOURCES = tests/capture/probe/test_usdt.c
tests_capture_probe_test_usdt_CFLAGS = $(UNIT_CFLAGS)
tests_capture_probe_test_usdt_LDADD = libcapture.la $(UNIT_LDADD)
tests_capture_probe_test_probe_SOURCES = tests/capture/probe/test_probe.c
tests_capture_probe_test_probe_CFLAGS = $(UNIT_CFLAGS)
tests_capture_probe_test_probe_LDADD = libcapture.la $(UNIT_LDADD)
tests_capture_probe_test_dwarf_SOURCES = tests/capture/probe/test_dwarf.c
tests_capture_probe_test_dwarf_CFLAGS = $(UNIT_CFLAGS)
tests_capture_probe_test_dwarf_LDADD = libcapture.la $(UNIT_LDADD)
endif
