/* SPDX-License-Identifier: MIT */
/*
 * Branches, and the encoding of a batch of them: docs/format.md, "Branches".
 *
 * A batch has the branches of one task in a range of time. The distinct pairs (from, to, kind) of a
 * batch are numbered, and the number of the next pair is guessed from the three branches before.
 * Stored are the counts of right guesses, and the pairs where the guess was wrong. For full traces
 * of gzip, sqlite3 and python3 a branch takes 0.2 to 0.4 bytes and 19 to 25 ns; as columns from, to
 * and kind of an event it took 1.2 to 1.5 bytes and 45 to 95 ns (2026-11-22).
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

/* Stored in files. Values up to BRANCH_IRQ equal those of perf (PERF_BR_*). */
enum branch_kind {
	BRANCH_UNKNOWN,
	BRANCH_JCC,
	BRANCH_JMP,
	BRANCH_INDIRECT_JMP,
	BRANCH_CALL,
	BRANCH_INDIRECT_CALL,
	BRANCH_RET,
	BRANCH_SYSCALL,   /* `to` is the instruction after the system call */
	BRANCH_SYSRET,
	BRANCH_COND_CALL,
	BRANCH_COND_RET,
	BRANCH_ERET,
	BRANCH_IRQ,
	BRANCH_FAR,       /* far calls, jumps and returns, software interrupts */
	BRANCH_SIGNAL,    /* from the interrupted instruction to the handler */
	BRANCH_SIGRETURN, /* back from a handler */
	BRANCH_EXEC,      /* from 0 to the first instruction of the new program */
	BRANCH_KINDS
};

const char *branch_kind_name(unsigned int kind); /* "jcc", ..., "?"; never NULL */

enum branch_flag {
	BRANCH_MISPREDICTED = 1,
	BRANCH_PREDICTED = 2, /* neither this nor MISPREDICTED: not known */
	BRANCH_IN_TX = 4,
	BRANCH_ABORT = 8,
};

struct branch {
	uint64_t from, to;
	uint32_t cycles; /* since the processor's previous record; 0: not known */
	uint8_t kind;    /* enum branch_kind */
	uint8_t flags;   /* enum branch_flag */
};

/* Something that happened between two branches. */
enum branch_mark_kind {
	BRANCH_MARK_TIME,    /* only states the time */
	BRANCH_MARK_LOST,    /* `count` branches are missing here; 0: an unknown number */
	BRANCH_MARK_START,   /* recording of the task begins: earlier branches are unknown */
	BRANCH_MARK_STACK,   /* another stack of last branches begins: those between it and the
			      * previous one are unknown */
	BRANCH_MARK_BREAK,   /* the code does not lead from the branch before to this one: the
			      * kernel moved the task, or branches are missing */
	BRANCH_MARKS
};

struct branch_mark {
	uint32_t at;    /* number of the branch after the mark */
	uint8_t kind;   /* enum branch_mark_kind */
	uint64_t time;  /* ns, the source's clock; does not decrease from mark to mark */
	uint64_t count;
	/*
	 * Of a decoded mark: when the branch before it has happened at the latest; 0: the batch's
	 * end. A loss in the middle of what was collected at once has its beginning as time.
	 */
	uint64_t latest;
};

struct branch_pair {
	uint64_t from, to;
	uint8_t kind;
};

/* ---- encoding ---------------------------------------------------------------------------- */

struct branch_encoder;

struct branch_encoder *branch_encoder_new(void); /* NULL: out of memory */
void branch_encoder_free(struct branch_encoder *e);

/* Begins a batch at this time, ns. */
void branch_encoder_start(struct branch_encoder *e, uint64_t time);
uint32_t branch_encoder_count(const struct branch_encoder *e);
bool branch_encoder_full(const struct branch_encoder *e);
uint64_t branch_encoder_first(const struct branch_encoder *e);
uint64_t branch_encoder_last(const struct branch_encoder *e);

/* Adds a branch; the batch must not be full. Returns whether its pair is new in the batch. */
bool branch_encoder_add(struct branch_encoder *e, const struct branch *b, uint64_t time);
/*
 * States that the branches before happened at this time or earlier, and those after at this time or
 * later. Needed if branches have the time from which they may be; otherwise their times say so.
 */
void branch_encoder_time(struct branch_encoder *e, uint64_t time);
/* Adds a mark before the next branch. */
void branch_encoder_mark(struct branch_encoder *e, enum branch_mark_kind kind, uint64_t time,
			 uint64_t count);

/* Ends the batch. Returns its *len bytes, valid until the next start; NULL: out of memory. */
const void *branch_encoder_finish(struct branch_encoder *e, size_t *len);

/* ---- decoding ---------------------------------------------------------------------------- */

struct branch_batch {
	uint32_t count, npairs, nmarks;
	struct branch_pair *pairs;
	uint32_t *ids;             /* `count` elements: the number of each branch's pair */
	struct branch_mark *marks; /* sorted by `at` and time */
	uint8_t *flags;            /* `count` elements; NULL: all 0 */
	uint32_t *cycles;          /* `count` elements; NULL: not known */
};

/*
 * Decodes `count` branches that begin at time `first`. Returns NULL; or a static text that says
 * what is wrong with the bytes; or branch_no_memory. The caller frees the batch in any case.
 */
extern const char branch_no_memory[];
const char *branch_batch_decode(struct branch_batch *b, const void *data, size_t len,
				uint32_t count, uint64_t first);
void branch_batch_free(struct branch_batch *b);
/*
 * Returns when the branches before marks[mark] have happened at the latest. until: the batch's.
 */
static inline uint64_t branch_batch_latest(const struct branch_batch *b, uint32_t mark,
					   uint64_t until)
{
	return mark < b->nmarks && b->marks[mark].latest ? b->marks[mark].latest : until;
}
/*
 * Leaves of a decoded batch that begins at *first the branches and marks with times from `from`
 * until before `to`; *first becomes the time of the first one. A branch has the time of the last
 * mark at or before it. The new end has a mark for how late the last branch may be. Returns how
 * many branches were left out in front.
 */
uint32_t branch_batch_clip(struct branch_batch *b, uint64_t *first, uint64_t from, uint64_t to);

/*
 * Adds a decoded batch of the same task, from `first` to `until`, to an open batch that ends before
 * it; times are kept. Returns false and adds nothing if both do not fit into one batch.
 */
bool branch_encoder_append(struct branch_encoder *e, const struct branch_batch *b, uint64_t first,
			   uint64_t until);


#endif
