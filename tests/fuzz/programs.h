/* SPDX-License-Identifier: MIT */
/* The reading programs, as functions. */
#ifndef TRAWL_TESTS_FUZZ_PROGRAMS_H
#define TRAWL_TESTS_FUZZ_PROGRAMS_H

#include <stddef.h>
#include <stdint.h>

int decode_main(int argc, char **argv);
int export_main(int argc, char **argv);
int edit_main(int argc, char **argv);
int replay_main(int argc, char **argv);

/* The number of command lines, which together use every printer and exporter. */
size_t programs_modes(void);

/*
 * Runs command line number `mode` with these bytes as a file and discards its output; returns its
 * status. Aborts if a program must not have this status.
 */
int programs_run(size_t mode, const uint8_t *data, size_t size);

#endif
