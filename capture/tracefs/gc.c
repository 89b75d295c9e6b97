/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "capture/tracefs/gc.h"
#include "common/array.h"
#include "capture/tracefs/owner.h"
#include "capture/tracefs/tracefs.h"

/* uprobe_events is there on its own in kernels without CONFIG_DYNAMIC_EVENTS. */
static const char *const definition_files[] = { "dynamic_events", "uprobe_events" };

/*
 * "p:GROUP/EVENT ..." or "e:...": "GROUP/EVENT" of a definition, and whose it is: the group's
 * name. Synthetic events share one group; theirs are named OWNER_NUMBER (histpair.c).
 */
static bool parse_definition(const char *line, char owner[OWNER_NAME_MAX], char event[160])
{
	const char *colon = strchr(line, ':'), *from;
	size_t len;

	if (!colon)
		return false;
	len = strcspn(colon + 1, " \t\n;");
	if (len >= 160)
		return false;
	memcpy(event, colon + 1, len);
	event[len] = '\0';
	from = event;
	len = strcspn(event, "/");
	if (!event[len])
		return false;
	if (len == 9 && !memcmp(event, "synthetic", 9)) {
		from = event + 10;
		len = strlen(from);
		while (len && from[len - 1] >= '0' && from[len - 1] <= '9')
			len--;
		len -= len && from[len - 1] == '_';
	}
	if (len >= OWNER_NAME_MAX)
		return false;
	memcpy(owner, from, len);
	owner[len] = '\0';
	return true;
}

/* Removes the events of one file whose group `wanted` says yes to. */
static int remove_events(int top, const char *file, bool (*wanted)(const char *, const void *),
			 const void *arg, struct trawl_error *err)
{
	struct trawl_error local;
	char *text = tracefs_read(top, file, NULL, &local), *next;
	int removed = 0, failed = 0;

	for (char *line = text; line && *line; line = next) {
		char group[OWNER_NAME_MAX], event[160], command[176];

		next = strchrnul(line, '\n');
		next += *next == '\n';
		if (!parse_definition(line, group, event) || !wanted(group, arg))
			continue;
		snprintf(command, sizeof(command), "-:%s\n", event);
		/* A second site of an event that is already gone: ENOENT. */
		if (!tracefs_write(top, file, command, &local))
			removed++;
		else if (errno != ENOENT)
			failed = trawl_fail(err, TRAWL_CANNOT,
					    "tracefs: cannot remove event %s: %s", event,
					    strerror(errno));
	}
	free(text);
	return failed ? -1 : removed;
}

static int remove_from_all(int top, bool (*wanted)(const char *, const void *), const void *arg,
			   struct trawl_error *err)
{
	int total = 0, failed = 0;

	for (size_t i = 0; i < sizeof(definition_files) / sizeof(definition_files[0]); i++) {
		int n = remove_events(top, definition_files[i], wanted, arg, err);

		if (n < 0)
			failed = -1;
		else
			total += n;
	}
	return failed ? -1 : total;
}

/* ---- triggers ---------------------------------------------------------------------------- */

/* A trigger that is set: "GROUP/EVENT/trigger" and its text as the kernel shows it. */
struct trigger {
	char *path, *text;
};

struct triggers {
	int events; /* the instance's folder events */
	struct trigger *list;
	size_t n;
};

static void add_trigger(struct triggers *t, const char *path, char *line)
{
	char *state = strrchr(line, '[');

	if (!array_grow(t->list, t->n))
		return;
	/* "... [active]" or "[paused]" */
	if (state && (!strcmp(state, "[active]") || !strcmp(state, "[paused]"))) {
		while (state > line && state[-1] == ' ')
			state--;
		*state = '\0';
	}
	t->list[t->n].path = strdup(path);
	if (asprintf(&t->list[t->n].text, "!%s", line) < 0)
		t->list[t->n].text = NULL;
	t->n++;
}

static void find_in_event(struct triggers *t, const char *group, const char *event)
{
	struct trawl_error ignored;
	char path[600], *text, *next;

	snprintf(path, sizeof(path), "%s/%s/trigger", group, event);
	text = tracefs_read(t->events, path, NULL, &ignored);
	for (char *line = text; line && *line; line = next) {
		next = strchrnul(line, '\n');
		if (*next)
			*next++ = '\0';
		if (*line && *line != '#')
			add_trigger(t, path, line);
	}
	free(text);
}

/* An event with a trigger counts as switched on: a group whose events are all off has none. */
static bool all_off(const struct triggers *t, const char *group)
{
	struct trawl_error ignored;
	char path[300], *text;
	bool off;

	snprintf(path, sizeof(path), "%s/enable", group);
	text = tracefs_read(t->events, path, NULL, &ignored);
	off = !text || text[0] == '0';
	free(text);
	return off;
}

static DIR *open_folder(int at, const char *name)
{
	int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	if (!dir && fd >= 0)
		close(fd);
	return dir;
}

