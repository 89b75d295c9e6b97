/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "capture/sys/lockdown.h"

/* Whether the first line of a file contains a text. */
static bool line_has(const char *path, const char *text)
{
	FILE *f = fopen(path, "re");
	char line[128] = "";
	bool found = f && fgets(line, sizeof(line), f) && strstr(line, text);

	if (f)
		fclose(f);
	return found;
}

/* It has all levels in a line, the one that holds in brackets. */
static bool level_is(const char *level)
{
	return line_has("/sys/kernel/security/lockdown", level);
}

const char *lockdown_or(const char *otherwise)
{
	int saved = errno;
	bool locked = level_is("[confidentiality]");

	errno = saved;
	return locked ? "the kernel is locked down (confidentiality): boot it without lockdown="
		      : otherwise;
}

bool lockdown_signed_modules(void)
{
	return level_is("[integrity]") || level_is("[confidentiality]") ||
	       line_has("/sys/module/module/parameters/sig_enforce", "Y");
}
