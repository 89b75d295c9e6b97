/* SPDX-License-Identifier: MIT */
/*
 * libtrawl: the .trawl container.
 *
 * A file is a pcapng section whose events are stored in chunks of columns; docs/format.md is the
 * normative text. This library knows nothing of USB or tracefs: a source describes the layout of
 * its records once (struct trawl_event_type) and then appends records; a reader gives the same
 * records back, in time order over all sources.
 *
 *	kernel -> source -> trawl_append() -> file -> trawl_next() -> decoder -> printer
 *
 * Units: all times are ns, all sizes bytes. Strings are UTF-8 and NUL-terminated. Nothing here
 * keeps a pointer that the caller passed, unless said. Functions that can fail return 0 or a
 * pointer on success and -1 or NULL on failure with *err filled; err is never optional.
 */
#ifndef TRAWL_H
#define TRAWL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- errors ---------------------------------------------------------------------------- */

/* The exit status of every program; an error carries the one that it should end with. */
enum trawl_status {
	TRAWL_OK = 0,
	TRAWL_BAD_DATA = 1, /* done, but something is wrong with the data */
	TRAWL_USAGE = 2,    /* wrong usage */
	TRAWL_CANNOT = 3,   /* the machine can't: permission, device, kernel feature */
};

/* One line for a person: the thing, what is wrong, what to do. May hold a caret line after \n. */
struct trawl_error {
	enum trawl_status status;
	int sys; /* its errno, or 0; EPIPE: the reader of a pipe has exited */
	char text[1024];
};

