/* SPDX-License-Identifier: MIT */
#include "common/landlock.h"

#include <fcntl.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/* From linux/landlock.h, which may be too old here; these numbers are part of the kernel's ABI. */
#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif

struct ruleset {
	uint64_t files; /* LANDLOCK_ACCESS_FS_… that are denied unless a rule allows them */
	uint64_t ports;
	uint64_t scopes;
};

struct below {
	uint64_t allowed;
	int32_t folder;
} __attribute__((packed));

enum {
	VERSION_ONLY = 1 << 0, /* LANDLOCK_CREATE_RULESET_VERSION */
	RULE_BELOW = 1,        /* LANDLOCK_RULE_PATH_BENEATH */
	READ_FILE = 1 << 2,
	READ_FOLDER = 1 << 3,
};

/* Returns all rights that a version of Landlock can deny. Later versions only add bits. */
static struct ruleset all_of(long version)
{
	struct ruleset r = {.files = (1 << 13) - 1}; /* EXECUTE … MAKE_SYM */

	if (version >= 2)
		r.files |= 1 << 13; /* REFER */
	if (version >= 3)
		r.files |= 1 << 14; /* TRUNCATE */
	if (version >= 5)
		r.files |= 1 << 15; /* IOCTL_DEV */
	if (version >= 4)
		r.ports = 1 << 0 | 1 << 1; /* BIND_TCP, CONNECT_TCP */
	if (version >= 6)
		r.scopes = 1 << 0 | 1 << 1; /* ABSTRACT_UNIX_SOCKET, SIGNAL */
	return r;
}

/* Older kernels accept a longer structure if the members that they do not know are 0. */
static int create(const struct ruleset *r)
{
	return (int)syscall(SYS_landlock_create_ruleset, r, sizeof(*r), 0);
}

static void allow_reading(int ruleset)
{
	struct below b = {
		.allowed = READ_FILE | READ_FOLDER,
		.folder = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC),
	};

	if (b.folder < 0)
		return;
	syscall(SYS_landlock_add_rule, ruleset, RULE_BELOW, &b, 0);
	close(b.folder);
}

bool landlock_enter(bool reading)
{
	long version = syscall(SYS_landlock_create_ruleset, NULL, 0, VERSION_ONLY);
	struct ruleset r;
	bool done;
	int fd;

	if (version < 1)
		return false;
	r = all_of(version);
	fd = create(&r);
	if (fd < 0)
		return false;
	if (reading)
		allow_reading(fd);
	done = !syscall(SYS_landlock_restrict_self, fd, 0);
	close(fd);
	return done;
}
