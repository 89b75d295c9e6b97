/* SPDX-License-Identifier: MIT */
/*
 * Decoders: what the records of a kind of source mean.
 *
 * The container gives back records; a decoder turns them into items, and an item is what people
 * see: one line of text, one JSON object, one packet. A trace event is one item; a USB submission
 * and its completion are two records and one item. So a decoder is fed with every event of its
 * sources in time order and hands out none, one or several items for each:
 *
 *	trawl_next() -> decoder.feed() -> items -> selection -> printer or exporter
 *
 * The time range and the sources are chosen before the decoder (in the reader, widened by
 * `lookback` and by the hidden task source); everything else (name, pid, --where, -c, the exact
 * time range) is chosen after it, on items, by selection.h. A decoder never filters.
 *
 * To add a decoder: one file with one struct decoder, one line in decoders.c.
 */
#ifndef TRAWL_DECODE_BASE_DECODER_H
#define TRAWL_DECODE_BASE_DECODER_H

#include "decode/base/output.h"
#include "format/trawl.h"

struct tasks;

/* What the user asked of the decoders. Times and choices of events are in selection.h. */
struct decode_options {
	bool raw;        /* --raw: an item for each record, nothing joined */
	bool all_fields; /* --fields all: helper fields too */
	bool show_keys;  /* --show-keys: keystrokes in clear */
	bool print;      /* --print: kernel events in the kernel's own words */
	bool summary;    /* counters for decoder.summary() are wanted */
	bool export;     /* items go to decoder.packet(); implies raw */
	bool no_descriptors; /* an export has no made-up packets in front */
	uint16_t linktype; /* of exported USB packets; 0: what they were, or 220 */
	unsigned int columns; /* of the terminal that lines go to; 0: to none */
	uint64_t memory; /* --memory: bytes for what the file tells; 0: as many as usual */
	int fd;          /* the file, open already: not to be opened by its path; 0: it is not */
	int hexdump;     /* -x 1: bytes of payload in hex, -X 2: and as text */
};

/* What every decoder gets at open; lives as long as the decoder. */
struct decode_context {
	struct trawl_reader *reader;
	const struct decode_options *options;
	struct tasks *tasks; /* names and processes of tasks: task.h */
};

#define ITEM_NO_CPU UINT32_MAX
#define ITEM_NO_TASK (-1)

/*
 * One thing to show. All pointers are the decoder's and live until its next feed() or flush(), but
 * for name: it is unique in its source and stays as and where it is as long as the decoder (so
 * that its column is made once); --name, CSV and the dissector go by it.
 */
struct item {
	uint64_t time;                      /* timeline, ns since the epoch */
	uint64_t ts;                        /* the source's clock */
	const struct trawl_source *source;
	const struct trawl_event_type *type; /* of the record that ended it; NULL: synthesised */
	const char *name;                   /* "provider:probe", "group:event", "usb:control" */
	const char *comm;                   /* "" if not known; 16 bytes of it can be read */
	uint32_t name_len, comm_len;
	uint32_t cpu;                       /* ITEM_NO_CPU: not known */
	int32_t pid, tid;                   /* ITEM_NO_TASK: not known, or no task's doing */
	const void *record;                 /* that record, as in struct trawl_event */
	uint32_t len, section;
	uint64_t chunk;                     /* held: that of the record, in the section */
	bool held;                          /* the record is not the last one that was fed */
	bool problem;                       /* an error of the traced system: shown in red */
	bool secret;                        /* may be keystrokes: in clear in a packet only */
	void *detail;                       /* the decoder's own */
};

/* Where items go. item() returns 0, or 1 when no more are wanted: feed() then returns 1 too. */
struct item_sink {
	int (*item)(struct item_sink *sink, const struct item *it);
};

/* A field's value, for --where and CSV. */
enum value_type {
	VALUE_NONE,  /* there is no value: every comparison is false */
	VALUE_UINT,
	VALUE_INT,
	VALUE_FLOAT,
	VALUE_TEXT,  /* text, len; not NUL-terminated */
	VALUE_BYTES, /* likewise, shown in hex */
};

struct value {
	enum value_type type;
	bool hex; /* UINT that people read in hex; TEXT: hex digits, and u is their number */
	bool is_list;   /* text is that of a list: its elements are further values */
	bool has_other;
	uint64_t other; /* has_other: another number by which the value is called, for == and != */
	union {
		uint64_t u;
		int64_t i;
		double f;
	};
	const char *text; /* TEXT, BYTES; also the name of a number (enum) where it has one */
	size_t len;
};

/* A packet of a pcapng export. The caller clears everything but data before decoder.packet(). */
struct packet {
	struct out *data;    /* in memory, empty: append the bytes of the packet */
	uint32_t original;   /* length before any cut; 0: as many as in data */
	uint32_t flags;      /* epb_flags: bits 0-1 are 1 in, 2 out; 0: none */
	const char *comment; /* or NULL */
};

/* How a source shows in an export. The caller presets what the source itself says. */
struct packet_interface {
	uint16_t linktype;
	uint8_t tsresol;      /* if_tsresol: 9 ns, 6 us */
	const char *name;     /* if_name */
	const char *description;
};

