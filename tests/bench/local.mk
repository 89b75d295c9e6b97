# SPDX-License-Identifier: MIT

check_PROGRAMS += tests/bench/usbmon
tests_bench_usbmon_SOURCES = tests/bench/usbmon.c tests/capture/monmodel.c tests/capture/monmodel.h
tests_bench_usbmon_CFLAGS = $(AM_CFLAGS) -O2
tests_bench_usbmon_LDADD = libcapture.la libtrawl-test.la
