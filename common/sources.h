/* SPDX-License-Identifier: MIT */
/* Names of sources that mean something to those who read a file, too. */
#ifndef TRAWL_COMMON_SOURCES_H
#define TRAWL_COMMON_SOURCES_H

#include <stdbool.h>
#include <string.h>

/* The hidden source of the starts, names and ends of tasks. */
#define TASK_SOURCE "task"

static inline bool is_task_source(const char *name)
{
	return !strcmp(name, TASK_SOURCE);
}

#endif
