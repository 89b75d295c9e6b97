/* SPDX-License-Identifier: MIT */
/*
 * What a reader knows of a file besides events: sources, types, metadata, losses, clock-sync
 * blocks, and where to look for the chunks. It is filled from blocks or from their copies in the
 * index.
 *
 * Sources and types are numbered over the whole file; each section translates its own numbers.
 * A source that a later section describes in the same words is the same source.
 *
 * A long capture has many chunks and clock-syncs. The catalog does not keep them all: it keeps the
 * place of each *segment* and a few of its clock-syncs. A segment is the part of a section between
 * two index blocks or, in a section without an index, some thousand blocks. segment.h reads the
 * chunks and clock-syncs of a segment again when they are needed.
 */
#ifndef TRAWL_FORMAT_CATALOG_H
#define TRAWL_FORMAT_CATALOG_H

#include "format/body.h"
#include "format/clock.h"
#include "format/index.h"
#include "format/known.h"
#include "format/memory.h"

/* A growing array of pointers; what they point to never moves. */
struct vec {
	void **p;
	size_t n, cap;
};

/* The time of a stream's last event: the next one must not be earlier on the timeline. */
struct stream_tail {
	uint32_t cpu;
	uint64_t time;
};

struct section_source {
	const struct trawl_source *source;
	const struct trawl_event_type **types; /* by index; NULL where the block is lost */
	uint32_t ntypes;
	struct stream_tail *tails; /* ordered by cpu */
	uint32_t ntails;
	size_t cap, tails_cap; /* of types, of tails */
};

struct segment {
	uint64_t at;     /* offset in the section: of its index block, or else of its first block */
	uint64_t least;  /* time: no event in this segment or a later one is earlier */
	uint32_t chunks;
	bool wanted;     /* may contain events that were asked for */
};

struct section {
	uint32_t number;  /* in the file, from 0 */
	uint64_t start;   /* offset in the file */
	uint64_t end;     /* offset of its end in the file, as far as known */
	/* In any combination: of a damaged file or a pipe any block may be missing. */
	bool started;     /* its start block was read */
	bool ended;       /* its end block was read */
	bool indexed;     /* found by its index, without a scan */
	struct section_source *sources[SOURCES_MAX];
	size_t sync0;     /* its sync blocks: syncs[sync0 .. sync0 + nsyncs) of the catalog */
	size_t nsyncs;
	size_t settled;   /* how many of these belong to segments that have ended */
	bool thinned;     /* catalog_thin() has removed some */
	struct segment *segments;
	size_t nsegments, segments_cap;
	uint32_t items;   /* chunks and sync blocks in the last segment, without an index */
	bool remember;    /* `known` is maintained: the index may contain copies of these blocks */
	struct known known; /* blocks that were added */
	struct known copies; /* copies in the index that were added */
	uint64_t shift;   /* offset of the last block with a copy, minus the offset in the copy */
	uint64_t behind;  /* offset of the last index entry's block: copies are added after it */
	uint64_t timeline; /* adjacent sections with the same number share a timeline; 0: none */
	uint64_t moved;    /* ns by which the timeline is shifted */
	uint64_t doubt;    /* largest error of `moved`, ns; UINT64_MAX: not known */
	struct meta_part part; /* the metadata of which not all parts have been read */
	struct buf part_data;
};

struct catalog {
	struct vec sources; /* struct catalog_source */
	struct vec types;   /* struct trawl_event_type */
	struct vec metas;   /* struct catalog_meta */
	struct vec losses;  /* struct trawl_loss */
	uint64_t lost_chunks; /* damaged chunks whose events are in `losses` */
	struct vec sections;
	struct clock_sync *syncs;
	size_t nsyncs, syncs_cap;
	uint64_t thinned;   /* number of clock-syncs that were read and not kept */
	uint64_t bound;     /* the largest bound of all clock-syncs, ns */
	struct budget budget; /* of the whole reader; reader_no_memory() makes its error */
	struct catalog_meta **names; /* hash table: the newest metadata of each name */
	size_t nnames, names_cap;
};

/* The files of a rotation repeat metadata; equal strings and data are kept once. */
struct catalog_meta {
	struct trawl_meta meta;
	bool shared; /* an earlier catalog_meta owns the strings and the data */
};

struct catalog_source {
	struct trawl_source source;
	struct trawl_event_type ***pages; /* the newest type of each id */
	size_t npages, pages_cap;
};

void catalog_free(struct catalog *c);
/* Adds a section that begins at this offset of the file. Returns NULL if memory runs out. */
struct section *catalog_section(struct catalog *c, uint64_t start);

/*
 * Adds the contents of a block at offset `at` of the section. Returns false if the body breaks a
 * rule of the format, or memory runs out.
 */
bool catalog_add(struct catalog *c, struct section *s, enum block_kind kind, uint64_t at,
		 struct view *body);
/* Adds the events of a damaged chunk, whose place and head are known, to the losses. */
void catalog_lose_chunk(struct catalog *c, const struct section *s, const struct chunk_ref *ref);
/* Notes a chunk that was read after damage. Returns false if memory runs out. */
bool catalog_know_chunk(struct section *s, const struct chunk_ref *ref);
/* Notes a chunk that the index lists. in_place: it is before all damage, so its offset is right. */
void catalog_pass_chunk(struct section *s, const struct chunk_ref *ref, bool in_place);
/*
 * Adds the index's copy of a block, unless the block itself was read. `at` is the offset that the
 * block had when it was written; bytes may have been inserted or removed since. The copy takes its
 * place after the block of the index entry before it.
 */
bool catalog_add_copy(struct catalog *c, struct section *s, enum block_kind kind, uint64_t at,
		      struct view *body);

/* Adds a segment at this offset with so many chunks. Returns false if memory runs out. */
bool catalog_segment(struct section *s, uint64_t at, uint32_t chunks);
/*
 * Sorts the clock-syncs that were added since the last call, except the newest `last`. If they are
 * many, keeps only the first and last few, and those before and after each step of the wall clock.
 */
void catalog_thin(struct catalog *c, struct section *s, size_t last);
/* Call when all of a section has been added: sorts what was added out of order. */
void catalog_settle(struct catalog *c, struct section *s);

/* The clock-syncs that the catalog keeps of the section; valid until one is added. */
struct clock_map catalog_clocks(const struct catalog *c, const struct section *s);
/* Sorts clock-syncs by offset and removes duplicates. Returns how many are left. */
size_t clock_syncs_order(struct clock_sync *syncs, size_t n);

#endif
