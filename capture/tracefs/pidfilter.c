/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/tracefs/pidfilter.h"
#include "common/array.h"
#include "capture/sys/proc.h"
#include "capture/tracefs/tracefs.h"

static const char only[] = "set_event_pid", not_these[] = "set_event_notrace_pid";

enum {
	ROUNDS = 10,   /* limit; more than two are needed only while tasks start all the time */
	TID_CHARS = 12,
};

struct tids {
	pid_t *v;
	size_t n, room;
	bool short_of_memory;
};

static void add(void *arg, pid_t tid)
{
	struct tids *t = arg;

	if (array_grow(t->v, t->n))
		t->v[t->n++] = tid;
	else
		t->short_of_memory = true;
}

static int compare(const void *a, const void *b)
{
	return *(const pid_t *)a - *(const pid_t *)b;
}

static int each_of(int dir, const char *file, void (*found)(void *arg, pid_t tid), void *arg,
		   struct trawl_error *err)
{
	char *text = tracefs_read(dir, file, NULL, err), *line, *rest = text;

	if (!text)
		return -1;
	while ((line = strsep(&rest, "\n"))) {
		if (atoi(line) > 0)
			found(arg, atoi(line));
	}
	free(text);
	return 0;
}

/* Writes all TIDs with one write(), because each write() waits until no CPU uses the old list. */
static int put(int dir, const char *file, const struct tids *tids, struct trawl_error *err)
{
	char *text = malloc(tids->n * TID_CHARS + 1), *end = text;
	int r;

	if (!text || tids->short_of_memory) {
		free(text);
		return trawl_fail(err, TRAWL_CANNOT, "out of memory");
	}
	*text = '\0';
	for (size_t i = 0; i < tids->n; i++)
		end += sprintf(end, "%d\n", tids->v[i]);
	r = tids->n ? tracefs_write(dir, file, text, err) : 0;
	free(text);
	return r;
}

/* Whether the kernel's list, which is sorted, has all wanted tasks. Sorts these. */
static bool covers(const struct tids *listed, struct tids *wanted)
{
	size_t k = 0;

	if (wanted->n)
		qsort(wanted->v, wanted->n, sizeof(*wanted->v), compare);
	for (size_t i = 0; i < wanted->n; i++) {
		while (k < listed->n && listed->v[k] < wanted->v[i])
			k++;
		if (k == listed->n || listed->v[k] != wanted->v[i])
			return false;
	}
	return true;
}

/*
 * Adds the wanted tasks to the list. Returns 1 if all were in it; 0 if not: call it again, since a
 * task may have started another one before it was listed; -1 with *err.
 */
static int list(int dir, struct tids *wanted, struct trawl_error *err)
{
	struct tids listed = { 0 };
	int r = each_of(dir, only, add, &listed, err);

	if (!r)
		r = covers(&listed, wanted) ? 1 : put(dir, only, wanted, err);
	free(listed.v);
	return r;
}

int pidfilter_set(int dir, const pid_t *pids, size_t n, struct trawl_error *err)
{
	int r = tracefs_write(dir, "options/event-fork", "1", err);

	for (int round = 0; !r && round < ROUNDS; round++) {
		struct tids wanted = { 0 };

		for (size_t i = 0; !r && i < n; i++) {
			/* one that has ended since is just not recorded */
			if (!threads_each(pids[i], add, &wanted) && i + 1 == n && !wanted.n)
				r = trawl_fail(err, TRAWL_CANNOT, "-p %d: has ended", pids[i]);
		}
		r = r ? r : list(dir, &wanted, err);
		free(wanted.v);
	}
	return r < 0 ? -1 : 0;
}

int pidfilter_copy(int dir, int top, const char *path, struct trawl_error *err)
{
	int r = tracefs_write(dir, "options/event-fork", "1", err);
	char file[160];

	snprintf(file, sizeof(file), "%s/%s", path, only);
	for (int round = 0; !r && round < ROUNDS; round++) {
		struct tids wanted = { 0 };

		r = each_of(top, file, add, &wanted, err);
		r = r ? r : list(dir, &wanted, err);
		free(wanted.v);
	}
	return r < 0 ? -1 : 0;
}

bool pidfilter_leave_out(int dir, const pid_t *tids, size_t n)
{
	struct trawl_error ignored;
	struct tids others = { 0 };
	bool done;

	for (size_t i = 0; i < n; i++)
		threads_each(tids[i], add, &others);
	done = others.n && !tracefs_write(dir, "options/event-fork", "1", &ignored) &&
	       !put(dir, not_these, &others, &ignored);
	free(others.v);
	return done;
}

int pidfilter_each(int dir, void (*found)(void *arg, pid_t tid), void *arg, struct trawl_error *err)
{
	return each_of(dir, only, found, arg, err);
}
