/* SPDX-License-Identifier: MIT */
/*
 * The output file of a writer, and a queue of blocks for it. A thread writes the blocks in the
 * order of queueing. A disk or pipe that blocks (write-back, a journal, a slow reader) delays
 * neither the threads that compress nor the one that drains the kernel's buffers, until
 * WRITE_QUEUE_MOST bytes are queued.
 *
 * All functions except write_queue_new() and write_queue_free() are thread safe.
 */
#ifndef TRAWL_FORMAT_WRITEQUEUE_H
#define TRAWL_FORMAT_WRITEQUEUE_H

#include "format/batcher.h"
#include "format/sectionwriter.h"

/* Limit on queued bytes: for compressed probe events, several seconds at any rate. */
enum { WRITE_QUEUE_MOST = 8 << 20 };

struct write_queue;

/*
 * Begins a file on fd, which the write queue owns even on failure. Returns NULL with *err on
 * failure.
 */
struct write_queue *write_queue_new(int fd, const struct section_writer_front *front,
				    struct trawl_error *err);

/*
 * Queue a block; wait while the queue is full. Return false if memory runs out. If a block cannot
 * be written later, sectionwriter.h describes what is kept for the end of the file. *s and *t must
 * stay valid until write_queue_free().
 */
bool write_queue_source(struct write_queue *q, const struct trawl_source *s);
bool write_queue_type(struct write_queue *q, const struct trawl_event_type *t,
		      uint32_t index);
bool write_queue_meta(struct write_queue *q, const struct trawl_meta *m);
bool write_queue_sync(struct write_queue *q, const struct trawl_sync *s);
bool write_queue_loss(struct write_queue *q, const struct trawl_loss *l);
/*
 * The batcher counts events that cannot be written. A large chunk is written before this returns.
 */
bool write_queue_chunk(struct write_queue *q, struct batcher *s, const struct chunk_head *c,
		  const void *payload, size_t len);

/* Returns the address of the errno of the first block that could not be written; 0: none failed. */
const atomic_int *write_queue_error(const struct write_queue *q);
/* Returns the number of bytes written to the file. */
uint64_t write_queue_written(const struct write_queue *q);
/* Estimates the size of the file if it ended after the queued blocks, in bytes. */
uint64_t write_queue_expected(struct write_queue *q);

/*
 * Waits until the queue is empty. The caller owns the section writer until write_queue_release();
 * other threads that queue a block wait until then.
 */
struct section_writer *write_queue_hold(struct write_queue *q);
void write_queue_release(struct write_queue *q);

/*
 * Ends the thread and frees the queue; the caller has ended and closed the section. q may be NULL.
 */
void write_queue_free(struct write_queue *q);

#endif
