# SPDX-License-Identifier: MIT
if HAVE_CRITERION
UNIT_DECODE = tests/decode/test_out tests/decode/test_printfmt
check_PROGRAMS += $(UNIT_DECODE)
TESTS += $(UNIT_DECODE)
DECODE_LDADD = libdecode.la libtrawl.la $(CRITERION_LIBS)
tests_decode_test_out_SOURCES = tests/decode/test_out.c
tests_decode_test_out_CFLAGS = $(UNIT_CFLAGS)
tests_decode_test_out_LDADD = $(DECODE_LDADD)
tests_decode_test_printfmt_SOURCES = tests/decode/test_printfmt.c
tests_decode_test_printfmt_CFLAGS = $(UNIT_CFLAGS)
tests_decode_test_printfmt_LDADD = $(DECODE_LDADD)
endif
