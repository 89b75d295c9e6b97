/* SPDX-License-Identifier: MIT */
/*
 * The user whom the files belong to and whom COMMAND runs as: that of -Z; else, for root under
 * sudo, the one who called sudo; else whoever runs trawl.
 */
#ifndef TRAWL_CAPTURE_SYS_USER_H
#define TRAWL_CAPTURE_SYS_USER_H

#include <sys/types.h>
#include "format/trawl.h"

enum { USER_GROUPS = 256 };

struct user {
	bool other;  /* not who the process runs as now */
	uid_t uid;
	gid_t gid;
	char *name;  /* NULL if the user database does not know the uid */
	char *home;
	gid_t *groups; /* if `other`: for user_enter() */
	int ngroups;
};

/*
 * Fills *u. name: the argument of -Z; NULL: root goes by SUDO_UID and SUDO_GID. Returns 0, or -1
 * with *err.
 */
int user_find(struct user *u, const char *name, struct trawl_error *err);
void user_free(struct user *u);

/*
 * Makes the process that user for good: groups, ids, HOME, USER, LOGNAME. For a child before it
 * execs. Returns 0, or -1.
 */
int user_become(const struct user *u);

/* What user_enter() changed of this thread's rights to files, for user_leave(). */
struct user_rights {
	gid_t groups[USER_GROUPS];
	int ngroups;
};

/* Gives this thread that user's rights to files until user_leave(). Returns 0, or -1 with *err. */
int user_enter(const struct user *u, struct user_rights *saved, struct trawl_error *err);
void user_leave(const struct user *u, const struct user_rights *saved);

#endif
