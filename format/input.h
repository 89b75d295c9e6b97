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

/* Addresses with this bit are none of the file; see input.overlay. */
#define INPUT_OVERLAY (UINT64_C(1) << 63)

struct input {
	int fd;          /* -1: memory */
	bool seekable;
	uint64_t size;   /* when seekable */
	uint8_t *data;   /* the window: bytes base .. base + len */
	uint64_t base;
	size_t len, cap;
	bool eof;        /* a pipe has given all */
	int error;       /* errno of a failed read */
	uint64_t bytes_read, reads;
	struct buf small;  /* the blocks of a small section (small.h), */
	uint64_t small_at; /* and 1 + the offset of its start block; 0: of none */
	/* input_at() for addresses with INPUT_OVERLAY; set by who hands out such. NULL: none did */
	const uint8_t *(*overlay)(struct input *in, uint64_t at, size_t n, size_t *got);
	void (*waiting)(void *arg); /* if set: called before a pipe is waited for */
	void *arg;
};

/* Takes over fd. */
void input_fd(struct input *in, int fd);
/* Reads p[0 .. n), which must stay; pipe: behave as if it could not seek. */
void input_memory(struct input *in, const void *p, size_t n, bool pipe);
void input_close(struct input *in);
/* Frees what it holds; the descriptor stays open. */
void input_release(struct input *in);

/* Returns whether a recorder still writes the file: it holds a lock on it until it ends. */
bool input_is_written(const struct input *in);

/*
 * Up to n bytes at offset `at`; *got says how many there are: fewer than n only at the end of the
 * input, or after an error. They stay valid until the next call. On a pipe, bytes before `at` are
 * given up: offsets may not go back.
 */
const uint8_t *input_at(struct input *in, uint64_t at, size_t n, size_t *got);

#endif
