/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "capture/tracefs/owner.h"

/* Returns field 22 of /proc/PID/stat, in clock ticks; 0 if there is no such process. */
static unsigned long long start_time(int pid)
{
	char path[32], text[1024], *at;
	unsigned long long start = 0;
	size_t n;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	f = fopen(path, "re");
	if (!f)
		return 0;
	n = fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	text[n] = '\0';
	/* Field 2, the name, may have blanks and parentheses: counts fields from the last ')'. */
	at = strrchr(text, ')');
	for (int field = 3; at && field <= 22; field++)
		at = strchr(at + 1, ' ');
	if (at)
		sscanf(at, "%llu", &start);
	return start;
}

void owner_name(char name[OWNER_NAME_MAX], const char *source)
{
	snprintf(name, OWNER_NAME_MAX, "trawl_%d_%llu_%s", getpid(), start_time(getpid()), source);
}

static bool parse(const char *name, int *pid, unsigned long long *start)
{
	char sep = 0;

	return sscanf(name, "trawl_%d_%llu%c", pid, start, &sep) == 3 && *pid > 0 && sep == '_';
}

bool owner_is_name(const char *name)
{
	unsigned long long start;
	int pid;

	return parse(name, &pid, &start);
}

bool owner_alive(const char *name)
{
	unsigned long long start;
	int pid;

	return parse(name, &pid, &start) && start_time(pid) == start;
}
