/* SPDX-License-Identifier: MIT */
/* SHA-256 (FIPS 180-4), which identifies the file that a redacted one was made from. */
#ifndef TRAWL_EDIT_SHA256_H
#define TRAWL_EDIT_SHA256_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Writes the hash of a whole file, independent of its descriptor's offset: 64 hex digits and a NUL.
 * Returns false with errno if the file cannot be read, and with EINTR as soon as *stop is true
 * (stop may be NULL).
 */
bool sha256_file(int fd, char text[65], const volatile sig_atomic_t *stop);

#endif
