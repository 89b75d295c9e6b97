/* SPDX-License-Identifier: MIT */
/* Names of sources that mean something to those who read a file, too. */
#ifndef TRAWL_COMMON_SOURCES_H
#define TRAWL_COMMON_SOURCES_H

#include <stdbool.h>
#include <string.h>

/* The hidden source of the starts, names and ends of tasks. */
#define TASK_SOURCE "task"

/* In a merged file, sources are called NAME@MACHINE. */
static inline const char *source_machine(const char *name)
{
	const char *at = strchr(name, '@');

	return at ? at + 1 : "";
}

static inline bool is_source(const char *name, const char *wanted)
{
	size_t n = strlen(wanted);

	return !strncmp(name, wanted, n) && (!name[n] || name[n] == '@');
}

static inline bool is_task_source(const char *name)
{
	return is_source(name, TASK_SOURCE);
}

#endif
