/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "capture/sys/user.h"

static bool environment_id(const char *name, unsigned int *id)
{
	const char *text = getenv(name);
	char *end;
	unsigned long value;

	if (!text || *text < '0' || *text > '9')
		return false;
	errno = 0;
	value = strtoul(text, &end, 10);
	*id = (unsigned int)value;
	return !errno && !*end && value < UINT32_MAX;
}

/* Called at the start: an armed recorder may not look users up, which takes sockets. */
static int find_groups(struct user *u)
{
	int n = USER_GROUPS;

	u->groups = calloc(USER_GROUPS, sizeof(*u->groups));
	if (!u->groups)
		return -1;
	if (!u->name || getgrouplist(u->name, u->gid, u->groups, &n) < 0) {
		u->groups[0] = u->gid;
		n = 1;
	}
	u->ngroups = n;
	return 0;
}

static int fill(struct user *u, const struct passwd *pw)
{
	if (!pw)
		return 0;
	u->name = strdup(pw->pw_name);
	u->home = strdup(pw->pw_dir);
	return u->name && u->home ? 0 : -1;
}

int user_find(struct user *u, const char *name, struct trawl_error *err)
{
	const struct passwd *pw;

	*u = (struct user){ .uid = geteuid(), .gid = getegid() };
	if (name) {
		pw = getpwnam(name);
		if (!pw)
			return trawl_fail(err, TRAWL_USAGE, "-Z %s: no such user", name);
		u->uid = pw->pw_uid;
		u->gid = pw->pw_gid;
	} else if (!geteuid() && getenv("SUDO_UID")) {
		if (!environment_id("SUDO_UID", &u->uid) || !environment_id("SUDO_GID", &u->gid))
			return trawl_fail(err, TRAWL_USAGE,
					  "SUDO_UID=%s, SUDO_GID=%s: not valid; name the user by "
					  "-Z USER",
					  getenv("SUDO_UID"),
					  getenv("SUDO_GID") ? getenv("SUDO_GID") : "");
		pw = getpwuid(u->uid);
	} else {
		u->uid = geteuid();
		u->gid = getegid();
		return 0;
	}
	u->other = u->uid != geteuid() || u->gid != getegid();
	if (u->other && geteuid())
		return trawl_fail(err, TRAWL_CANNOT, "-Z %s: only root can do this", name);
	if (fill(u, pw) || find_groups(u))
		return trawl_fail(err, TRAWL_CANNOT, "out of memory");
	return 0;
}

void user_free(struct user *u)
{
	free(u->name);
	free(u->home);
	free(u->groups);
	*u = (struct user){ 0 };
}

static int set_groups(const struct user *u)
{
	return u->name ? initgroups(u->name, u->gid) : setgroups(1, &u->gid);
}

int user_become(const struct user *u)
{
	if (!u->other)
		return 0;
	if (set_groups(u) || setgid(u->gid) || setuid(u->uid))
		return -1;
	if (u->name && (setenv("USER", u->name, 1) || setenv("LOGNAME", u->name, 1)))
		return -1;
	return u->home ? setenv("HOME", u->home, 1) : 0;
}

/*
 * The system call changes this thread only, as it must here. glibc's setgroups() changes all
 * threads of the process.
 */
static int set_thread_groups(int n, const gid_t *groups)
{
	return (int)syscall(SYS_setgroups, n, groups);
}

int user_enter(const struct user *u, struct user_rights *saved, struct trawl_error *err)
{
	if (!u->other)
		return 0;
	saved->ngroups = getgroups(USER_GROUPS, saved->groups);
	if (saved->ngroups < 0 || set_thread_groups(u->ngroups, u->groups))
		return trawl_fail(err, TRAWL_CANNOT, "cannot act as user %u: %s", u->uid,
				  strerror(errno));
	setfsgid(u->gid);
	setfsuid(u->uid);
	/* They report no errors: an id that does not exist shows what holds now. */
	if ((uid_t)setfsuid((uid_t)-1) == u->uid && (gid_t)setfsgid((gid_t)-1) == u->gid)
		return 0;
	user_leave(u, saved);
	return trawl_fail(err, TRAWL_CANNOT, "cannot act as user %u, group %u: this user namespace "
			  "has no such ids", u->uid, u->gid);
}

void user_leave(const struct user *u, const struct user_rights *saved)
{
	if (!u->other)
		return;
	setfsuid(geteuid());
	setfsgid(getegid());
	set_thread_groups(saved->ngroups, saved->groups);
}
