/* SPDX-License-Identifier: MIT */
/* Closes the output of a command. */
#ifndef TRAWL_EDIT_OUTPUT_H
#define TRAWL_EDIT_OUTPUT_H

#include "decode/base/outfile.h"

/*
 * Closes the output of a command that returned `ret` and *err, by outfile_end(). Returns ret, or -1
 * with *err.
 */
int edit_output_close(struct outfile *output, int ret, struct trawl_error *err);

#endif
