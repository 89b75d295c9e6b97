/* SPDX-License-Identifier: MIT */
/*
 * Writes one file, from its section header to its end block, and collects the contents of its
 * index. Not thread safe.
 *
 * Functions return 0, or -1 once the file cannot be written; section_writer_fail() gives the error.
 * After the first failure nothing is written until section_writer_use_reserve(): space for the end
 * of the file is always reserved.
 */
#ifndef TRAWL_FORMAT_SECTIONWRITER_H
#define TRAWL_FORMAT_SECTIONWRITER_H

#include "format/body.h"
#include "format/metacache.h"
#include "format/index.h"
#include "format/sink.h"

/* The contents of the first blocks in each file of a writer. */
struct section_writer_front {
	const char *name;     /* of the output, in errors */
	const char *comment;
	uint64_t time;  /* CLOCK_REALTIME ns; 0: now */
	uint32_t part;  /* number of the file in a rotation, from 0 */
	bool compact;   /* has blocks of version FORMAT_COMPACT */
	bool no_index;  /* as in struct trawl_writer_options */
};

struct late_loss;

struct section_writer {
	struct file_sink sink;
	const char *name;          /* the front's */
	struct index index;
	bool compact;              /* the front's */
	struct buf group;          /* metadata that is not written yet, for one group block */
	bool ending;               /* the space reserved for the end is being used */
	/* What could not be written: all losses, the newest sync block and metadata. */
	struct late_loss *losses;
	struct trawl_sync sync;    /* mono 0: none */
	struct meta_cache metas;
};

/* Starts a section at the current offset of fd, which the section writer owns from now on. */
int section_writer_begin(struct section_writer *file, int fd,
			 const struct section_writer_front *front);

int section_writer_source(struct section_writer *file, const struct trawl_source *s);
/* index: the number of the type in its source, by which chunks refer to it. */
int section_writer_type(struct section_writer *file, const struct trawl_event_type *t,
			uint32_t index);
int section_writer_meta(struct section_writer *file, const struct trawl_meta *m);
int section_writer_sync(struct section_writer *file, const struct trawl_sync *s);
int section_writer_loss(struct section_writer *file, const struct trawl_loss *l);
/* Writes a chunk block; sets c->check and c->payload. */
int section_writer_chunk(struct section_writer *file, struct chunk_head *c, const void *payload,
			 size_t len);

/*
 * Begins the end of the file: allows writing again after a failure, into the reserved space. First
 * writes what could not be written before: losses, one for each source, CPU and reason, the newest
 * clock-sync, and some KiB of the newest metadata.
 */
void section_writer_use_reserve(struct section_writer *file);

/* Estimates the size of the file if it ended now, bytes. */
uint64_t section_writer_size(const struct section_writer *file);

/* Writes the index and the end block; `lost` is the number of missing events that it states. */
void section_writer_end(struct section_writer *file, uint64_t lost);

/* Closes the descriptor and frees; section_writer_begin() may follow. Returns 0 or -1 as above. */
int section_writer_close(struct section_writer *file);

static inline bool section_writer_failed(const struct section_writer *file)
{
	return file->sink.error != 0;
}

/* Fills *err with the first error of writing; returns -1. */
int section_writer_fail(const struct section_writer *file, struct trawl_error *err);

#endif
