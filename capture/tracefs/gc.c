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

/* Kernels without CONFIG_DYNAMIC_EVENTS have only uprobe_events. */
static const char *const definition_files[] = { "dynamic_events", "uprobe_events" };

/* Retries for an instance that another process has open: 0.5 s in total. */
enum { BUSY_TRIES = 50, BUSY_PAUSE_US = 10000 };

/*
 * Parses "p:GROUP/EVENT ..." or "e:..." into `event`, "GROUP/EVENT", and its owner. The owner is
 * the group's name; synthetic events share one group and are named OWNER_NUMBER (histpair.c).
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

/* Removes and counts the events in one file whose owner is wanted(). Returns 0, or -1 with *err. */
static int remove_events(int top, const char *file, bool (*wanted)(const char *, const void *),
			 const void *arg, unsigned int *removed, struct trawl_error *err)
{
	struct trawl_error local;
	char *text = tracefs_read(top, file, NULL, &local), *next;
	int failed = 0;

	for (char *line = text; line && *line; line = next) {
		char group[OWNER_NAME_MAX], event[160], command[176];

		next = strchrnul(line, '\n');
		next += *next == '\n';
		if (!parse_definition(line, group, event) || !wanted(group, arg))
			continue;
		snprintf(command, sizeof(command), "-:%s\n", event);
		/* ENOENT: the line is another site of an event that has been removed already. */
		if (!tracefs_write(top, file, command, &local))
			++*removed;
		else if (errno != ENOENT)
			failed = trawl_fail(err, TRAWL_CANNOT,
					    "tracefs: cannot remove event %s: %s", event,
					    strerror(errno));
	}
	free(text);
	return failed;
}

/*
 * Removes all events whose owner is wanted(). An event on which another one is placed can be
 * removed only after that: so this repeats until none can be removed.
 */
static int remove_from_all(int top, bool (*wanted)(const char *, const void *), const void *arg,
			   unsigned int *removed, struct trawl_error *err)
{
	unsigned int before;
	int failed;

	do {
		before = *removed;
		failed = 0;
		for (size_t i = 0; i < ARRAY_SIZE(definition_files); i++)
			failed |= remove_events(top, definition_files[i], wanted, arg, removed,
						err);
	} while (failed && *removed > before);
	return failed;
}

/* ---- triggers ---------------------------------------------------------------------------- */

/* A trigger: its file "GROUP/EVENT/trigger", and its text as the kernel shows it. */
struct trigger {
	char *path, *text;
};

struct triggers {
	int events; /* descriptor of the instance's folder events */
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

/*
 * Whether all events of a group are off. An event with a trigger is never shown as off, so such a
 * group has no triggers.
 */
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
 * Removes all triggers of an instance: a trigger has references to its event and the instance. The
 * second trigger of a hist pair uses a variable of the first, which can be removed only after it:
 * so this repeats until none can be removed.
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

/*
 * Removes an instance. It must be removed before the events that it recorded: as long as it is
 * there, the kernel resets its buffers and waits for all CPUs whenever one of them is removed.
 *
 * An instance with variables of hist triggers is busy: these are removed. It is busy, too, while
 * another trawl, which may be removing it, has its files open: then tries again, at most *patience
 * times, and subtracts the tries from *patience.
 */
static int remove_instance(int top, const char *name, unsigned int *patience,
			   struct trawl_error *err)
{
	struct trawl_error ignored;
	char path[OWNER_NAME_MAX + 32];

	snprintf(path, sizeof(path), "instances/%s/events/enable", name);
	if (tracefs_write(top, path, "0", &ignored) && errno == ENOENT)
		return 0;
	snprintf(path, sizeof(path), "instances/%s", name);
	if (unlinkat(top, path, AT_REMOVEDIR) && errno == EBUSY)
		remove_triggers(top, name);
	while (unlinkat(top, path, AT_REMOVEDIR)) {
		/* ENODEV: another process is removing it. */
		if (errno == ENOENT || errno == ENODEV)
			return 0;
		if (errno != EBUSY || !*patience)
			return trawl_fail(err, TRAWL_CANNOT, "tracefs: cannot remove %s: %s", path,
					  errno == EBUSY ? "another process has one of its files "
							   "open" :
							   strerror(errno));
		--*patience;
		usleep(BUSY_PAUSE_US);
	}
	return 0;
}

static bool same_owner(const char *owner, const void *arg)
{
	return !strcmp(owner, arg);
}

int gc_remove(int top, const char *name, struct trawl_error *err)
{
	unsigned int patience = BUSY_TRIES, removed = 0;
	struct trawl_error instance;
	int r = remove_instance(top, name, &patience, &instance);

	if (remove_from_all(top, same_owner, name, &removed, err))
		return -1;
	if (r)
		*err = instance;
	return r;
}

/* Whether a process, in any PID namespace, holds the instance's lock. */
static bool is_locked(int top, const char *name)
{
	char path[OWNER_NAME_MAX + 32];
	int fd;
	bool locked;

	snprintf(path, sizeof(path), "instances/%s", name);
	fd = openat(top, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return false;
	/* A shared lock, since another trawl may run this at the same time. */
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

int gc_run(int top, struct gc_count *count, struct trawl_error *err)
{
	int fd = openat(top, "instances", O_RDONLY | O_DIRECTORY | O_CLOEXEC), r = 0;
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	unsigned int patience = BUSY_TRIES; /* for all instances together */
	struct dirent *d;

	*count = (struct gc_count){ 0 };
	if (!dir) {
		if (fd >= 0)
			close(fd);
		return trawl_fail(err, TRAWL_CANNOT, "tracefs: cannot read instances: %s",
				  strerror(errno));
	}
	while ((d = readdir(dir))) {
		if (!is_dead(top, d->d_name))
			continue;
		if (remove_instance(top, d->d_name, &patience, err))
			r = -1;
		else
			count->instances++;
	}
	closedir(dir);
	return remove_from_all(top, dead_group, &top, &count->events, err) ? -1 : r;
}
