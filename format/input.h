/* SPDX-License-Identifier: MIT */
/*
 * The bytes being read: a file by pread, a pipe by read, or memory. One window of them is held.
 */
#ifndef TRAWL_FORMAT_INPUT_H
#define TRAWL_FORMAT_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/bytes.h"

/* Addresses with this bit are not file offsets; see input.overlay. */
#define INPUT_OVERLAY (UINT64_C(1) << 63)

struct input {
	int fd;          /* -1: memory */
	bool seekable;
	uint64_t size;   /* when seekable */
	uint8_t *data;   /* the window: bytes base .. base + len */
	uint64_t base;
	size_t len, cap;
	bool eof;        /* the pipe's end was read */
	int error;       /* errno of a failed read; ESTALE: another program changed the file */
	uint64_t bytes_read, reads;
	struct buf small;  /* the expanded blocks of a small section (small.h) */
	uint64_t small_at; /* 1 + the offset of that section's start block; 0: `small` is empty */
	/* input_at() for addresses with INPUT_OVERLAY; set by small_expand(), else NULL */
	const uint8_t *(*overlay)(struct input *in, uint64_t at, size_t n, size_t *got);
	void (*waiting)(void *arg); /* called before waiting for a pipe; may be NULL */
	void *arg;
};

/* Reads from fd, which the input owns from now on. */
void input_fd(struct input *in, int fd);
/* Reads p[0 .. n), which must stay valid; pipe: as if from a pipe. */
void input_memory(struct input *in, const void *p, size_t n, bool pipe);
void input_close(struct input *in);
/* Frees what it holds; the descriptor stays open. */
void input_release(struct input *in);

/* Returns whether a recorder still writes the file: it holds a lock on it until it ends. */
bool input_is_written(const struct input *in);

/*
 * Returns up to n bytes at offset `at`, valid until the next call. *got is their number: fewer than
 * n only at the end of the input or after an error. A pipe discards bytes before `at`: offsets must
 * not decrease.
 */
const uint8_t *input_at(struct input *in, uint64_t at, size_t n, size_t *got);

#endif
