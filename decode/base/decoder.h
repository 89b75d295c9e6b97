/* SPDX-License-Identifier: MIT */
/*
 * Decoders interpret the records of a kind of source.
 *
 * A reader returns records; a decoder makes items of them. An item is one line of text, one JSON
 * object, one packet. A trace event is one item; a USB submission and its completion are two
 * records but one item. So a decoder gets every event of its sources in time order, and emits none,
 * one or several items for each:
 *
 *	trawl_next() -> decoder.feed() -> items -> selection -> printer or exporter
 *
 * The reader limits the time range (widened by `lookback`) and the sources (plus the hidden task
 * source). Everything else (name, pid, --where, -c, the exact time range) selection.h decides on
 * items. A decoder filters nothing but what decode_context.from says.
 *
 * To add a decoder: a file with a struct decoder, and a line in decoders.c.
 */
#ifndef TRAWL_DECODE_BASE_DECODER_H
#define TRAWL_DECODE_BASE_DECODER_H

#include "decode/base/namefn.h"
#include "decode/base/output.h"
#include "format/trawl.h"

struct tasks;

/* The user's options for decoders. Those that select events are in selection.h. */
struct decode_options {
	bool raw;        /* --raw: an item for each record; records are not joined */
	bool all_fields; /* --fields all: also helper fields */
	bool show_keys;  /* --show-keys: do not mask keystrokes */
	bool print;      /* --print: kernel events by the kernel's print formats */
	bool summary;    /* count for decoder.summary() */
	bool reasons_once; /* text(): why an argument has no value only at its first item */
	bool export;     /* items go to decoder.packet(); implies raw */
	bool no_code;    /* the names of code are not known: a recorder writes them later */
	bool no_descriptors; /* do not synthesise packets at the start of an export */
	uint16_t linktype; /* of exported USB packets; 0: as in the capture, or 220 */
	unsigned int columns; /* width of the terminal; 0: the output is no terminal */
	struct trawl_memory *memory; /* --memory, for all readers; NULL: one for each */
	int fd;          /* the open file, to be read instead of its path; 0: none */
	int hexdump;     /* 1: -x, payload in hex; 2: -X, also as text */
};

/* The argument of decoder.open(); valid as long as the decoder. */
struct decode_context {
	struct trawl_reader *reader;
	const struct decode_options *options;
	struct tasks *tasks; /* names and processes of tasks: task.h */
	/*
	 * Items that end before `from`, or begin at `to` or later, are not wanted: a decoder may
	 * leave them out, and does not count them. ns on the timeline; 0 and UINT64_MAX: all are.
	 */
	uint64_t from, to;
};

#define ITEM_NO_CPU UINT32_MAX
#define ITEM_NO_TASK (-1)

/*
 * What a decoder emits. The decoder owns all pointers; they are valid until its next feed() or
 * flush(). Only `name` stays valid, at the same address, as long as the decoder, so that printers
 * can cache by the pointer. It identifies the kind of item in its source: for --name, CSV, the
 * dissector.
 */
struct item {
	uint64_t time;                      /* timeline, ns since the epoch */
	uint64_t ts;                        /* the source's clock */
	uint64_t lasts;                     /* ns; 0 except of a batch of branches as a whole */
	const struct trawl_source *source;
	const struct trawl_event_type *type; /* of its last record; NULL: it has no record */
	const char *name;                   /* "provider:probe", "group:event", "usb:control" */
	const char *comm;                   /* "" if not known; 16 bytes are readable */
	uint32_t name_len, comm_len;
	uint32_t cpu;                       /* ITEM_NO_CPU: not known */
	int32_t pid, tid;                   /* ITEM_NO_TASK: not known, or not in a task */
	const void *record;                 /* its last record, as in struct trawl_event */
	uint32_t len, section;
	uint64_t chunk;                     /* if held: trawl_event.chunk of the record */
	bool held;                          /* the record is not the newest that was fed */
	bool problem;                       /* an error of the traced system: shown in red */
	bool secret;                        /* may be keystrokes: masked except in packets */
	void *detail;                       /* private to the decoder */
};

