# SPDX-License-Identifier: MIT
# What the container's tests share: made-up captures.
check_LTLIBRARIES += libsample.la
libsample_la_SOURCES = tests/format/sample.h tests/format/sample.c \
	tests/format/sample_codings.h tests/format/sample_codings.c tests/format/sample_version1.c \
	tests/format/sample_marks.c \
	tests/format/batches.h tests/format/batches.c
libsample_la_LIBADD = libcommon.la libformat.la $(ZSTD_LIBS)

# golden FOLDER writes the golden files; dump prints a file as tests/reader.py does.
check_PROGRAMS += tests/format/golden tests/format/dump
tests_format_golden_SOURCES = tests/format/golden.c
tests_format_golden_LDADD = libsample.la libformat.la
tests_format_dump_SOURCES = tests/format/dump.c
tests_format_dump_LDADD = libformat.la

TESTS += tests/format/appendix.py tests/format/displaced.py tests/format/golden.sh tests/format/names.sh tests/format/wireshark.sh
EXTRA_DIST += tests/format/appendix.py tests/format/displaced.py tests/format/golden.sh tests/format/names.sh tests/format/wireshark.sh tests/reader.py \
	tests/reader_chunk.py tests/golden

if HAVE_CRITERION
UNIT_FORMAT = tests/format/test_error \
	tests/format/test_roundtrip \
	tests/format/test_damage \
	tests/format/test_printed \
	tests/format/test_encoded \
	tests/format/test_rules \
	tests/format/test_small \
	tests/format/test_order \
	tests/format/test_property \
	tests/format/test_column \
	tests/format/test_parts \
	tests/format/test_chunk \
	tests/format/test_level \
	tests/format/test_writer \
	tests/format/test_block \
	tests/format/test_body \
	tests/format/test_walk \
	tests/format/test_ring \
	tests/format/test_sink \
	tests/format/test_writeback \
	tests/format/test_description \
	tests/format/test_segment \
	tests/format/test_clock
check_PROGRAMS += $(UNIT_FORMAT)
TESTS += $(UNIT_FORMAT)
tests_format_test_error_SOURCES = tests/format/test_error.c
tests_format_test_error_CFLAGS = $(UNIT_CFLAGS)
tests_format_test_error_LDADD = libsample.la $(UNIT_LDADD)
tests_format_test_roundtrip_SOURCES = tests/format/test_roundtrip.c
tests_format_test_roundtrip_CFLAGS = $(UNIT_CFLAGS)
tests_format_test_roundtrip_LDADD = libsample.la $(UNIT_LDADD)
tests_format_test_order_SOURCES = tests/format/test_order.c
tests_format_test_order_CFLAGS = $(UNIT_CFLAGS)
tests_format_test_order_LDADD = libsample.la $(UNIT_LDADD)
tests_format_test_small_SOURCES = tests/format/test_small.c
tests_format_test_small_CFLAGS = $(UNIT_CFLAGS)
tests_format_test_small_LDADD = libsample.la $(UNIT_LDADD)
tests_format_test_rules_SOURCES = tests/format/test_rules.c
tests_format_test_rules_CFLAGS = $(UNIT_CFLAGS)
tests_format_test_rules_LDADD = libsample.la $(UNIT_LDADD)
tests_format_test_damage_SOURCES = tests/format/test_damage.c
tests_format_test_damage_CFLAGS = $(UNIT_CFLAGS)
tests_format_test_damage_LDADD = libsample.la $(UNIT_LDADD)
tests_format_test_printed_SOURCES = tests/format/test_printed.c
tests_format_test_printed_CFLAGS = $(UNIT_CFLAGS)
tests_format_test_printed_LDADD = libsample.la $(UNIT_LDADD) $(XXHASH_LIBS)
tests_format_test_encoded_SOURCES = tests/format/test_encoded.c
tests_format_test_encoded_CFLAGS = $(UNIT_CFLAGS)
tests_format_test_encoded_LDADD = libsample.la $(UNIT_LDADD) $(ZSTD_LIBS) $(XXHASH_LIBS)
tests_format_test_property_SOURCES = tests/format/test_property.c
tests_format_test_property_CFLAGS = $(UNIT_CFLAGS)
tests_format_test_property_LDADD = libsample.la $(UNIT_LDADD)
tests_format_test_column_SOURCES = tests/format/test_column.c
tests_format_test_column_CFLAGS = $(UNIT_CFLAGS)
tests_format_test_column_LDADD = $(UNIT_LDADD) $(ZSTD_LIBS)
tests_format_test_parts_SOURCES = tests/format/test_parts.c
tests_format_test_parts_CFLAGS = $(UNIT_CFLAGS)
tests_format_test_parts_LDADD = $(UNIT_LDADD)
tests_format_test_chunk_SOURCES = tests/format/test_chunk.c
tests_format_test_chunk_CFLAGS = $(UNIT_CFLAGS)
tests_format_test_chunk_LDADD = libsample.la $(UNIT_LDADD)
tests_format_test_level_SOURCES = tests/format/test_level.c
tests_format_test_level_CFLAGS = $(UNIT_CFLAGS)
tests_format_test_level_LDADD = $(UNIT_LDADD) $(ZSTD_LIBS)
tests_format_test_clock_SOURCES = tests/format/test_clock.c
tests_format_test_clock_CFLAGS = $(UNIT_CFLAGS)
tests_format_test_clock_LDADD = $(UNIT_LDADD)
tests_format_test_writer_SOURCES = tests/format/blobs.h tests/format/test_writer.c
tests_format_test_writer_CFLAGS = $(UNIT_CFLAGS)
tests_format_test_writer_LDADD = libsample.la $(UNIT_LDADD)
tests_format_test_description_SOURCES = tests/format/blobs.h tests/format/test_description.c
tests_format_test_description_CFLAGS = $(UNIT_CFLAGS)
tests_format_test_description_LDADD = $(UNIT_LDADD)
tests_format_test_sink_SOURCES = tests/format/test_sink.c
tests_format_test_sink_CFLAGS = $(UNIT_CFLAGS)
tests_format_test_sink_LDADD = $(UNIT_LDADD)
tests_format_test_writeback_SOURCES = tests/format/test_writeback.c
tests_format_test_writeback_CFLAGS = $(UNIT_CFLAGS)
tests_format_test_writeback_LDADD = $(UNIT_LDADD)
tests_format_test_ring_SOURCES = tests/format/test_ring.c
tests_format_test_ring_CFLAGS = $(UNIT_CFLAGS)
tests_format_test_ring_LDADD = libsample.la $(UNIT_LDADD)
tests_format_test_segment_SOURCES = tests/format/test_segment.c
tests_format_test_segment_CFLAGS = $(UNIT_CFLAGS)
tests_format_test_segment_LDADD = libsample.la $(UNIT_LDADD)
tests_format_test_block_SOURCES = tests/format/test_block.c
tests_format_test_block_CFLAGS = $(UNIT_CFLAGS)
tests_format_test_block_LDADD = libsample.la $(UNIT_LDADD) $(ZSTD_LIBS)
tests_format_test_body_SOURCES = tests/format/test_body.c
tests_format_test_body_CFLAGS = $(UNIT_CFLAGS)
tests_format_test_body_LDADD = libsample.la $(UNIT_LDADD)
tests_format_test_walk_SOURCES = tests/format/test_walk.c
tests_format_test_walk_CFLAGS = $(UNIT_CFLAGS)
tests_format_test_walk_LDADD = libsample.la $(UNIT_LDADD)
endif
