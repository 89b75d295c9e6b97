/* SPDX-License-Identifier: MIT */
/*
 * A file of a writer and what is on its way there. Blocks wait in the order in which they came, and
 * a thread writes them: a disk that makes its writers wait (write-back, a journal, a pipe that
 * nobody reads just now) holds up neither the threads that compress nor the one that drains the
 * kernel's buffers, until OUTBOX_MOST bytes wait.
 *
 * All may be called from several threads, but for outbox_new() and outbox_free().
 */
#ifndef TRAWL_FORMAT_WRITEQUEUE_H
#define TRAWL_FORMAT_WRITEQUEUE_H

#include "format/batcher.h"
#include "format/sectionwriter.h"

/* Bytes of blocks: of probes' events, compressed, several seconds at any rate. */
enum { OUTBOX_MOST = 8 << 20 };

struct outbox;

/* Begins a file on fd, which is the outbox's in any case. NULL and *err when that fails. */
struct outbox *outbox_new(int fd, const struct volume_front *front, struct trawl_error *err);

/*
 * Each puts a block behind those that wait; when these are too many, the caller waits too. False
 * when memory runs out. A block that cannot be written later goes the way that volume.h says.
 */
bool outbox_source(struct outbox *o, const struct trawl_source *s); /* which must stay */
bool outbox_type(struct outbox *o, const struct trawl_event_type *t, uint32_t index); /* too */
bool outbox_meta(struct outbox *o, const struct trawl_meta *m);
bool outbox_sync(struct outbox *o, const struct trawl_sync *s);
bool outbox_loss(struct outbox *o, const struct trawl_loss *l);
/* What cannot be written, the stage counts. A large chunk is written before this returns. */
bool outbox_chunk(struct outbox *o, struct stage *s, const struct chunk_head *c,
		  const void *payload, size_t len);

/* Where errno of what could not be written is to be read; 0: nothing. */
const atomic_int *outbox_error(const struct outbox *o);
/* Bytes that are in the file. */
uint64_t outbox_written(const struct outbox *o);
/* Bytes of the file if it ended with what is on its way, about. */
uint64_t outbox_expected(struct outbox *o);

/*
 * Waits until nothing is on its way. The file is the caller's until outbox_release(): whoever has
 * a block for it waits meanwhile.
 */
struct volume *outbox_hold(struct outbox *o);
void outbox_release(struct outbox *o);

/* Ends the thread and frees; the caller has ended and closed the volume. NULL is none. */
void outbox_free(struct outbox *o);

#endif