/* Takes items. item() returns 0, or 1 if it wants no more: feed() then returns 1, too. */
struct item_sink {
	int (*item)(struct item_sink *sink, const struct item *it);
};

/* The value of a field, for --where and CSV. */
enum value_type {
	VALUE_NONE,  /* no value: every comparison is false */
	VALUE_UINT,
	VALUE_INT,
	VALUE_FLOAT,
	VALUE_TEXT,  /* text, len; not NUL-terminated */
	VALUE_BYTES, /* likewise, shown in hex */
};

struct value {
	enum value_type type;
	bool hex; /* UINT: shown in hex. TEXT: hex digits, and u is their number */
	bool is_list;   /* the text of a list; another() gives its elements */
	bool has_other;
	uint64_t other; /* if has_other: an alternative number, which == and != accept, too */
	union {
		uint64_t u;
		int64_t i;
		double f;
	};
	const char *text; /* TEXT, BYTES; for a number: its name (enum), or NULL */
	size_t len;
};

/* Columns of a table, by names of fields. Columns may be appended, but not changed or removed. */
struct columns {
	const char **name;
	size_t n;
};

/* What an item has in a column. */
struct cell {
	size_t column;
	struct value value;
};

/* A packet of a pcapng export. The caller zeroes all members but data before decoder.packet(). */
struct packet {
	struct out *data;    /* in memory, empty: append the bytes of the packet */
	uint32_t original;   /* bytes before the packet was cut; 0: the length of data */
	uint32_t flags;      /* epb_flags: bits 0-1 are 1 in, 2 out; 0: none */
	const char *comment; /* or NULL */
};

/* The interface of a source in an export. The caller presets it from the source. */
struct packet_interface {
	uint16_t linktype;
	uint8_t tsresol;      /* if_tsresol: 9 ns, 6 us */
	const char *name;     /* if_name */
	const char *description;
};

/* What a field can be compared with, a bit mask; 0: not known without an item. */
enum comparable { COMPARABLE_NUMBER = 1, COMPARABLE_TEXT = 2 };

struct decoder {
	const char *kind;  /* trawl_source.kind of its sources */
	bool own_pid;      /* its items have no task: `pid` is one of their fields (a product id) */
	/* ns before --from whose events it needs for the items from --from on; UINT64_MAX: all */
	uint64_t lookback;
	/*
	 * The names of its items, ended by NULL; or NULL if an item has the name of its event type,
	 * as it always has with options->raw.
	 */
	const char *const *items;

	/*
	 * Creates the state for all sources of the kind in a file. If the input is a pipe, sources,
	 * event types and metadata may not be known yet. Returns NULL with *err on failure.
	 */
	void *(*open)(const struct decode_context *ctx, struct trawl_error *err);
	void (*close)(void *state);

	/*
	 * Processes an event of one of its sources. A damaged record makes an item that says so,
	 * not an error. Items are emitted in time order: an item that waits for a later record has
	 * the time of that record. Returns 0; 1 if the sink wants no more; -1 with *err.
	 */
	int (*feed)(void *state, const struct trawl_event *ev, struct item_sink *sink,
		    struct trawl_error *err);
	/*
	 * Emits held items that are earlier than `time`, the time of the next event of any source;
	 * UINT64_MAX: all. Returns as feed(). NULL: the decoder holds no items by time.
	 */
	int (*advance)(void *state, uint64_t time, struct item_sink *sink,
		       struct trawl_error *err);
	/*
	 * Emits all items that are still held at the end of the input, which is at `time`, that of
	 * the last event of any source. May be NULL.
	 */
	int (*flush)(void *state, uint64_t time, struct item_sink *sink, struct trawl_error *err);

	/* Emits synthesised items before the first event, with options->export. May be NULL. */
	int (*prologue)(void *state, struct item_sink *sink, struct trawl_error *err);

