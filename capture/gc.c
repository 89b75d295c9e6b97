/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "gc.h"
#include "owner.h"
#include "tracefs.h"

/* uprobe_events is there on its own in kernels without CONFIG_DYNAMIC_EVENTS. */
static const char *const definition_files[] = { "dynamic_events", "uprobe_events" };

int gc_remove_instance(int top, const char *name, struct trawl_error *err)
{
	char path[OWNER_NAME_MAX + 32];

	snprintf(path, sizeof(path), "instances/%s/events/enable", name);
	if (tracefs_write(top, path, "0", err) && errno == ENOENT)
		return 0;
	snprintf(path, sizeof(path), "instances/%s", name);
	if (unlinkat(top, path, AT_REMOVEDIR) && errno != ENOENT)
		return trawl_fail(err, TRAWL_CANNOT, "tracefs: cannot remove %s: %s", path,
				  errno == EBUSY ? "somebody has one of its files open" :
						   strerror(errno));
	return 0;
}

/* "p:GROUP/EVENT ..." or "e:...": the group and "GROUP/EVENT" of a definition. */
static bool parse_definition(const char *line, char group[OWNER_NAME_MAX], char event[160])
{
	const char *colon = strchr(line, ':');
	size_t len;

	if (!colon)
		return false;
	len = strcspn(colon + 1, " \n");
	if (len >= 160)
		return false;
	memcpy(event, colon + 1, len);
	event[len] = '\0';
	len = strcspn(event, "/");
	if (!event[len] || len >= OWNER_NAME_MAX)
		return false;
	memcpy(group, event, len);
	group[len] = '\0';
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
			failed = trawl_fail(err, TRAWL_CANNOT, "tracefs: cannot remove event %s: %s",
					    event, strerror(errno));
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

static bool same_group(const char *group, const void *arg)
{
	return !strcmp(group, arg);
}

int gc_remove_group(int top, const char *group, struct trawl_error *err)
{
	return remove_from_all(top, same_group, group, err);
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
	locked = flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK;
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
static void quiet_instances(int top, DIR *dir)
{
	struct trawl_error ignored;
	struct dirent *d;

	while ((d = readdir(dir))) {
		char path[OWNER_NAME_MAX + 32];

		if (!is_dead(top, d->d_name))
			continue;
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
	quiet_instances(top, dir);
	removed = remove_from_all(top, dead_group, &top, err);
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
