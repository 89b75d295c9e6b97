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
	char *path;   /* as in /proc/PID/maps, without " (deleted)" */
	bool deleted; /* the path no longer leads to the file: deleted, or a memfd */
};

/*
 * Opens every file that process pid has mapped executable, each once, including deleted files and
 * memfds. *files is to be freed with procmap_free(). Files that cannot be opened are skipped and
 * counted in *missed. Returns 0, or -1 with *err if there is no such process or its mappings cannot
 * be read.
 */
int procmap_open(pid_t pid, struct mapped_file **files, size_t *n, size_t *missed,
		 struct trawl_error *err);
/* Closes the descriptors that are >= 0 and frees the array. */
void procmap_free(struct mapped_file *files, size_t n);

#endif
