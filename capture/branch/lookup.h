/* SPDX-License-Identifier: MIT */
/*
 * Reads a program that branches were in: finds the functions, lines and branching instructions at
 * the addresses that were hit. It runs in a process of its own (reader.h), whose answers are not
 * trusted.
 */
#ifndef TRAWL_CAPTURE_BRANCH_LOOKUP_H
#define TRAWL_CAPTURE_BRANCH_LOOKUP_H

#include <stddef.h>
#include <stdint.h>

enum lookup_request {
	/*
	 * Opens the program. Answer: a text that says why there are no symbols, or NULL; the build
	 * id, a text; the number of executable segments, then of each its offset, vaddr and filesz.
	 */
	LOOKUP_OPEN,
	LOOKUP_HITS, /* Looks up the offsets of the request. Answer: what is new, by
		      * findings_put(). */
	LOOKUP_ALL,  /* Looks up all functions, unless there are too many. Answer: likewise. */
};

enum {
	LOOKUP_HITS_MAX = 4096,      /* offsets in a request, which must fit into the socket's
				      * buffer */
	LOOKUP_SEGMENTS_MAX = 65536,
	LOOKUP_TEXT_MAX = 300,
};

/*
 * Answers requests at the socket until its other end is closed. A request is numbers as wire.h
 * writes them: enum lookup_request, how many offsets, the offsets. An answer is its length and its
 * bytes. If fd is -1 the program is the vdso, and image[0 .. size) its bytes.
 */
void lookup_serve(int socket, int fd, const char *path, char *image, size_t size);

#endif
