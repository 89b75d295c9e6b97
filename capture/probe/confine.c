/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "capture/probe/confine.h"

#include <dirent.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
	NOBODY = 65534,
	SECONDS = 120, /* of processor time: a browser with full debug information takes 20 */
};

void confine_descriptors(const int *kept, size_t n)
{
	struct rlimit limit;
	long most = getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur > 65536
		? 65536
		: (long)limit.rlim_cur;

	for (int fd = 0; fd < most; fd++) {
		bool found = false;

		for (size_t i = 0; i < n && !found; i++)
			found = kept[i] == fd;
		if (!found)
			close(fd);
	}
}

/* Lower than what there is: the user's own limits hold. */
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
 * Unlike glibc's, the sanitizer's allocator does not release its locks in the child of a fork: the
 * child would wait for ever for one that another thread holds. Threads that wait for work hold
 * none.
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
