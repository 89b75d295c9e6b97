/* SPDX-License-Identifier: MIT */
/*
 * The list of probes. It owns the probes, the files that they are in, and the remarks. A zeroed
 * list is empty.
 */
#ifndef TRAWL_CAPTURE_PROBE_LIST_H
#define TRAWL_CAPTURE_PROBE_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "capture/probe/types.h"
#include "format/trawl.h"

/*
 * Adds a file to the list, or finds it if it is there already. Takes over fd. NULL with *err if fd
 * is no regular file.
 */
struct probe_file *probe_list_file(struct probe_list *list, int fd, const char *path, bool deleted,
				   struct trawl_error *err);

/* The file's name as the user wrote it, which may be that of a symbolic link. */
const char *probe_file_name(const struct probe_file *file);

/* Frees a probe that is in no list any more. Its file stays open. */
void probe_free(struct probe *p);

/* Frees the list's probes from the n-th on. Their files stay open. */
void probe_drop(struct probe_list *list, size_t n);

/* Adds a remark for the user about a whole spec. Takes over the text. */
void probe_remark(struct probe_list *list, char *text);

/* Frees the list's probes from the n-th on, and closes the files without probes. */
void probe_list_shrink(struct probe_list *list, size_t n);

void probe_list_free(struct probe_list *list);

#endif
