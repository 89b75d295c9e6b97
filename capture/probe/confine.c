/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "capture/probe/confine.h"

#include <dirent.h>
#include <grp.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
	NOBODY = 65534,
	SECONDS = 120, /* of CPU time: a browser with full debug information takes 20 */
};

void confine_descriptors(const int *kept, size_t n)
{
	for (unsigned int from = 0;;) {
		unsigned int next = UINT_MAX; /* the lowest descriptor to keep from `from` on */

		for (size_t i = 0; i < n; i++) {
			if ((unsigned int)kept[i] >= from && (unsigned int)kept[i] < next)
				next = (unsigned int)kept[i];
		}
		if (next > from)
			close_range(from, next - (next != UINT_MAX), 0);
		if (next == UINT_MAX)
			return;
		from = next + 1;
	}
}

/*
 * Lowers a limit, never raises it. The hard limit is one higher, so that SIGXCPU comes before
 * SIGKILL.
 */
static void limit(int what, rlim_t most)
{
	struct rlimit now;

	if (getrlimit(what, &now))
		return;
	if (now.rlim_cur > most)
		now.rlim_cur = most;
	if (now.rlim_max > most + 1)
		now.rlim_max = most + 1;
	setrlimit(what, &now);
}

void confine_resources(uint64_t size)
{
	limit(RLIMIT_CPU, SECONDS);
	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_FSIZE, 0);
#ifndef __SANITIZE_ADDRESS__
	limit(RLIMIT_AS, (8ull << 30) + size);
#endif
}

bool confine_nobody(void)
{
	if (geteuid())
		return true;
	return !setgroups(0, NULL) && !setresgid(NOBODY, NOBODY, NOBODY) &&
	       !setresuid(NOBODY, NOBODY, NOBODY);
}

#ifdef __SANITIZE_ADDRESS__
static bool another_runs(void)
{
	DIR *d = opendir("/proc/self/task");
	bool runs = false;
	struct dirent *e;

	while (d && !runs && (e = readdir(d))) {
		char path[64], line[512] = "", *state;
		FILE *f;

		snprintf(path, sizeof(path), "/proc/self/task/%.20s/stat", e->d_name);
		f = atoi(e->d_name) > 0 && atoi(e->d_name) != gettid() ? fopen(path, "re") : NULL;
		state = f && fgets(line, sizeof(line), f) ? strrchr(line, ')') : NULL;
		runs = state && !strncmp(state, ") R", 3);
		if (f)
			fclose(f);
	}
	if (d)
		closedir(d);
	return runs;
}

/*
 * AddressSanitizer's allocator, unlike glibc's, does not release its locks in the child of a fork:
 * the child would deadlock on a lock that another thread held. Threads that are blocked, waiting
 * for work, hold none.
 */
void confine_quiet_threads(void)
{
	for (int i = 0; i < 2000 && another_runs(); i++)
		usleep(1000);
}
#else
void confine_quiet_threads(void)
{
}
#endif
