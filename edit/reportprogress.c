/* SPDX-License-Identifier: MIT */
#include "edit/reportprogress.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/array.h"

/* The steps with their approximate share of the run time, in percent. */
static const struct step {
	const char *what;
	int percent;
} steps[] = {
	{ "reading", 10 }, { "cutting", 10 }, { "removing what is private", 40 },
	{ "making the page", 35 }, { "packing", 5 },
};

void report_step(const char *what, int seconds)
{
	char bar[21] = "....................";
	size_t i;
	int done = 0;

	if (!isatty(STDERR_FILENO))
		return;
	for (i = 0; i < ARRAY_SIZE(steps) && strcmp(steps[i].what, what); i++)
		done += steps[i].percent;
	if (i == ARRAY_SIZE(steps)) {
		fprintf(stderr, "trawl-report: %s ...\n", what);
		return;
	}
	memset(bar, '#', (size_t)done / 5);
	fprintf(stderr, "\r\033[Ktrawl-report: [%s] %3d %%  %s", bar, done, what);
	if (seconds)
		fprintf(stderr, " (%d s)", seconds);
}

void report_step_end(void)
{
	if (isatty(STDERR_FILENO))
		fputs("\r\033[K", stderr);
}
