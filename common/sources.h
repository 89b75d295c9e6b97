/* SPDX-License-Identifier: MIT */
/* Names of sources that programs that read files know, too. */
#ifndef TRAWL_COMMON_SOURCES_H
#define TRAWL_COMMON_SOURCES_H

#include <stdbool.h>
#include <string.h>

/* The source of starts, names and ends of tasks; its events are not shown. */
#define TASK_SOURCE "task"

/* Returns the MACHINE of a source name NAME@MACHINE, as merged files have them; "" for none. */
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

/* Whether the source records probes that the user placed. */
static inline bool is_probe_source(const char *name)
{
	return is_source(name, "usdt") || is_source(name, "uprobe") || is_source(name, "eprobe");
}

#endif