/* What a field may be compared with, or'd; 0: only an item knows. */
enum comparable { COMPARABLE_NUMBER = 1, COMPARABLE_TEXT = 2 };

typedef void decoder_name_fn(void *arg, const char *name);

struct decoder {
	const char *kind;  /* trawl_source.kind of its sources */
	bool own_pid;      /* its items are no task's: pid is a field of theirs, a product's id */
	uint64_t lookback; /* ns before --from that it must see to know what happens at --from */
	/* What its items are called, ended by NULL, where that is not the name of the record's
	 * event type (with options->raw it is). */
	const char *const *items;

	/*
	 * One state for all sources of the kind in a file; sources, event types and metadata may
	 * still be unknown when the input is a pipe. NULL with *err on failure.
	 */
	void *(*open)(const struct decode_context *ctx, struct trawl_error *err);
	void (*close)(void *state);

	/*
	 * One event of one of its sources. Damaged records are shown as such (never an error of
	 * the program). Items leave in order of time: an item that waits for a later record
	 * carries that record's time. 0 on, 1 the sink wants no more, -1 with *err.
	 */
	int (*feed)(void *state, const struct trawl_event *ev, struct item_sink *sink,
		    struct trawl_error *err);
	/*
	 * Items that are held until their time comes: those before `time`, that of the next event
	 * of all sources; UINT64_MAX: all. May be NULL: there are none. As feed().
	 */
	int (*advance)(void *state, uint64_t time, struct item_sink *sink,
		       struct trawl_error *err);
	/* The end of the input: what is still held back. May be NULL. */
	int (*flush)(void *state, struct item_sink *sink, struct trawl_error *err);

	/* Before the first event, only with options->export: synthesised items. May be NULL. */
	int (*prologue)(void *state, struct item_sink *sink, struct trawl_error *err);

	/* Appends the fields as text, "a=1 b=\"x\"", no leading blank, no newline at the end. */
	void (*text)(void *state, const struct item *it, struct out *o);
	/* Appends lines below the item's line (hexdump), each with its newline. May be NULL. */
	void (*more)(void *state, const struct item *it, struct out *o);
	/* Appends the members of "fields": `"a":1,"b":"x"`, without braces. */
	void (*json)(void *state, const struct item *it, struct out *o);
	/* Appends further members of the object, each with a comma before it. May be NULL. */
	void (*json_more)(void *state, const struct item *it, struct out *o);
	/* The field of this name; false if the item has none (VALUE_NONE: it has, without value).
	 * Text in *v lives until the call after the next: both sides of a comparison are asked
	 * for before either is read. */
	bool (*value)(void *state, const struct item *it, const char *name, struct value *v);
	/* The nth value, from 1, of a name that leads into a list; false: there are no more. NULL:
	 * a name has one value. */
	bool (*another)(void *state, const struct item *it, const char *name, unsigned int nth,
			struct value *v);
	/* Calls fn for the name of each field that items of this event type may have, in the
	 * order in which they are shown; twice for one name does no harm. */
	void (*names)(void *state, const struct trawl_event_type *type, decoder_name_fn *fn,
		      void *arg);

	/* Are there items with a part of this name (or of what stands before its first dot) that
	 * names() does not tell, since columns for all of them were too many? May be NULL. */
	bool (*part)(const char *name);
	/* What this field of items of the event type is comparable with, as far as that is known
	 * without an item: a condition that never makes sense is refused before anything runs.
	 * May be NULL. */
	unsigned int (*comparable)(void *state, const struct trawl_event_type *type,
				   const char *name);
	/* Of a field that holds one word of a few: the n-th of them, NULL after the last; of any
	 * other field NULL at once. May be NULL. */
	const char *(*word)(const char *field, size_t n);
	/* Why the field can never hold this text, which is no pattern: "it is ..."; NULL if it can.
	 * May be NULL. */
	const char *(*never)(const char *field, const char *text);
	/* Likewise of a number, an integer. May be NULL. */
	const char *(*never_number)(const char *field, int64_t number);
	/* The field that Wireshark, or the USB specification, calls by this name; NULL if there is
	 * none. May be NULL. */
	const char *(*field_called)(const char *name);

	/* Sections of --summary, complete lines; options->summary was set at open. May be NULL. */
	void (*summary)(void *state, struct out *o);

	/* For pcapng; NULL: an item becomes an upper-PDU packet that holds its JSON. packet()
	 * returns 0, or 1 if this item is no packet. */
	void (*interface)(void *state, const struct trawl_source *s, struct packet_interface *pi);
	int (*packet)(void *state, const struct item *it, struct packet *p);
};

/* The decoder of a source; of an unknown kind one that shows the fields as they are. */
const struct decoder *decoder_find(const struct trawl_source *source);

/* All of them, ended by NULL. */
extern const struct decoder *const decoders[];
extern const struct decoder tracefs_decoder;
extern const struct decoder usb_decoder;
extern const struct decoder bus_decoder;

#endif
