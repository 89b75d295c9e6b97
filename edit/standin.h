/* SPDX-License-Identifier: MIT */
/*
 * Stand-ins for secrets: letters and digits of the same length, derived from the secret by a random
 * key. The same secret has the same stand-in everywhere; without the key, which is not stored, no
 * guess at the secret can be verified.
 */
#ifndef TRAWL_EDIT_STANDIN_H
#define TRAWL_EDIT_STANDIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct standin {
	uint64_t key[2];
	uint64_t kernel, direct, user; /* offset by which addresses of these ranges are moved */
	uint64_t number;               /* offset by which numbers are moved */
};

/*
 * Makes a new key. Returns false with errno if the kernel provides no random bytes. Must be called
 * before entering the sandbox.
 */
bool standin_start(struct standin *s);

/*
 * Writes the stand-in of p[0 .. n), as long as it, to `to`. That of an absolute path is one, too: a
 * longer path that begins with it, as of a program's mapping, must stay a path.
 */
void standin_text(const struct standin *s, const char *p, size_t n, char *to);
/* True for a path component that every system has (usr, lib, proc, ...). */
bool standin_common_name(const char *p, size_t n);

/* True for a path that a distribution installs (/usr/lib/...). */
bool standin_system_path(const char *p, size_t n);
/* True for the name of a kernel thread (ksoftirqd/1), which every system has. */
bool standin_kernel_task(const char *p, size_t n);

/*
 * Replaces the digits of a number other than 0 by those of another number with as many digits;
 * distinct numbers stay distinct.
 */
void standin_number(const struct standin *s, char *p, size_t n);

/* Moves an address like all of its range; a value that is no address stays. */
uint64_t standin_address(const struct standin *s, uint64_t v);
bool standin_is_kernel(uint64_t v);
bool standin_is_user(uint64_t v);
static inline bool is_address(uint64_t v)
{
	return standin_is_kernel(v) || standin_is_user(v);
}

#endif
