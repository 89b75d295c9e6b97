/* SPDX-License-Identifier: MIT */
/* The programs that read files, as functions. */
#ifndef TESTS_FUZZ_PROGRAMS_H
#define TESTS_FUZZ_PROGRAMS_H

#include <stddef.h>
#include <stdint.h>

int decode_main(int argc, char **argv);
int export_main(int argc, char **argv);
int edit_main(int argc, char **argv);

/* Command lines that between them go through every printer and exporter. */
size_t programs_modes(void);

/*
 * Runs the mode-th of them over these bytes as a file, with what it prints thrown away; its status.
 * Aborts where the status is none of those that a program may have.
 */
int programs_run(size_t mode, const uint8_t *data, size_t size);

#endif
