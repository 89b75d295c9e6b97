/* SPDX-License-Identifier: MIT */
/* The internals of a stream (stream.h), shared by its files. */
#ifndef TRAWL_DECODE_QUERY_STATE_H
#define TRAWL_DECODE_QUERY_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/base/boot.h"
#include "decode/base/decoder.h"
#include "decode/query/consumer.h"
#include "decode/query/selection.h"
#include "decode/query/took.h"

/* A machine of a merged file; each has tasks and devices of its own. */
struct machine {
	const char *name; /* the MACHINE of its sources NAME@MACHINE */
	struct decode_context context; /* its reader shows the metadata of its sections only */
	bool *sections; /* whether each section has a source of the machine */
	size_t nsections;
	bool counted; /* its decoders' memory, in context.options->memory */
	struct machine *next;
};

/*
 * The phases of an engine:
 *
 *	ENGINE_NEW --prologue--> ENGINE_BEGUN --first event--> ENGINE_FED --flush--> ENGINE_OVER
 *
 *	ENGINE_NEW    its prologue, if it has one, is still to be emitted
 *	ENGINE_BEGUN  the decoder holds nothing
 *	ENGINE_FED    its last event was of `section`; the decoder may hold items
 *	ENGINE_OVER   it got all events of its machine, and others of the merged file go on
 */
enum engine_phase { ENGINE_NEW, ENGINE_BEGUN, ENGINE_FED, ENGINE_OVER };

/* A decoder with its state. */
struct engine {
	enum engine_phase phase;
	const struct machine *machine; /* NULL: the only one */
	const struct decoder *decoder;
	void *state;
	uint32_t section; /* of its last event */
	uint64_t shown; /* which of decoder->items have occurred, a bit for each */
	struct engine *next;
};

/* A source with its decoder; indexed by source id. */
struct binding {
	struct engine *engine;
	bool checked, wanted;
};

/* A loss with its times on the timeline. */
struct dated_loss {
	const struct trawl_source *source;
	struct trawl_loss loss;
	uint64_t from, to;
	uint32_t row;  /* the first section that its own shares a timeline with */
	size_t number; /* in the file */
};

enum {
	OCCURRED_BITS = 65536,
	SOURCES = 256, /* in trawl_range.sources; the reader does not select by higher ids */
};

struct stream {
	struct item_sink sink; /* first: decoders hand it back */
	const char *path, *name; /* the file's path; its name in messages */
	struct trawl_reader *reader, *before;
	const struct decode_options *options;
	struct selection *selection;
	struct decode_context context;
	struct machine *machines; /* of a merged file with several */
	struct engine *engines;
	struct binding *bindings;
	size_t nbindings;
	struct consumer *consumer;
	uint32_t section;        /* of the current event */
	uint64_t chunk;          /* offset of its chunk in the section */
	uint32_t place;          /* its number in the chunk */
	struct boots boots;      /* of the sections */
	struct dated_loss *losses;
	size_t nlosses, next_loss, losses_read;
	uint32_t row_of, row; /* the row of that section */
	const struct trawl_source *last; /* cache: of the previous item; is it selected? */
	bool last_wanted;
	uint64_t first; /* the result of stream_first() */
	uint64_t now;   /* the time of the last event */
	uint64_t secrets;
	uint8_t occurred[OCCURRED_BITS / 8]; /* by event type id: such an event has occurred */
	struct took *took;      /* NULL: nobody needs durations */
	bool has_took;          /* the current item ends an operation: */
	uint64_t took_ns;
	const char *took_began; /* the name of its first event; NULL: a transfer */
	/* In any combination: facts about the decoders, the file, and how it is read just now. */
	bool holds;     /* a decoder has advance() */
	bool seekable, first_known, stopped, silent;
	bool prologue; /* current items are of a prologue, and not subject to the selection */
};

/* stream.c: fills *err (out of memory) and returns -1; opens a file, NULL with *err. */
int stream_no_memory(struct trawl_error *err);
struct trawl_reader *stream_open_reader(const char *path, const struct decode_options *o,
					struct trawl_error *err);

/*
 * losses.c: passes the losses that precede an item to the consumer, and at the end all others.
 * Returns 1 if the consumer wants no more.
 */
int stream_losses_before(struct stream *s, const struct item *it);
int stream_losses_left(struct stream *s);

/* engine.c: returns the engine of a source, created on first use; NULL with *err. */
struct engine *stream_engine(struct stream *s, const struct trawl_source *source,
			     struct trawl_error *err);
void stream_engines_free(struct stream *s);

#endif