static void find_triggers(struct triggers *t)
{
	DIR *groups = open_folder(t->events, ".");
	struct dirent *g, *e;

	while (groups && (g = readdir(groups))) {
		DIR *dir;

		if (g->d_name[0] == '.' || g->d_type == DT_REG || all_off(t, g->d_name))
			continue;
		dir = open_folder(t->events, g->d_name);
		while (dir && (e = readdir(dir)))
			if (e->d_name[0] != '.' && e->d_type != DT_REG)
				find_in_event(t, g->d_name, e->d_name);
		if (dir)
			closedir(dir);
	}
	if (groups)
		closedir(groups);
}

/*
 * Removes all triggers of an instance: while one is there, its events and the instance stay. Those
 * at the end of a chain refer to variables of those at its start, so it goes round while any goes.
 */
static void remove_triggers(int top, const char *instance)
{
	struct trawl_error ignored;
	struct triggers t = { 0 };
	char path[OWNER_NAME_MAX + 32];
	bool progress = true;

	snprintf(path, sizeof(path), "instances/%s/events", instance);
	t.events = openat(top, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (t.events < 0)
		return;
	find_triggers(&t);
	while (progress) {
		progress = false;
		for (size_t i = 0; i < t.n; i++) {
			if (!t.list[i].text || !t.list[i].path ||
			    tracefs_write(t.events, t.list[i].path, t.list[i].text, &ignored))
				continue;
			free(t.list[i].text);
			t.list[i].text = NULL;
			progress = true;
		}
	}
	for (size_t i = 0; i < t.n; i++) {
		free(t.list[i].text);
		free(t.list[i].path);
	}
	free(t.list);
	close(t.events);
}

int gc_remove_instance(int top, const char *name, struct trawl_error *err)
{
	char path[OWNER_NAME_MAX + 32];

	snprintf(path, sizeof(path), "instances/%s/events/enable", name);
	if (tracefs_write(top, path, "0", err) && errno == ENOENT)
		return 0;
	snprintf(path, sizeof(path), "instances/%s", name);
	if (unlinkat(top, path, AT_REMOVEDIR) && errno == EBUSY)
		remove_triggers(top, name);
	if (unlinkat(top, path, AT_REMOVEDIR) && errno != ENOENT)
		return trawl_fail(err, TRAWL_CANNOT, "tracefs: cannot remove %s: %s", path,
				  errno == EBUSY ? "somebody has one of its files open" :
						   strerror(errno));
	return 0;
}

static bool same_owner(const char *owner, const void *arg)
{
	return !strcmp(owner, arg);
}

/*
 * What nothing depends on goes at once: mostly all. What a hist trigger uses (the synthetic event
 * at its end, a probe at its start) goes after the triggers.
 */
int gc_remove_group(int top, const char *group, struct trawl_error *err)
{
	struct trawl_error busy;
	int removed = remove_from_all(top, same_owner, group, &busy), rest;

	if (removed >= 0)
		return removed;
	remove_triggers(top, group);
	rest = remove_from_all(top, same_owner, group, err);
	return rest;
}

/* Does somebody, in whatever pid namespace, hold the instance's lock? */
static bool is_locked(int top, const char *name)
{
	char path[OWNER_NAME_MAX + 32];
	int fd;
	bool locked;

	snprintf(path, sizeof(path), "instances/%s", name);
	fd = openat(top, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return false;
	/* A shared one: somebody else who collects may look at the same moment. */
	locked = flock(fd, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK;
	close(fd);
	return locked;
}

static bool is_dead(int top, const char *name)
{
	return strlen(name) < OWNER_NAME_MAX && owner_is_name(name) && !owner_alive(name) &&
	       !is_locked(top, name);
}

static bool dead_group(const char *group, const void *arg)
{
	return is_dead(*(const int *)arg, group);
}

/* First the events are switched off with their instance, then they can go, then the instance. */
static void quiet_instances(int top, DIR *dir, bool triggers)
{
	struct trawl_error ignored;
	struct dirent *d;

	rewinddir(dir);
	while ((d = readdir(dir))) {
		char path[OWNER_NAME_MAX + 32];

		if (!is_dead(top, d->d_name))
			continue;
		if (triggers)
			remove_triggers(top, d->d_name);
		snprintf(path, sizeof(path), "instances/%.63s/events/enable", d->d_name);
		tracefs_write(top, path, "0", &ignored);
	}
}

int gc_run(int top, struct gc_count *count, struct trawl_error *err)
{
	int fd = openat(top, "instances", O_RDONLY | O_DIRECTORY | O_CLOEXEC), removed, r = 0;
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *d;

	*count = (struct gc_count){ 0 };
	if (!dir) {
		if (fd >= 0)
			close(fd);
		return trawl_fail(err, TRAWL_CANNOT, "tracefs: cannot read instances: %s",
				  strerror(errno));
	}
	quiet_instances(top, dir, false);
	removed = remove_from_all(top, dead_group, &top, err);
	if (removed < 0) { /* hist pairs: histpair.h */
		quiet_instances(top, dir, true);
		removed = remove_from_all(top, dead_group, &top, err);
	}
	if (removed < 0)
		r = -1;
	else
		count->events = (unsigned int)removed;
	rewinddir(dir);
	while ((d = readdir(dir))) {
		if (!is_dead(top, d->d_name))
			continue;
		if (gc_remove_instance(top, d->d_name, err))
			r = -1;
		else
			count->instances++;
	}
	closedir(dir);
	return r;
}
