/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "capture/sys/lockdown.h"

/* The file has all levels in a line, the one that holds in brackets. */
const char *lockdown_or(const char *otherwise)
{
	FILE *f = fopen("/sys/kernel/security/lockdown", "re");
	char line[128] = "";
	bool locked = f && fgets(line, sizeof(line), f) && strstr(line, "[confidentiality]");

	if (f)
		fclose(f);
	return locked ? "the kernel is locked down (confidentiality): boot it without lockdown="
		      : otherwise;
}
