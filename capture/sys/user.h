/* SPDX-License-Identifier: MIT */
/*
 * Who the files belong to and whom COMMAND runs as: under sudo the user who called sudo, else the
 * one of -Z, else whoever runs trawl.
 */
#ifndef TRAWL_CAPTURE_SYS_USER_H
#define TRAWL_CAPTURE_SYS_USER_H

#include <sys/types.h>
#include "format/trawl.h"

enum { USER_GROUPS = 256 };

struct user {
	bool other;  /* somebody else than the process is now */
	uid_t uid;
	gid_t gid;
	char *name;  /* NULL if the user database does not know the uid */
	char *home;
	gid_t *groups; /* of `other` */
	int ngroups;
};

/* name: of -Z, or NULL to go by SUDO_UID and SUDO_GID if we are root. */
int user_find(struct user *u, const char *name, struct trawl_error *err);
void user_free(struct user *u);

/* Becomes that user for good: groups, ids, HOME, USER, LOGNAME. For a child before it execs. */
int user_become(const struct user *u);

/* What user_enter() changed of this thread's rights to files, for user_leave(). */
struct user_rights {
	gid_t groups[USER_GROUPS];
	int ngroups;
};

/* The file system rights of that user, for this thread, until user_leave(). */
int user_enter(const struct user *u, struct user_rights *saved, struct trawl_error *err);
void user_leave(const struct user *u, const struct user_rights *saved);

#endif
