/* SPDX-License-Identifier: MIT */
/* A stream (stream.h) from inside: what its files share. */
#ifndef TRAWL_DECODE_QUERY_STATE_H
#define TRAWL_DECODE_QUERY_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/base/boot.h"
#include "decode/base/decoder.h"
#include "decode/query/consumer.h"
#include "decode/query/selection.h"

/* One of several machines that a merged file is of: its tasks and devices are its own. */
struct machine {
	const char *name; /* as its sources end: NAME@MACHINE */
	struct decode_context context; /* whose reader tells only its sections' metadata */
	bool *sections; /* by section: whether it has a source of the machine */
	size_t nsections;
	struct machine *next;
};

/* A decoder at work. */
struct engine {
	const struct machine *machine; /* NULL: the only one */
	const struct decoder *decoder;
	void *state;
	bool begun; /* its prologue was given, if it has one */
	bool fed;   /* there was an event; the last one is of this section: */
	uint32_t section;
	bool over;  /* all of its machine's events were given */
	uint64_t shown; /* which of decoder->items there were: a bit for each */
	struct engine *next;
};

/* What is known of a source; by its id. */
struct binding {
	struct engine *engine;
	bool asked, wanted;
};

/* A loss with its times on the timeline. */
struct dated_loss {
	const struct trawl_source *source;
	struct trawl_loss loss;
	uint64_t from, to;
};

enum {
	OCCURRED_BITS = 65536,
	SOURCES = 256, /* of trawl_range.sources; of ids above, nothing is left to the reader */
};

struct stream {
	struct item_sink sink; /* first: decoders hand it back */
	const char *path, *name; /* to open it by; to call it */
	struct trawl_reader *reader, *before;
	const struct decode_options *options;
	struct selection *selection;
	struct decode_context context;
	struct machine *machines; /* of a merged file with several */
	struct engine *engines;
	struct binding *bindings;
	size_t nbindings;
	struct consumer *consumer;
	uint32_t section;        /* of the event that the decoders are at */
	uint64_t chunk;          /* its chunk, in the section */
	uint32_t place;          /* and its number in that */
	struct boots boots;      /* of the sections */
	struct dated_loss *losses;
	size_t nlosses, next_loss, losses_read;
	const struct trawl_source *last; /* of the item before, with its answer */
	bool last_wanted;
	uint64_t first; /* of stream_first() */
	uint64_t now;   /* the time of the last event */
	uint64_t secrets;
	uint8_t occurred[OCCURRED_BITS / 8]; /* by event type's id: there were such events */
	bool holds;     /* an engine has advance() */
	bool seekable, first_known, stopped, silent;
	bool prologue; /* items are those of a prologue: no choice is made among them */
};

/* stream.c: the refusal, and -1; the file of this path once more, or NULL with *err. */
int stream_no_memory(struct trawl_error *err);
struct trawl_reader *stream_open_reader(const char *path, const struct decode_options *o,
					struct trawl_error *err);

/* engine.c: the decoder that serves a source, made when first asked for; NULL with *err. */
struct engine *stream_engine(struct stream *s, const struct trawl_source *source,
			     struct trawl_error *err);
void stream_engines_free(struct stream *s);

#endif