/* Fills *err and returns -1, so that `return trawl_fail(err, ...)` reads as one statement. */
int trawl_fail(struct trawl_error *err, enum trawl_status status, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* ---- what an event looks like ----------------------------------------------------------- */

/* What a value means: chooses how it is shown, and how its column is encoded. */
enum trawl_kind {
	TRAWL_UINT,   /* unsigned integer of 1, 2, 4 or 8 bytes */
	TRAWL_INT,    /* signed integer, likewise */
	TRAWL_HEX,    /* unsigned, shown in hex: masks, flags, x8..x64 */
	TRAWL_ADDR,   /* an address of the traced system */
	TRAWL_ENUM,   /* unsigned out of a small set */
	TRAWL_PID,    /* a task id */
	TRAWL_TIME,   /* a time stamp in ns of the source's clock */
	TRAWL_SEQ,    /* a number that counts up */
	TRAWL_BOOL,
	TRAWL_CHAR,   /* one byte, shown as a character */
	TRAWL_FLOAT,  /* IEEE 754 of 4 or 8 bytes */
	TRAWL_TEXT,   /* bytes up to the first NUL */
	TRAWL_BYTES,  /* bytes */
	TRAWL_NONE,   /* no value could be recorded; the field's note says why */
	TRAWL_KINDS
};

/* Where a field's bytes are in a record. */
enum trawl_place {
	TRAWL_FIXED,    /* at offset, size * count bytes */
	TRAWL_DATA_LOC, /* at offset a u32 (length << 16 | offset from the record's start) */
	TRAWL_REL_LOC,  /* likewise, offset counted from the end of this u32 */
	TRAWL_TAIL,     /* from offset to the end of the record; only as the last field */
	TRAWL_PLACES
};

/* The u32 of a TRAWL_DATA_LOC or TRAWL_REL_LOC field, and what is in it. */
static inline uint32_t trawl_loc(uint32_t len, uint32_t offset)
{
	return len << 16 | (offset & 0xffff);
}

static inline uint32_t trawl_loc_len(uint32_t loc)
{
	return loc >> 16;
}

static inline uint32_t trawl_loc_offset(uint32_t loc)
{
	return loc & 0xffff;
}

enum {
	TRAWL_FIELD_KEY = 1, /* events with equal values are alike: columns are kept per value */
};

struct trawl_field {
	const char *name;
	const char *ctype; /* the type as its origin writes it ("unsigned int"); or "" */
	const char *note;  /* why there is no value, or what it stands for; or "" */
	uint8_t kind;      /* enum trawl_kind */
	uint8_t place;     /* enum trawl_place */
	uint8_t flags;     /* TRAWL_FIELD_* */
	uint16_t offset;
	uint16_t size;  /* bytes of one element: 1, 2, 4, 8 for numbers; 1 for TEXT and BYTES */
	uint16_t count; /* elements when FIXED: 1 for a scalar; ignored for the other places */
};

/*
 * A kind of event. Records of one type have a fixed part of `size` bytes with the fields at their
 * offsets (packed, unaligned, little endian) and, for DATA_LOC, REL_LOC and TAIL fields, bytes
 * after it. Bytes of the fixed part that no field covers are not kept and read back as zero.
 * On reading, dynamic bytes come back directly after the fixed part in field order.
 */
struct trawl_event_type {
	uint16_t source; /* as trawl_writer_source() gave it */
	uint32_t id;     /* the source's own number for it, < 2^16, unique in the source */
	const char *name; /* "provider:probe", "group:event", "usb:submit" */
	const char *format; /* text of the origin for decoders (a tracefs format file); or "" */
	uint32_t size;
	uint32_t nfields;
	const struct trawl_field *fields;
};

enum trawl_clock {
	TRAWL_CLOCK_MONO = 1,     /* CLOCK_MONOTONIC */
	TRAWL_CLOCK_REAL = 2,     /* CLOCK_REALTIME */
	TRAWL_CLOCK_BOOT = 3,     /* CLOCK_BOOTTIME */
	TRAWL_CLOCK_MONO_RAW = 4, /* CLOCK_MONOTONIC_RAW */
	TRAWL_CLOCK_TAI = 5,      /* CLOCK_TAI */
	TRAWL_CLOCK_TSC = 6,      /* time stamp counter, cycles */
};

/* A source is one pcapng interface. */
struct trawl_source {
	uint16_t id;          /* set by the library: the pcapng interface number */
	const char *name;     /* short, for --source: "usdt", "uprobe", "event", "usb" */
	const char *spec;     /* what the user asked for, for people */
	const char *kind;     /* which decoder: "tracefs", "usbmon", "branch" */
	uint8_t clock;        /* enum trawl_clock of its time stamps */
	uint16_t linktype;    /* what an export of it would be: 220 usbmon, 252 upper PDU */
	uint32_t resolution;  /* ns between two time stamps that it can tell apart: 1, 1000 */
	uint32_t ncommon;     /* fields at the same place in all of its records; FIXED only */
	const struct trawl_field *common;
};

/* One event as its source has it. */
struct trawl_record {
	uint16_t source;  /* as trawl_writer_source() returned it */
	uint32_t type;    /* the id of its trawl_event_type */
	uint32_t cpu;
	uint64_t ts;      /* the source's clock */
	const void *data; /* len bytes; the caller's */
	size_t len;
};

/* All clocks of the machine at one moment. */
struct trawl_sync {
	uint64_t mono, real, boot, mono_raw, tai, tsc; /* ns; tsc in cycles, 0 if unknown */
	uint64_t bound;   /* all of the above were read within this many ns */
	uint64_t horizon; /* MONO: all events in later chunks are at or after this; 0 unknown */
	uint32_t why;     /* enum trawl_sync_why */
	uint32_t section; /* set by a reader: as in struct trawl_meta */
};

enum trawl_sync_why { TRAWL_SYNC_START = 1, TRAWL_SYNC_TICK, TRAWL_SYNC_STEP, TRAWL_SYNC_STOP };

/* Events that happened and are not in the file. */
struct trawl_loss {
	uint16_t source;
	uint32_t cpu;        /* UINT32_MAX: not tied to one */
	uint64_t from, to;   /* the source's clock; the events fell between these */
	uint64_t count;      /* UINT64_MAX: not known */
	uint32_t reason;     /* enum trawl_loss_reason */
	uint32_t section;    /* set by a reader: as in struct trawl_meta */
};

enum trawl_loss_reason {
	TRAWL_LOSS_OVERRUN = 1, /* the kernel's buffer was full and overwrote */
	TRAWL_LOSS_DROPPED,     /* the kernel's buffer was full and dropped new events */
	TRAWL_LOSS_COMMIT,      /* commit overrun: nested writer too far ahead */
	TRAWL_LOSS_MISSED,      /* probe hits that were never recorded (uprobe_profile) */
	TRAWL_LOSS_WRITE,       /* the file could not be written: disk full */
	TRAWL_LOSS_MAP,         /* a histogram map of a synthetic event was full */
	TRAWL_LOSS_FILTER,      /* left out on request */
	TRAWL_LOSS_EMPTIED,     /* the kernel's buffer was emptied before it was read */
	TRAWL_LOSS_UNPAIRED,    /* a synthetic event was made of two that do not belong together */
	TRAWL_LOSS_TOO_LONG,    /* probe hits whose strings were too long for the kernel */
	TRAWL_LOSS_OVERRUN_MOST, /* overrun; records that help others may be among them: at most
				  * so many */
	TRAWL_LOSS_REASONS
};

const char *trawl_loss_reason_name(uint32_t reason); /* "overrun", ... ; never NULL */

/* A named piece of metadata; docs/format.md lists the names in use ("machine", "maps/PID", ...). */
struct trawl_meta {
	const char *name;
	const char *type;  /* "application/json", "text/plain", "application/octet-stream" */
	uint64_t time;     /* MONO when it was true */
	const void *data;  /* a reader puts a NUL after the last byte */
	size_t len;
	uint32_t section;  /* set by a reader: which of the file's it stands in, from 0 */
};

/* ---- writing ----------------------------------------------------------------------------- */

struct trawl_writer;

struct trawl_writer_options {
	int level;             /* zstd level 1..19; 0: the default; 20 and more: all is tried */
	uint32_t chunk_events; /* events in a chunk at most; 0: the default, 65,536 */
	/* Bytes of records in a chunk at most; 0: the default, 2 MiB. Payload of 512 bytes and more
	 * that repeats does not count, up to 16 MiB. */
	uint32_t chunk_bytes;
	const char *comment;   /* one line that says what this file is; or NULL */
	const char *name;      /* what errors call the output: "-w x.trawl"; NULL: "output" */
	uint64_t time;         /* CLOCK_REALTIME ns that the file's front says; 0: now */
	uint64_t ring;         /* bytes of a ring in memory; 0: all goes to fd as it comes */
	bool later;            /* the file may have chunks of level 20, from trawl_writer_chunk() */
	bool no_index;         /* all metadata is in the file once; to open it, it is read whole */
	bool keep_up;          /* bulk payload that comes too fast is compressed less or not */
	/* Called for all metadata by trawl_writer_meta(), in its caller's thread. May be NULL. */
	void (*told)(void *arg, const struct trawl_meta *m);
	void *arg;
};

enum { TRAWL_RECORD_MAX = 15 << 20 }; /* a longer record does not fit a block */

/*
 * Starts a file on fd, which the writer then owns; it may be a pipe. Each source that is added
 * gets a worker thread that encodes and compresses, so that trawl_append() only copies. Another
 * thread writes: a slow disk or pipe makes callers wait only when 8 MiB are queued. A write error
 * therefore shows later than in the call that put the block.
 */
struct trawl_writer *trawl_writer_new(int fd, const struct trawl_writer_options *o,
				      struct trawl_error *err);

/* Returns the source's id, or -1 with *err. Sources may be added at any time. */
int trawl_writer_source(struct trawl_writer *w, const struct trawl_source *s,
			struct trawl_error *err);
int trawl_writer_event_type(struct trawl_writer *w, const struct trawl_event_type *t,
			    struct trawl_error *err);
int trawl_writer_meta(struct trawl_writer *w, const struct trawl_meta *m, struct trawl_error *err);
/* The same for metadata of the present file alone: trawl_writer_rotate() does not repeat it. */
int trawl_writer_last_meta(struct trawl_writer *w, const struct trawl_meta *m,
			   struct trawl_error *err);
int trawl_writer_loss(struct trawl_writer *w, const struct trawl_loss *l, struct trawl_error *err);

/*
 * Appends one record. Records of one (source, cpu) come in the order of their time stamps; one
 * thread at a time may append to a source, and none while another is in trawl_writer_sync(),
 * _flush(), _expected(), _rotate(), _take() or _close(). Blocks only when a chunk is
 * full and the worker still encodes the one before.
 * Fails for an unknown type, a record shorter than its type's fixed part, and when the file
 * cannot be written (err->sys is set: ENOSPC, EPIPE); then the writer goes on counting what it
 * could not write, and the end of the file tells of it: how many events of each source and when.
 */
int trawl_append(struct trawl_writer *w, const struct trawl_record *r, struct trawl_error *err);

/*
 * Puts a chunk that a reader gave (struct trawl_piece) as it is, after all that was appended to
 * the source. The source and its event types were added as the reader's section has them, with the
 * same numbers.
 */
struct trawl_piece;
int trawl_writer_chunk(struct trawl_writer *w, uint16_t source, const struct trawl_piece *chunk,
		       struct trawl_error *err);

/*
 * Ends the current chunk of every source, waits until all of them are encoded, and puts a
 * clock-sync block after them. Call it at start, every second, at clock steps and at the end;
 * sync->horizon is the caller's promise about later events (see struct trawl_sync).
 */
int trawl_writer_sync(struct trawl_writer *w, const struct trawl_sync *sync,
		      struct trawl_error *err);

/* Waits until the kernel has all that was put; -1 with *err if some of it cannot be written. */
int trawl_writer_flush(struct trawl_writer *w, struct trawl_error *err);

/* Reads all clocks of this machine, sandwiched; horizon and why are left 0. */
void trawl_sync_now(struct trawl_sync *sync);

/*
 * Ends the present file (index, end block) and goes on in another, in which everything comes again
 * that its events may need: sources, event types, the newest clock-sync, and the newest 16 MiB of
 * the newest metadata of each name. 0; 1 when it went on, but the present file's end could not be
 * written (*err is filled); -1 when it did not: then fd is closed and the present file goes on.
 */
int trawl_writer_rotate(struct trawl_writer *w, int fd, struct trawl_error *err);

/*
 * Rewrites a file as a small section (docs/format.md), if that is smaller. The file has one
 * section, which was ended, and at most TRAWL_SMALL_MOST bytes; nobody else writes it; fd is
 * readable and writable. Returns false if one of these is not so, or the file cannot be written: it
 * then is as it was.
 */
bool trawl_make_small(int fd);

enum { TRAWL_SMALL_MOST = 512 << 10 };

uint64_t trawl_writer_bytes(const struct trawl_writer *w);  /* in the present file so far */
/* Estimated bytes of the present file if it ended now: with what waits to be encoded, index and
 * end block, all by how the last ones compressed. */
uint64_t trawl_writer_expected(const struct trawl_writer *w);
uint64_t trawl_writer_events(const struct trawl_writer *w); /* appended, over all files */
/* Events that a source appended and that are in no file, because it could not be written. The
 * number is complete after trawl_writer_flush(), also if that fails. */
uint64_t trawl_writer_unwritten(const struct trawl_writer *w, uint16_t source);

/* What has been added, in that order; NULL after the last. Valid as long as the writer. */
const struct trawl_source *trawl_writer_source_at(const struct trawl_writer *w, size_t i);
const struct trawl_event_type *trawl_writer_event_type_at(const struct trawl_writer *w,
							  uint16_t source, size_t i);

/*
 * A writer with a ring has no fd (-1). It keeps what is newest, compressed, in this much memory
 * and writes nothing until it is told to: trawl_writer_take() sets apart all that is there, and
 * trawl_spill_write() makes a file of it (closing fd in any case), with every source, event type,
 * and piece of metadata that its events need. That may take as long as the disk does, and may be
 * done by another thread while the writer goes on in the room that is freed. *events is how many
 * the file has, also if it is not whole. One at a time; it is
 * to be over before trawl_writer_close(), which writes nothing.
 */
struct trawl_spill;
struct trawl_spill *trawl_writer_take(struct trawl_writer *w, struct trawl_error *err);
int trawl_spill_write(struct trawl_spill *s, int fd, uint64_t *events, struct trawl_error *err);

struct trawl_ring_state {
	uint64_t bytes;          /* in use */
	uint64_t chunks, events; /* in it */
	uint64_t dropped;        /* events that gave way since the last take */
	uint64_t since;          /* CLOCK_MONOTONIC of the clock-sync before the oldest; 0: none */
	uint64_t dropped_until;	 /* CLOCK_MONOTONIC of the newest that gave way since the last take;
				    0: none */
};
void trawl_writer_ring(const struct trawl_writer *w, struct trawl_ring_state *state);

/* Flushes, writes index and end block, closes fd, frees. *err tells of any event not written. */
int trawl_writer_close(struct trawl_writer *w, struct trawl_error *err);

/* ---- reading ----------------------------------------------------------------------------- */

struct trawl_reader;

/*
 * Opens a file or, for "-", standard input. A path "/proc/self/fd/N" is that descriptor itself,
 * which can be read where no path can be opened.
 */
struct trawl_reader *trawl_open(const char *path, struct trawl_error *err);
/*
 * The same with a limit of `memory` bytes (0: 256 MiB, as trawl_open()) for what the file describes
 * and for the events that are decoded at a time. A file that needs more is refused; the error names
 * what needs it.
 */
struct trawl_reader *trawl_open_within(const char *path, uint64_t memory, struct trawl_error *err);
/*
 * The same of an open descriptor; a regular file is read from its beginning. Errors call it `name`.
 * The reader has a copy of the descriptor; the caller closes its own.
 */
struct trawl_reader *trawl_open_fd(int fd, const char *name, uint64_t memory,
				   struct trawl_error *err);
void trawl_close(struct trawl_reader *r);
/* True of a regular file: trawl_open() has found all its sections. False of a pipe. */
bool trawl_is_seekable(const struct trawl_reader *r);

/*
 * Returns whether a regular file has a whole block of this format, at any offset. A file without
 * one is read to its end. The offset of the descriptor does not change.
 */
bool trawl_is_ours(int fd);

/*
 * Has call(arg) called whenever the reader is about to wait for more of a pipe: the time to flush
 * what was printed of a capture that goes on.
 */
void trawl_when_waiting(struct trawl_reader *r, void (*call)(void *arg), void *arg);

struct trawl_event {
	uint64_t time; /* the common timeline, ns since the epoch */
	uint64_t ts;   /* the source's own time stamp, exactly as recorded */
	const struct trawl_source *source;
	const struct trawl_event_type *type;
	uint32_t cpu;
	uint32_t len;
	const void *record; /* valid until the next call on this reader */
	uint32_t section;   /* of the file, from 0: those of another may be of another machine */
	uint64_t chunk;     /* offset of its chunk in the section */
	uint32_t place;     /* its number in the chunk, in chunk order */
};

/* Limits what trawl_next() gives; call before the first one. Times are of the timeline. */
struct trawl_range {
	uint64_t from, to;    /* from <= time < to; 0 and UINT64_MAX for no limit */
	uint64_t sources[4];  /* bit per source id; all zero: every source */
};
int trawl_select(struct trawl_reader *r, const struct trawl_range *range, struct trawl_error *err);

/*
 * The next event in time order. 1: *ev is filled, 0: the end, -1: the file cannot be read on
 * (I/O error). Damage is not an error here: whole chunks around it are read, and
 * trawl_verdict() tells.
 */
int trawl_next(struct trawl_reader *r, struct trawl_event *ev, struct trawl_error *err);

/*
 * What has been read so far besides events. On a seekable file all of it is there after
 * trawl_open(); on a pipe it grows as events are read. Pointers live as long as the reader, but
 * for clock-syncs.
 */
size_t trawl_source_count(const struct trawl_reader *r);
const struct trawl_source *trawl_source_at(const struct trawl_reader *r, size_t i);
/* The source of this id; NULL: not read so far. */
const struct trawl_source *trawl_source_find(const struct trawl_reader *r, uint16_t id);
size_t trawl_event_type_count(const struct trawl_reader *r);
const struct trawl_event_type *trawl_event_type_at(const struct trawl_reader *r, size_t i);
size_t trawl_meta_count(const struct trawl_reader *r);
const struct trawl_meta *trawl_meta_at(const struct trawl_reader *r, size_t i);
const struct trawl_meta *trawl_meta_find(const struct trawl_reader *r, const char *name);
size_t trawl_loss_count(const struct trawl_reader *r);
const struct trawl_loss *trawl_loss_at(const struct trawl_reader *r, size_t i);
/*
 * Of a long capture the reader keeps some clock-syncs: the first and the last of each section, and
 * those on both sides of each step of the time of day. On a pipe a pointer is valid until more is
 * read.
 */
size_t trawl_sync_count(const struct trawl_reader *r);
const struct trawl_sync *trawl_sync_at(const struct trawl_reader *r, size_t i);

/* A time stamp of a clock on the timeline, wherever in the file it stands. */
uint64_t trawl_to_timeline(const struct trawl_reader *r, enum trawl_clock clock, uint64_t ts);

/* The same by the clock-syncs of one section: one time stamp of two machines is two times. */
uint64_t trawl_section_time(struct trawl_reader *r, uint32_t section, enum trawl_clock clock,
			    uint64_t ts);
/*
 * The number of the section's timeline; 0: it has its own. trawl-edit merge gives sections whose
 * events are to come in one order of time the same number.
 */
uint64_t trawl_section_timeline(const struct trawl_reader *r, uint32_t section);
/*
 * Whether trawl_next() has given all events of the section. Of sections of one timeline, that is
 * known when the event that comes next in time is given.
 */
bool trawl_section_ended(const struct trawl_reader *r, uint32_t section);
/*
 * Hides the metadata of all other sections. keep: trawl_section_count() elements. 0, or -1 if there
 * is no memory, and nothing is hidden.
 */
int trawl_hide_metas(struct trawl_reader *r, const bool *keep);

/*
 * The error of the event's time is at most so many ns, its source's resolution included;
 * UINT64_MAX: not known.
 */
uint64_t trawl_event_bound(const struct trawl_reader *r, const struct trawl_event *ev);

struct trawl_verdict {
	bool complete;        /* every section has its end block */
	bool written;         /* not complete, and a capture writes it still */
	bool index_used;      /* the index was there and was believed */
	uint64_t cut_at;      /* file offset where a cut file stops making sense; 0 if not cut */
	uint64_t damaged;     /* blocks that were skipped */
	uint64_t damaged_at;  /* file offset of the first of these */
	uint64_t junk;        /* bytes after the last section that are no part of the file */
	uint64_t events;      /* events read or, with the index, known */
	uint64_t chunks;
	uint64_t bytes;       /* of the file, read or known */
	uint64_t syncs;       /* clock-syncs, read or known */
	uint64_t bound;       /* the largest of theirs */
	char text[256];       /* one line for people: "complete", "cut at byte N: ..." */
};
void trawl_verdict(const struct trawl_reader *r, struct trawl_verdict *v);

/* ---- records that are decoded while they are captured -------------------------------------- */

/*
 * A reader without an input, for callers that have the records. They tell it each source, event
 * type and piece of metadata once, before the first record that needs it. The functions return the
 * reader's copies, for struct trawl_event; a source keeps its id. Only the newest clock-sync
 * counts.
 */
struct trawl_reader *trawl_reader_blank(struct trawl_error *err);
const struct trawl_source *trawl_reader_tell_source(struct trawl_reader *r,
						    const struct trawl_source *s,
						    struct trawl_error *err);
const struct trawl_event_type *trawl_reader_tell_type(struct trawl_reader *r,
						      const struct trawl_event_type *t,
						      struct trawl_error *err);
int trawl_reader_tell_meta(struct trawl_reader *r, const struct trawl_meta *m,
			   struct trawl_error *err);
int trawl_reader_tell_sync(struct trawl_reader *r, const struct trawl_sync *s,
			   struct trawl_error *err);

/* ---- columns: for programs that go over many events --------------------------------------- */

/* One field of all events of a group, decoded: `count` elements of `size` bytes, or text/bytes
 * with offsets: element i is data[offsets[i] .. offsets[i+1]). */
struct trawl_column {
	const struct trawl_field *field;
	const void *data;
	const uint32_t *offsets; /* NULL for FIXED fields */
};

/* All events of one type in a chunk. */
struct trawl_group {
	const struct trawl_event_type *type;
	uint32_t count;
	const uint64_t *ts;      /* count, the source's clock */
	uint32_t ncolumns;       /* type->nfields, in that order */
	const struct trawl_column *columns;
};

/* Events of one CPU in a chunk, in order. */
struct trawl_stream {
	uint32_t cpu;
	uint32_t first, count; /* events first .. first + count - 1 of the chunk */
};

struct trawl_chunk {
	const struct trawl_source *source;
	uint64_t first, last;    /* smallest and largest time stamp */
	uint32_t count;
	uint32_t ngroups, nstreams, ncommon;
	const struct trawl_group *groups;
	const struct trawl_stream *streams;
	const struct trawl_column *common; /* ncommon, in chunk order, `count` elements each */
	const uint32_t *group_of;          /* chunk order -> group; a group's n-th is its n-th */
};

/* The next chunk in file order; 1, 0, -1 as trawl_next(). Do not mix with trawl_next(). */
int trawl_next_chunk(struct trawl_reader *r, const struct trawl_chunk **chunk,
		     struct trawl_error *err);

/* ---- pieces: for programs that copy what is in a file ------------------------------------- */

/* A section by itself; NULL where the block is lost, or there is none. */
size_t trawl_section_count(const struct trawl_reader *r);
const struct trawl_source *trawl_section_source(const struct trawl_reader *r, uint32_t section,
						uint16_t number);
size_t trawl_section_type_count(const struct trawl_reader *r, uint32_t section, uint16_t number);
const struct trawl_event_type *trawl_section_type(const struct trawl_reader *r, uint32_t section,
						  uint16_t number, size_t index);

struct trawl_piece {
	const struct trawl_sync *sync;     /* a clock-sync; NULL: a chunk, of which follows: */
	const struct trawl_source *source;
	uint32_t section;
	uint16_t number;      /* the source's, in the section */
	uint32_t count;       /* events */
	uint64_t at;          /* offset of the block in the section, as in trawl_event.chunk */
	uint64_t first, last; /* time stamps, of the source's clock */
	uint64_t from, to;    /* on the timeline none of its events is before or after these */
	uint64_t bytes;       /* of its block */
	const void *payload;  /* by trawl_piece_read() */
	size_t len;
};

/*
 * The next clock-sync, or chunk that may have events of the range, in file order; 1, 0, -1 as
 * trawl_next(). Only of a regular file, and not together with trawl_next() or trawl_next_chunk().
 * All lives until the next call.
 */
int trawl_next_piece(struct trawl_reader *r, struct trawl_piece *p, struct trawl_error *err);
/*
 * At the end, trawl_next_piece() does not look at the blocks that the index has made known: damage
 * where nothing is read is not found. For programs that read a part of the file.
 */
void trawl_pieces_unchecked(struct trawl_reader *r);
/* Reads the chunk's payload. False: it is damaged, which trawl_verdict() tells. */
bool trawl_piece_read(struct trawl_reader *r, struct trawl_piece *p);
/* Decodes what was read; false likewise. *chunk lives until the next chunk is decoded. */
bool trawl_piece_decode(struct trawl_reader *r, const struct trawl_piece *p,
			const struct trawl_chunk **chunk);
/*
 * Returns 0; or -1 with *err if a read failed or memory ran out: what counted as damage until now
 * may be whole.
 */
int trawl_pieces_failed(const struct trawl_reader *r, struct trawl_error *err);
/* A time stamp of the chunk's source on the timeline. */
uint64_t trawl_piece_time(const struct trawl_reader *r, const struct trawl_piece *p, uint64_t ts);

/*
 * The records of a decoded chunk, one stream after the other: trawl_cursor_next() fills all but
 * time, section and chunk, and returns 1; 0 at the stream's end, -1 when memory runs out, as then
 * trawl_cursor_new() NULL. The cursor is freed before the next chunk is decoded.
 */
struct trawl_cursor;
struct trawl_cursor *trawl_cursor_new(const struct trawl_chunk *chunk);
int trawl_cursor_next(struct trawl_cursor *c, uint32_t stream, struct trawl_event *ev);
/* Passes over the stream's next n events, which costs nothing. */
void trawl_cursor_skip(struct trawl_cursor *c, uint32_t stream, uint32_t n);
void trawl_cursor_free(struct trawl_cursor *c);

#ifdef __cplusplus
}
#endif
#endif
