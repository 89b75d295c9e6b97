/* SPDX-License-Identifier: MIT */
/*
 * What a reader knows of a file besides events: sources, types, metadata, losses, clock-sync
 * blocks, and where to look for the chunks. It is filled from blocks or from their copies in the
 * index.
 *
 * Sources and types are numbered over the whole file; each section translates its own numbers.
 * A source that a later section describes in the same words is the same source.
 *
 * A long capture has many chunks and clock-syncs. Of these only a few are kept for each *segment*
 * of a section: what is in front of an index block, back to the one before it, or, in a section
 * without an index, some thousand blocks. segment.h reads the others again when they are needed.
 */
#ifndef TRAWL_FORMAT_CATALOG_H
#define TRAWL_FORMAT_CATALOG_H

#include "format/body.h"
#include "format/clock.h"
#include "format/index.h"
#include "format/known.h"
#include "format/memory.h"

/* A growing array of pointers to things that do not move. */
struct vec {
	void **p;
	size_t n, cap;
};
bool vec_add(struct vec *v, void *p);

/* The last time of a stream, so that its events never go back on the timeline. */
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
	uint64_t at;     /* in the section: of its index block, or of its first if there is none */
	uint64_t least;  /* none of the chunks here and after is earlier on the timeline */
	uint32_t chunks;
	bool wanted;     /* some of them may have events that were asked for */
};

struct section {
	uint32_t number;  /* in the file, from 0 */
	uint64_t start;   /* offset in the file */
	uint64_t end;     /* just after it, as far as known */
	bool started;     /* has its start block */
	bool ended;       /* has its end block */
	bool indexed;     /* known from the index, not scanned */
	struct section_source *sources[SOURCES_MAX];
	size_t sync0;     /* its sync blocks: syncs[sync0 .. sync0 + nsyncs) of the catalog */
	size_t nsyncs;
	size_t settled;   /* of these, those of segments that have ended */
	bool thinned;     /* there were more */
	struct segment *segments;
	size_t nsegments, segments_cap;
	uint32_t items;   /* chunks and sync blocks in the last segment, without an index */
	bool remember;    /* copies in the index may yet tell of the blocks that are added */
	struct known known; /* these blocks */
	struct known told;  /* copies that were added */
	uint64_t shift;   /* offset of a block less that in its copy, for the last one that had
			   * both */
	uint64_t behind;  /* offset of the block of the index's last entry: copies come after it */
	uint64_t timeline; /* sections one after the other with the same number are one; 0: alone */
	uint64_t moved;    /* ns that the timeline is moved by */
	uint64_t doubt;    /* ns that this may be wrong by; UINT64_MAX: not known */
	struct meta_part part; /* the metadata whose parts are coming in */
	struct buf part_data;
};

struct catalog {
	struct vec sources; /* struct catalog_source */
	struct vec types;   /* struct trawl_event_type */
	struct vec metas;   /* struct catalog_meta */
	struct vec losses;  /* struct trawl_loss */
	struct vec sections;
	struct clock_sync *syncs;
	size_t nsyncs, syncs_cap;
	uint64_t thinned;   /* clock-syncs that are not kept */
	uint64_t bound;     /* the largest of all clock-syncs */
	struct budget budget; /* of all of the reader; what refuses is told by reader_no_memory() */
	struct catalog_meta **names; /* hash table: the newest metadata of each name */
	size_t nnames, names_cap;
};

/* The captures of a rotation say the same again and again: that is kept once. */
struct catalog_meta {
	struct trawl_meta meta;
	bool shared; /* strings and data are those of an earlier one */
};

struct catalog_source {
	struct trawl_source source;
	struct trawl_event_type **pages[256]; /* the newest type of each id */
};

void catalog_free(struct catalog *c);
struct section *catalog_section(struct catalog *c, uint64_t start);

/*
 * The body of a block that is at offset `at` of the section. False when the body breaks the
 * format's rules, or memory runs out.
 */
bool catalog_add(struct catalog *c, struct section *s, enum block_kind kind, uint64_t at,
		 struct view *body);
/* A chunk that was read after damage; false when memory runs out. */
bool catalog_know_chunk(struct section *s, const struct chunk_ref *ref);
/* The index lists this chunk. in_place: it is in front of all damage. */
void catalog_pass_chunk(struct section *s, const struct chunk_ref *ref, bool in_place);
/*
 * The copy that an index has of the block that was at offset `at` when it was written: added unless
 * that block was added itself, wherever it is now; its place is then right behind the entry in
 * front of it in the index that was read.
 */
bool catalog_add_copy(struct catalog *c, struct section *s, enum block_kind kind, uint64_t at,
		      struct view *body);

/* A segment begins (without an index), or is known of (with one); false when memory runs out. */
bool catalog_segment(struct section *s, uint64_t at, uint32_t chunks);
/*
 * All but the newest `last` of the clock-syncs that have been added since the last call are put in
 * order, and if there are many, only those are kept that something hangs on: the first and last
 * few, and those on both sides of a step of the time of day.
 */
void catalog_thin(struct catalog *c, struct section *s, size_t last);
/* When all of a section has been added: orders what was told out of order. */
void catalog_settle(struct catalog *c, struct section *s);

/* The clock-syncs that are kept. */
struct clock_map catalog_clocks(const struct catalog *c, const struct section *s);
/* Orders clock-syncs by offset, each once; how many there are. */
size_t clock_syncs_order(struct clock_sync *syncs, size_t n);

#endif
