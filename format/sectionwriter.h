/* SPDX-License-Identifier: MIT */
/*
 * One file of a writer, from its front to its end block: every kind of block is put here, and
 * what goes into the index is kept meanwhile. The caller serialises; nothing here locks.
 *
 * Functions return 0, or -1 once the file cannot be written; section_writer_fail() tells why. After
 * the first failure nothing more is written, until the end of the file: room for that is always
 * left.
 */
#ifndef TRAWL_FORMAT_SECTIONWRITER_H
#define TRAWL_FORMAT_SECTIONWRITER_H

#include "format/body.h"
#include "format/metacache.h"
#include "format/index.h"
#include "format/sink.h"

/* What the front of each file of a writer says. */
struct section_writer_front {
	const char *name;     /* of the output, in errors */
	const char *comment;
	uint64_t time;  /* CLOCK_REALTIME ns; 0: now */
	uint32_t part;  /* of a row of files, from 0 */
	bool later;     /* FORMAT_LATER */
	bool no_index;
};

struct late_loss;

struct section_writer {
	struct file_sink sink;
	const char *name;          /* the front's */
	struct index index;
	bool later;                /* the front's */
	struct buf group;          /* items of metadata that is not in the file yet */
	bool ending;               /* the room that was left for the end is being used */
	/* What could not be said when it came up: all losses, the newest sync and metadata. */
	struct late_loss *losses;
	struct trawl_sync sync;    /* mono 0: none */
	struct meta_cache metas;
};

/* Starts a section at the place of fd, which the section writer owns from now on. */
int section_writer_begin(struct section_writer *v, int fd,
			 const struct section_writer_front *front);

int section_writer_source(struct section_writer *v, const struct trawl_source *s);
/* `index` is the type's number in its source, as chunks use it. */
int section_writer_type(struct section_writer *v, const struct trawl_event_type *t, uint32_t index);
int section_writer_meta(struct section_writer *v, const struct trawl_meta *m);
int section_writer_sync(struct section_writer *v, const struct trawl_sync *s);
int section_writer_loss(struct section_writer *v, const struct trawl_loss *l);
/* Fills c->check and c->payload. */
int section_writer_chunk(struct section_writer *v, struct chunk_head *c, const void *payload,
			 size_t len);

/*
 * The end of the file begins: what comes now may use the room that was left for it, whatever went
 * wrong before. What could not be written is said first: losses as one for each source, CPU and
 * reason, the newest clock-sync, and some KiB of the newest metadata.
 */
void section_writer_last_words(struct section_writer *v);

/* Bytes of the file if it ended now, about. */
uint64_t section_writer_size(const struct section_writer *v);

/* Index and end block, which says that `lost` events are not here. */
void section_writer_end(struct section_writer *v, uint64_t lost);

/* Closes the descriptor and frees; section_writer_begin() may follow. 0 or -1 as above. */
int section_writer_close(struct section_writer *v);

static inline bool section_writer_failed(const struct section_writer *v)
{
	return v->sink.error != 0;
}

/* Fills err with what is wrong; returns -1. */
int section_writer_fail(const struct section_writer *v, struct trawl_error *err);

#endif
