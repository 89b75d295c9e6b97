/* SPDX-License-Identifier: MIT */
/*
 * A file, its decoders and a selection put together: items and losses in order of time, to one
 * consumer. trawl-decode, trawl-export and live printing are consumers.
 */
#ifndef TRAWL_DECODE_QUERY_STREAM_H
#define TRAWL_DECODE_QUERY_STREAM_H

#include "decode/base/decoder.h"
#include "decode/query/consumer.h"
#include "decode/query/selection.h"

struct stream;

/*
 * Opens a file, or "-" for standard input. options and selection must live as long as the stream.
 * Fails for a file that is none of ours, and for sources and fields that the file does not have.
 */
struct stream *stream_open(const char *path, const struct decode_options *options,
			   struct selection *selection, struct trawl_error *err);
/* Opens the file of s again, for consumers that must know all of it first. *selection becomes a
 * copy of that of s and lives as long as the stream. The file is seekable, and s has not run. */
struct stream *stream_again(const struct stream *s, struct selection *selection,
			    struct trawl_error *err);
void stream_close(struct stream *s);
/* What messages call the file, where that is not its path. */
void stream_set_name(struct stream *s, const char *name);
const char *stream_name(const struct stream *s);

/*
 * Everything, once. 0: the end, or enough; -1: the input cannot be read on, or (on a pipe, where
 * it shows only now) it has not the source or field that was asked for.
 */
int stream_run(struct stream *s, struct consumer *c, struct trawl_error *err);

/* Are the sources and fields that the selection asks for there? Asked by stream_open() of a file,
 * by stream_run() at the end of a pipe. 0, or -1 with *err. */
int stream_check(struct stream *s, struct trawl_error *err);

/*
 * Without a file: for events that come one by one, in order of time for each source. The reader
 * (trawl_reader_blank()) is the stream's from now on, also on failure; who feeds tells it all
 * that it should know. Items go to the consumer.
 */
struct stream *stream_live(struct trawl_reader *reader, const struct decode_options *options,
			   struct selection *selection, struct consumer *c,
			   struct trawl_error *err);
int stream_feed(struct stream *s, const struct trawl_event *ev, struct trawl_error *err);
struct tasks *stream_tasks(struct stream *s);

struct trawl_reader *stream_reader(struct stream *s);
const struct selection *stream_selection(const struct stream *s);
/* May items of this event type have such a field? */
bool stream_type_has(struct stream *s, const struct trawl_event_type *type, const char *name);
/* A file that can be read again, of which all event types are known before stream_run(). */
bool stream_seekable(const struct stream *s);
/* The source of this id; NULL if the file has told of none yet. */
const struct trawl_source *stream_source(const struct stream *s, uint16_t id);
/* Is this source wanted by the selection? */
bool stream_wants(struct stream *s, const struct trawl_source *source);
/* Is this an event type that items are called by, of a wanted source and name? */
bool stream_wants_type(struct stream *s, const struct trawl_event_type *type);
/*
 * The time of a packet in an export: on the timeline; but if all packets are of one source whose
 * clock is the wall clock, exactly what that source said, as its own tools would have written it.
 */
uint64_t stream_packet_time(struct stream *s, const struct item *it);
/* The decoder of a source and its state; *state NULL without memory. */
const struct decoder *stream_decoder(struct stream *s, const struct trawl_source *source,
				     void **state, struct trawl_error *err);
/*
 * Does some event type have each field of this list (a,b,c)? Ask when all types are known. 0, or -1
 * with *err, which names those that there are.
 */
int stream_known_fields(struct stream *s, const char *option, const char *list,
			struct trawl_error *err);
/* The names of the fields of all event types that are wanted by source and name. */
void stream_names(struct stream *s, decoder_name_fn *fn, void *arg);
/* How far the time of the item at hand, which has that of the last event, may be off, in ns. */
uint64_t stream_bound(const struct stream *s, const struct item *it);

/* Where in the file the last event stands: an item of --raw is one event. */
struct event_place {
	uint32_t section, place; /* in the file; in the chunk */
	uint64_t chunk;          /* in the section */
};
void stream_place(const struct stream *s, struct event_place *at);

/*
 * Where relative times count from: the time of the first event of the file, whatever is chosen of
 * it; the hidden task source does not count. On a pipe, of the first that has come.
 */
uint64_t stream_first(struct stream *s);
/* Looks for it, so that stream_first() cannot fail. 0, or -1 with *err: the file cannot be read. */
int stream_find_first(struct stream *s, struct trawl_error *err);
/* summary sections of all decoders in use. */
void stream_summaries(struct stream *s, struct out *o);

/* After stream_run(): how many of the items that the consumer took were item.secret. */
uint64_t stream_secrets(const struct stream *s);

/*
 * After stream_run(): what is wrong with the data, as one line in *err, and -1; 0 if nothing is
 * (or it cannot be known, because the reading ended early).
 */
int stream_verdict(struct stream *s, struct trawl_error *err);

#endif