	/* Appends the fields as text, a=1 b="x", without a leading blank or a newline. */
	void (*text)(void *state, const struct item *it, struct out *o);
	/* Appends lines below the item's line (hexdump), each with its newline. May be NULL. */
	void (*more)(void *state, const struct item *it, struct out *o);
	/* Appends the members of "fields": `"a":1,"b":"x"`, without braces. */
	void (*json)(void *state, const struct item *it, struct out *o);
	/* Appends further members of the object, each with a comma before it. May be NULL. */
	void (*json_more)(void *state, const struct item *it, struct out *o);
	/*
	 * Gets the value of a field; returns false if the item has no such field. VALUE_NONE: it
	 * has the field, without a value. Text in *v is valid until the call after the next,
	 * because a comparison needs two values.
	 */
	bool (*value)(void *state, const struct item *it, const char *name, struct value *v);
	/*
	 * Gets the nth value, from 1, of a name that matches elements of a list; returns false
	 * after the last. NULL: every name has one value.
	 */
	bool (*another)(void *state, const struct item *it, const char *name, unsigned int nth,
			struct value *v);
	/*
	 * Gets the nth, from 0, of the columns whose field items like this one may have, in their
	 * order; returns false after the last. The value is that of value(), without the name of a
	 * number. A decoder has one table. NULL: call value() for each column.
	 */
	bool (*cell)(void *state, const struct item *it, const struct columns *columns, size_t nth,
		     struct cell *cell);
	/*
	 * Calls fn with the name of each field that items of this event type may have, in the order
	 * in which they are shown. It may repeat names.
	 */
	void (*names)(void *state, const struct trawl_event_type *type, decoder_name_fn *fn,
		      void *arg);

	/*
	 * Returns why no item of this event type has a value for the name; NULL if one may have.
	 * May be NULL.
	 */
	const char *(*why)(void *state, const struct trawl_event_type *type, const char *name);

	/*
	 * Whether items may have a field of this name (up to its first dot) that names() leaves
	 * out, because there are too many for columns. May be NULL.
	 */
	bool (*part)(const char *name);
	/* Calls fn for names that part() accepts, all that are in a list. May be NULL. */
	void (*parts)(decoder_name_fn *fn, void *arg);
	/*
	 * Returns enum comparable for a field of the event type, so that an invalid condition is
	 * refused before anything runs. May be NULL.
	 */
	unsigned int (*comparable)(void *state, const struct trawl_event_type *type,
				   const char *name);
	/*
	 * Calls fn for each possible text of a field with a fixed set of them, some perhaps more
	 * than once; not for other fields. May be NULL.
	 */
	void (*words)(const char *field, decoder_name_fn *fn, void *arg);
	/*
	 * Returns why the field can never have this text (not a pattern), as "it is ..."; NULL if
	 * it can. May be NULL.
	 */
	const char *(*never)(const char *field, const char *text);
	/* The same for an integer. May be NULL. */
	const char *(*never_number)(const char *field, int64_t number);
	/*
	 * Returns the field that has this name in Wireshark or in the USB specification, or NULL.
	 * May be NULL.
	 */
	const char *(*field_called)(const char *name);

	/* Appends lines for --summary; needs options->summary at open. May be NULL. */
	void (*summary)(void *state, struct out *o);

	/*
	 * For pcapng. packet() returns 0, or 1 if the item is not a packet. NULL: an item is
	 * exported as an upper-PDU packet with its JSON.
	 */
	void (*interface)(void *state, const struct trawl_source *s, struct packet_interface *pi);
	int (*packet)(void *state, const struct item *it, struct packet *p);
};

/* Returns the decoder of a source; for an unknown kind, one that shows the fields. */
const struct decoder *decoder_find(const struct trawl_source *source);

/* All decoders, ended by NULL. */
extern const struct decoder *const decoders[];
extern const struct decoder tracefs_decoder;
extern const struct decoder usb_decoder;
extern const struct decoder bus_decoder;

#endif
