/* SPDX-License-Identifier: MIT */
/*
 * An array in a mapped unnamed file, for data that grows with the capture: its pages are page
 * cache, which the kernel can write out and reclaim, and the file is removed with the process.
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
	bool borrowed;    /* fd belongs to another array */
	void *p;          /* the elements; NULL before the first filearray_reserve() */
	size_t room;      /* bytes of the mapping */
	size_t end;       /* bytes of the file */
};

#define FILEARRAY_NONE {.fd = -1}

/* Opens an empty array. Returns 0, or -1 with errno set. */
int filearray_open(struct filearray *a);
/*
 * Extends the array to `size` bytes; a->p may change. New bytes are zero. Returns false if that
 * fails.
 */
bool filearray_reserve(struct filearray *a, size_t size);
/*
 * Makes *a an array of `size` zero bytes in the file of `first`, for use where no file can be
 * opened. `first` must not grow any more, and must be closed last. Returns false if that fails.
 */
bool filearray_beside(struct filearray *first, struct filearray *a, size_t size);
/* Removes the array's pages from this process's memory; they are read again on access. */
void filearray_release(const struct filearray *a);
void filearray_close(struct filearray *a);

#endif
