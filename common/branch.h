/* SPDX-License-Identifier: MIT */
/*
 * Branches, and how a batch of them is written: docs/format.md, "Branches". The recorder encodes,
 * decoders decode.
 *
 * A batch is what one task did in one stretch of time. Its branches are numbers of pairs (from, to,
 * kind), and mostly guessed from the three branches before: what is stored is how many guesses were
 * right, and what came instead. Of full traces of gzip, sqlite3 and python3 a branch takes 0.2 to
 * 0.4 bytes so and 19 to 25 ns; as columns from, to and kind of an event it takes 1.2 to 1.5 bytes
 * and 45 to 95 ns (2026-11-22).
 */
#ifndef TRAWL_COMMON_BRANCH_H
#define TRAWL_COMMON_BRANCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	BRANCH_BATCH_MAX = 65536, /* branches in a batch */
	BRANCH_MARKS_MAX = 65536, /* marks in a batch */
};

/* Numbers of files; those up to BRANCH_IRQ are those of perf (PERF_BR_*). */
enum branch_kind {
	BRANCH_UNKNOWN,
	BRANCH_JCC,
	BRANCH_JMP,
	BRANCH_INDIRECT_JMP,
	BRANCH_CALL,
	BRANCH_INDIRECT_CALL,
	BRANCH_RET,
	BRANCH_SYSCALL,   /* to is where it goes on after the system call */
	BRANCH_SYSRET,
	BRANCH_COND_CALL,
	BRANCH_COND_RET,
	BRANCH_ERET,
	BRANCH_IRQ,
	BRANCH_FAR,       /* far calls, jumps and returns, software interrupts */
	BRANCH_SIGNAL,    /* from the interrupted instruction to the handler */
	BRANCH_SIGRETURN, /* back from a handler */
	BRANCH_EXEC,      /* to the first instruction of the new program; from 0 */
	BRANCH_KINDS
};

const char *branch_kind_name(unsigned int kind); /* "jcc", ..., "?"; never NULL */

enum branch_flag {
	BRANCH_MISPREDICTED = 1,
	BRANCH_PREDICTED = 2, /* the processor told, and it was */
	BRANCH_IN_TX = 4,
	BRANCH_ABORT = 8,
};

struct branch {
	uint64_t from, to;
	uint32_t cycles; /* since the branch before; 0: not known */
	uint8_t kind;    /* enum branch_kind */
	uint8_t flags;   /* enum branch_flag */
};

/* Something at a place between two branches. */
enum branch_mark_kind {
	BRANCH_MARK_TIME,    /* nothing but the time */
	BRANCH_MARK_LOST,    /* branches are missing here: count, or 0: not known how many */
	BRANCH_MARK_START,   /* recording of the task begins here: what was before is not known */
	BRANCH_MARK_STACK,   /* another stack of the last branches begins: what was before it is
			      * not known */
	BRANCH_MARKS
};

struct branch_mark {
	uint32_t at;    /* in front of the branch of this number */
	uint8_t kind;   /* enum branch_mark_kind */
	uint64_t time;  /* ns, of the source's clock; never goes back */
	uint64_t count;
};

struct branch_pair {
	uint64_t from, to;
	uint8_t kind;
};

/* ---- encoding ---------------------------------------------------------------------------- */

struct branch_encoder;

struct branch_encoder *branch_encoder_new(void); /* NULL: out of memory */
void branch_encoder_free(struct branch_encoder *e);

/* Begins a batch at this time. */
void branch_encoder_start(struct branch_encoder *e, uint64_t time);
uint32_t branch_encoder_count(const struct branch_encoder *e);
bool branch_encoder_full(const struct branch_encoder *e);
uint64_t branch_encoder_first(const struct branch_encoder *e);
uint64_t branch_encoder_last(const struct branch_encoder *e);

/* Adds a branch. True if this pair is new in the batch. Must not be full. */
bool branch_encoder_add(struct branch_encoder *e, const struct branch *b, uint64_t time);
/* A mark in front of the next branch. */
void branch_encoder_mark(struct branch_encoder *e, enum branch_mark_kind kind, uint64_t time,
			 uint64_t count);

/* Ends the batch. Returns its bytes, valid until the next start; NULL: out of memory. */
const void *branch_encoder_finish(struct branch_encoder *e, size_t *len);

/* ---- decoding ---------------------------------------------------------------------------- */

struct branch_batch {
	uint32_t count, npairs, nmarks;
	struct branch_pair *pairs;
	uint32_t *ids;             /* count: the number of each branch's pair */
	struct branch_mark *marks; /* in order of `at` and time */
	uint8_t *flags;            /* count, or NULL: none has any */
	uint32_t *cycles;          /* count, or NULL: not known */
};

/*
 * Decodes count branches that begin at time `first`. Returns NULL, or what is wrong with the bytes,
 * or branch_no_memory, which says nothing of them. The caller frees the batch in any case.
 */
extern const char branch_no_memory[];
const char *branch_batch_decode(struct branch_batch *b, const void *data, size_t len,
				uint32_t count, uint64_t first);
void branch_batch_free(struct branch_batch *b);

/*
 * Adds all of a decoded batch of the same task, from `first` to `until`, to an open one that is not
 * later; the times stay. Returns false and adds nothing if they do not fit into one batch.
 */
bool branch_encoder_append(struct branch_encoder *e, const struct branch_batch *b, uint64_t first,
			   uint64_t until);

/*
 * Encodes a decoded batch again. The caller may have changed its pairs, as long as different pairs
 * stay different. Returns the bytes, valid until the encoder's next start; NULL: out of memory.
 */
const void *branch_encoder_again(struct branch_encoder *e, const struct branch_batch *b,
				 uint64_t first, size_t *len);

#endif
