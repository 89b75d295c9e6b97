/* SPDX-License-Identifier: MIT */
/* Metadata of the machine and of the capture itself. */
#ifndef TRAWL_CAPTURE_OUTPUT_MACHINE_H
#define TRAWL_CAPTURE_OUTPUT_MACHINE_H

#include "capture/cli/options.h"

/* Metadata "machine": kernel, CPUs, distribution, boot. */
int machine_write(struct trawl_writer *w, struct trawl_error *err);

/* Metadata "capture": the command line, who ran it, since when. */
int machine_write_capture(struct trawl_writer *w, const struct options *o, const char *user,
			  struct trawl_error *err);

#endif
