/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pidfilter.h"
#include "tracefs.h"

static const char list[] = "set_event_pid";

enum { ROUNDS = 10 }; /* more than one only where tasks start all the time */

/* Appends the TIDs of a process, one a line. */
static int list_threads(FILE *to, pid_t pid, struct trawl_error *err)
{
	char path[40];
	struct dirent *d;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	if (!dir)
		return trawl_fail(err, TRAWL_USAGE, "-p %d: no such process", pid);
	while ((d = readdir(dir))) {
		if (d->d_name[0] >= '0' && d->d_name[0] <= '9')
			fprintf(to, "%s\n", d->d_name);
	}
	closedir(dir);
	return 0;
}

static char *threads_of(const pid_t *pids, size_t n, struct trawl_error *err)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);
	int r = 0;

	if (!f) {
		trawl_fail(err, TRAWL_CANNOT, "out of memory");
		return NULL;
	}
	for (size_t i = 0; !r && i < n; i++)
		r = list_threads(f, pids[i], err);
	if (fclose(f) && !r)
		r = trawl_fail(err, TRAWL_CANNOT, "out of memory");
	if (!r)
		return text;
	free(text);
	return NULL;
}

/*
 * Puts what *last says on the list; true when it says what it said before, and all is there. The
 * whole list is one write(): each one waits until no CPU uses the list before.
 */
static int put(int dir, char **last, char *text, struct trawl_error *err)
{
	int done = text && *last && !strcmp(text, *last), r = 0;

	if (!text)
		return -1;
	if (!done)
		r = tracefs_write(dir, list, text, err);
	free(*last);
	*last = text;
	return r ? r : done;
}

/* A task that starts while we look is found by looking until nothing changes any more. */
int pidfilter_set(int dir, const pid_t *pids, size_t n, struct trawl_error *err)
{
	char *last = NULL;
	int r = tracefs_write(dir, "options/event-fork", "1", err);

	for (int round = 0; !r && round < ROUNDS; round++)
		r = put(dir, &last, threads_of(pids, n, err), err);
	free(last);
	return r < 0 ? -1 : 0;
}

int pidfilter_copy(int dir, int top, const char *path, struct trawl_error *err)
{
	char file[160], *last = NULL;
	int r = tracefs_write(dir, "options/event-fork", "1", err);

	snprintf(file, sizeof(file), "%s/%s", path, list);
	for (int round = 0; !r && round < ROUNDS; round++)
		r = put(dir, &last, tracefs_read(top, file, NULL, err), err);
	free(last);
	return r < 0 ? -1 : 0;
}

int pidfilter_each(int dir, void (*found)(void *arg, pid_t tid), void *arg, struct trawl_error *err)
{
	char *text = tracefs_read(dir, list, NULL, err), *line, *rest = text;

	if (!text)
		return -1;
	while ((line = strsep(&rest, "\n"))) {
		if (atoi(line) > 0)
			found(arg, atoi(line));
	}
	free(text);
	return 0;
}
