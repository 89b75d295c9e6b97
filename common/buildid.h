/* SPDX-License-Identifier: MIT */
/* Which notes of an ELF file are its build id. */
#ifndef TRAWL_COMMON_BUILDID_H
#define TRAWL_COMMON_BUILDID_H

#include <elf.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define BUILD_ID_ROOM 257 /* for the hex digits of 128 bytes; Go's ids have 83 */

/*
 * The kinds, in the order in which they are preferred. Go's own linker writes no GNU note unless it
 * is told to.
 */
enum build_id_kind { BUILD_ID_NONE, BUILD_ID_GNU, BUILD_ID_GO, BUILD_ID_KINDS };

/* name: the note's, of `size` bytes with its zeros. */
static inline enum build_id_kind build_id_kind(const char *name, size_t size, uint32_t type)
{
	enum { GO_BUILD_ID = 4 }; /* in Go's cmd/internal/buildid */

	if (size != 4)
		return BUILD_ID_NONE;
	if (type == NT_GNU_BUILD_ID && !memcmp(name, ELF_NOTE_GNU, 4))
		return BUILD_ID_GNU;
	if (type == GO_BUILD_ID && !memcmp(name, "Go\0", 4))
		return BUILD_ID_GO;
	return BUILD_ID_NONE;
}

#endif
