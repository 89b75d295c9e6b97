/* SPDX-License-Identifier: MIT */
/* The list of probes owns them, the files that they are in, and remarks. It starts as all zero. */
#ifndef TRAWL_CAPTURE_PROBE_LIST_H
#define TRAWL_CAPTURE_PROBE_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "capture/probe/types.h"
#include "format/trawl.h"

/* Takes fd over. A file that is there already is used again. NULL: it is not a regular file. */
struct probe_file *probe_list_file(struct probe_list *list, int fd, const char *path, bool deleted,
				   struct trawl_error *err);

/* Frees a probe that is no longer in a list. Its file stays open. */
void probe_free(struct probe *p);

/* Takes back the list's probes from the n-th on. Their files stay open. */
void probe_drop(struct probe_list *list, size_t n);

/* Adds a remark for the user on a whole spec; the list owns the text from now on. */
void probe_remark(struct probe_list *list, char *text);

/* Takes away the probes from the n-th on, and files that no probe is in. */
void probe_list_shrink(struct probe_list *list, size_t n);

void probe_list_free(struct probe_list *list);

#endif
