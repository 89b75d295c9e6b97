/* SPDX-License-Identifier: MIT */
/* The files whose code a process has mapped. */
#ifndef TRAWL_CAPTURE_PROBE_PROCMAP_H
#define TRAWL_CAPTURE_PROBE_PROCMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "format/trawl.h"

struct mapped_file {
	int fd;
	char *path;   /* as the kernel shows it, without " (deleted)" */
	bool deleted; /* no name leads to it any more: deleted, or a memfd */
};

/*
 * Opens every file of which the process has an executable mapping, each once. Reaches deleted
 * files and memfds. *files is to be freed with procmap_free(). Fails if there is no such process
 * or it may not be looked into; files that cannot be opened are left out and counted in *missed.
 */
int procmap_open(pid_t pid, struct mapped_file **files, size_t *n, size_t *missed,
		 struct trawl_error *err);
void procmap_free(struct mapped_file *files, size_t n);

#endif
