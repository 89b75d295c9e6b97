/* SPDX-License-Identifier: MIT */
/*
 * An array in a mapped file without a name: its pages are page cache, which the kernel writes out
 * and takes back, and it vanishes with the process. For what grows with a capture.
 */
#ifndef TRAWL_REPLAY_FILEARRAY_H
#define TRAWL_REPLAY_FILEARRAY_H

#include <stdbool.h>
#include <stddef.h>

/* Opens a file without a name in $TMPDIR or /tmp, else in memory. Returns -1 with errno set. */
int scratch_file(void);
/* The folder of scratch_file(). */
const char *scratch_folder(void);

struct filearray {
	int fd;
	bool borrowed;    /* fd is another array's */
	void *p;          /* the elements; NULL before the first filearray_reserve() */
	size_t room;      /* bytes of the mapping */
	size_t end;       /* bytes of the file */
};

#define FILEARRAY_NONE {.fd = -1}

/* Opens an empty array. Returns 0, or -1 with errno set. */
int filearray_open(struct filearray *a);
/* Makes room for `size` bytes; a->p may move. New bytes are zero. Returns false without room. */
bool filearray_reserve(struct filearray *a, size_t size);
/*
 * Makes *a an array of `size` bytes, all zero, in the file of `first`, which must not grow any more
 * and be closed last. For arrays that are made where no file can be opened. Returns false if there
 * is no room.
 */
bool filearray_beside(struct filearray *first, struct filearray *a, size_t size);
/* Takes the array's pages out of this process; whoever uses one gets it back from the file. */
void filearray_release(const struct filearray *a);
void filearray_close(struct filearray *a);

#endif
