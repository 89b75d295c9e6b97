/* SPDX-License-Identifier: MIT */
/*
 * What takes the place of a secret: letters and digits that a random key makes of it, of the same
 * length. The same secret has the same stand-in; without the key, which nobody keeps, no guess can
 * be tested.
 */
#ifndef TRAWL_EDIT_STANDIN_H
#define TRAWL_EDIT_STANDIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct standin {
	uint64_t key[2];
	uint64_t kernel, direct, user; /* what addresses of these ranges are moved by */
	uint64_t number;               /* and numbers */
};

/* A new key. False: the kernel gives none. Before the sandbox. */
bool standin_start(struct standin *s);

uint64_t standin_hash(const struct standin *s, const void *p, size_t n, uint64_t tweak);
/* n bytes of p into to. */
void standin_text(const struct standin *s, const char *p, size_t n, char *to);
/* Each name between the slashes, but for those that every system has. */
void standin_path(const struct standin *s, const char *p, size_t n, char *to);
/* Does every system have this name (usr, lib, proc ...)? */
bool standin_common_name(const char *p, size_t n);

/* Is this of what a distribution installs (/usr/lib/...)? */
bool standin_system_path(const char *p, size_t n);
/* Is this what the kernel calls a thread of its own (ksoftirqd/1)? Every system has it. */
bool standin_kernel_task(const char *p, size_t n);

/* Digits of a number that is not 0: another one of as many digits, of others others. */
void standin_number(const struct standin *s, char *p, size_t n);

/* An address, moved as all of its range; what is none stays. */
uint64_t standin_address(const struct standin *s, uint64_t v);
bool standin_is_kernel(uint64_t v);
bool standin_is_user(uint64_t v);

#endif
