/* SPDX-License-Identifier: MIT */
/*
 * A stream reads a file through its decoders and a selection, and passes items and losses in time
 * order to a consumer. Used by trawl-decode, trawl-export and live printing.
 */
#ifndef TRAWL_DECODE_QUERY_STREAM_H
#define TRAWL_DECODE_QUERY_STREAM_H

#include "decode/base/decoder.h"
#include "decode/query/consumer.h"
#include "decode/query/selection.h"

struct stream;

/*
 * Opens a file, or "-" for standard input. options and selection must stay valid as long as the
 * stream. Returns NULL with *err for a file of another format, and if the file does not have a
 * selected source or field.
 */
struct stream *stream_open(const char *path, const struct decode_options *options,
			   struct selection *selection, struct trawl_error *err);
/*
 * Opens the file of s again, for consumers that read it twice. *selection becomes a copy of that of
 * s and must stay valid as long as the stream. The file must be seekable, and s must not have run.
 */
struct stream *stream_again(const struct stream *s, struct selection *selection,
			    struct trawl_error *err);
void stream_close(struct stream *s);
/* Sets the name of the file in messages; by default it is the path. */
void stream_set_name(struct stream *s, const char *name);
const char *stream_name(const struct stream *s);

/*
 * Reads the whole input, once. Returns 0 at the end, or when the consumer wants no more; -1 with
 * *err if reading fails, or a pipe did not have a selected source or field.
 */
int stream_run(struct stream *s, struct consumer *c, struct trawl_error *err);

/*
 * Checks that the file has the selected sources and fields. stream_open() calls it for a file,
 * stream_run() at the end of a pipe. Returns 0, or -1 with *err.
 */
int stream_check(struct stream *s, struct trawl_error *err);

/*
 * A stream without a file: the caller passes events one by one, in time order for each source. The
 * stream owns the reader (trawl_reader_blank()), also on failure; the caller adds sources, types
 * and metadata to it. Items go to the consumer.
 */
struct stream *stream_live(struct trawl_reader *reader, const struct decode_options *options,
			   struct selection *selection, struct consumer *c,
			   struct trawl_error *err);
int stream_feed(struct stream *s, const struct trawl_event *ev, struct trawl_error *err);
struct tasks *stream_tasks(struct stream *s);

struct trawl_reader *stream_reader(struct stream *s);
const struct selection *stream_selection(const struct stream *s);
/* Whether items of this event type may have a field with this name. */
bool stream_type_has(struct stream *s, const struct trawl_event_type *type, const char *name);
/* Whether the input is a file: it can be read again, and all event types are known at once. */
bool stream_seekable(const struct stream *s);
/* Returns the source with this id; NULL if none has been read. */
const struct trawl_source *stream_source(const struct stream *s, uint16_t id);
/* Whether the source is selected. */
bool stream_wants(struct stream *s, const struct trawl_source *source);
/* Whether items have the name of this event type, and its source and name are selected. */
bool stream_wants_type(struct stream *s, const struct trawl_event_type *type);
/*
 * Returns the time of a packet in an export: on the timeline. If all packets are of one source
 * whose clock is the wall clock, it is the time stamp of the source, as other tools would have
 * recorded it.
 */
uint64_t stream_packet_time(struct stream *s, const struct item *it);
/* Returns the decoder of a source, and its state; *state is NULL if memory runs out. */
const struct decoder *stream_decoder(struct stream *s, const struct trawl_source *source,
				     void **state, struct trawl_error *err);
/*
 * Checks that each field of a list (a,b,c) exists in an event type. Call when all types are known.
 * Returns 0, or -1 with *err, which lists existing names.
 */
int stream_known_fields(struct stream *s, const char *option, const char *list,
			struct trawl_error *err);
/* Calls fn with the field names of all event types that are selected by source and name. */
void stream_names(struct stream *s, decoder_name_fn *fn, void *arg);
/* Returns the largest error of the current item's time, ns; it has the time of the last event. */
uint64_t stream_bound(const struct stream *s, const struct item *it);

/*
 * Makes the stream find out how long operations took (took.h). Call before stream_run(). Returns 0,
 * or -1 with *err.
 */
int stream_measure(struct stream *s, struct trawl_error *err);
/*
 * Of a stream that measures, for the consumer's current item: whether it ends an operation, with
 * the duration and the name of its first event (NULL: a transfer); whether it may begin a pair.
 */
bool stream_took(const struct stream *s, uint64_t *ns, const char **began);
bool stream_begins(const struct stream *s, const struct item *it);

/* The place of the last event in the file. With --raw each item is one event. */
struct event_position {
	uint32_t section, place; /* number of the section; of the event in the chunk */
	uint64_t chunk;          /* offset of the chunk in the section */
};
void stream_position(const struct stream *s, struct event_position *at);

/*
 * Returns the origin of relative times: the time of the file's first event, selected or not, except
 * those of the hidden task source. For a pipe: of the first event that was read.
 */
uint64_t stream_first(struct stream *s);
/* Finds the first event, so that stream_first() cannot fail. Returns 0, or -1 with *err. */
int stream_find_first(struct stream *s, struct trawl_error *err);
/* Appends the lines of decoder.summary() of all decoders in use. */
void stream_summaries(struct stream *s, struct out *o);

/* After stream_run(): returns how many items that the consumer took have item.secret. */
uint64_t stream_secrets(const struct stream *s);

/*
 * After stream_run(): returns -1 with *err if the data is damaged or incomplete; 0 if it is not, or
 * if reading ended early.
 */
int stream_verdict(struct stream *s, struct trawl_error *err);

#endif
