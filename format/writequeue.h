/* SPDX-License-Identifier: MIT */
/*
 * A file of a writer and what is on its way there. Blocks wait in the order in which they came, and
 * a thread writes them: a disk that makes its writers wait (write-back, a journal, a pipe that
 * nobody reads just now) holds up neither the threads that compress nor the one that drains the
 * kernel's buffers, until WRITE_QUEUE_MOST bytes wait.
 *
 * All may be called from several threads, but for write_queue_new() and write_queue_free().
 */
#ifndef TRAWL_FORMAT_WRITEQUEUE_H
#define TRAWL_FORMAT_WRITEQUEUE_H

#include "format/batcher.h"
#include "format/sectionwriter.h"

/* Bytes of blocks: of probes' events, compressed, several seconds at any rate. */
enum { WRITE_QUEUE_MOST = 8 << 20 };

struct write_queue;

/* Begins a file on fd, which the write queue owns in any case. NULL and *err when that fails. */
struct write_queue *write_queue_new(int fd, const struct section_writer_front *front,
				    struct trawl_error *err);

/*
 * Each puts a block after those that wait; when these are too many, the caller waits too. False
 * when memory runs out. A block that cannot be written later goes the way that sectionwriter.h
 * says.
 */
bool write_queue_source(struct write_queue *o, const struct trawl_source *s); /* which must stay */
bool write_queue_type(struct write_queue *o, const struct trawl_event_type *t,
		      uint32_t index); /* too */
bool write_queue_meta(struct write_queue *o, const struct trawl_meta *m);
bool write_queue_sync(struct write_queue *o, const struct trawl_sync *s);
bool write_queue_loss(struct write_queue *o, const struct trawl_loss *l);
/* What cannot be written, the batcher counts. A large chunk is written before this returns. */
bool write_queue_chunk(struct write_queue *o, struct batcher *s, const struct chunk_head *c,
		  const void *payload, size_t len);

/* Where errno of what could not be written is to be read; 0: nothing. */
const atomic_int *write_queue_error(const struct write_queue *o);
/* Bytes that are in the file. */
uint64_t write_queue_written(const struct write_queue *o);
/* Bytes of the file if it ended with what is on its way, about. */
uint64_t write_queue_expected(struct write_queue *o);

/*
 * Waits until nothing is on its way. The file is the caller's until write_queue_release(): whoever
 * has a block for it waits meanwhile.
 */
struct section_writer *write_queue_hold(struct write_queue *o);
void write_queue_release(struct write_queue *o);

/* Ends the thread and frees; the caller has ended and closed the section. NULL is none. */
void write_queue_free(struct write_queue *o);

#endif
