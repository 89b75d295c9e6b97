/* SPDX-License-Identifier: MIT */
/*
 * What reads a program that branches were in: the functions, lines and branching instructions at the
 * addresses that were hit. It runs in a process of its own (reader.h), where nothing is trusted.
 */
#ifndef TRAWL_CAPTURE_BRANCH_LOOKUP_H
#define TRAWL_CAPTURE_BRANCH_LOOKUP_H

#include <stddef.h>
#include <stdint.h>

enum lookup_request {
	LOOKUP_OPEN, /* answer: text: why there are no symbols, or NULL; text: build id; number of executable
		      * segments, of each offset, vaddr, filesz */
	LOOKUP_HITS, /* with a number of offsets; answer: findings_put() */
	LOOKUP_ALL,  /* of a program that is not large, also what did not run; answer: findings_put() */
};

enum {
	LOOKUP_HITS_MAX = 4096,      /* offsets in a request: they go into a socket that nobody reads yet */
	LOOKUP_SEGMENTS_MAX = 65536,
	LOOKUP_TEXT_MAX = 300,
};

/*
 * Answers requests at the socket until its other end is closed: numbers as wire.h has them, first
 * which request, then how many offsets, then these. An answer is its length and its bytes.
 * image: of the vdso, if fd is -1.
 */
void lookup_serve(int socket, int fd, const char *path, char *image, size_t size);

#endif
