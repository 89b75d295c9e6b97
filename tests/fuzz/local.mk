# SPDX-License-Identifier: MIT
# One harness a parser: tests/fuzz/fuzz_NAME.c with LLVMFuzzerTestOneInput(), its inputs in
# tests/fuzz/corpus/NAME. driver.c gives it a main() that needs no libFuzzer; tests/run-unit runs
# it over its corpus and some mutations. To add one, add to FUZZERS and bind:
#	tests_fuzz_fuzz_NAME_SOURCES = tests/fuzz/fuzz_NAME.c tests/fuzz/driver.c
FUZZERS = tests/fuzz/fuzz_container
tests_fuzz_fuzz_container_SOURCES = tests/fuzz/fuzz_container.c tests/fuzz/driver.c
tests_fuzz_fuzz_container_LDADD = libtrawl-test.la
EXTRA_DIST += tests/fuzz/corpus

check_PROGRAMS += $(FUZZERS)
TESTS += $(FUZZERS)
