/* SPDX-License-Identifier: MIT */
/* Closes the output of a command. */
#ifndef TRAWL_EDIT_OUTPUT_H
#define TRAWL_EDIT_OUTPUT_H

#include "decode/base/outfile.h"

/*
 * Closes the output of a command that ended with `ret` and *err. The file appears if the command
 * succeeded, or if it saved what it could of damaged data. An empty file does not appear: it is no
 * capture, and would replace one. Returns ret, or -1 with *err.
 */
int edit_output_close(struct outfile *output, int ret, struct trawl_error *err);

#endif
