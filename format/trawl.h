/* SPDX-License-Identifier: MIT */
/*
 * libtrawl: the .trawl container.
 *
 * A file is a pcapng section whose events are stored in chunks of columns; docs/format.md is the
 * normative text. This library does not interpret records: a source describes the layout of its
 * records once (struct trawl_event_type) and then appends records; a reader returns the same
 * records, in time order over all sources.
 *
 *	kernel -> source -> trawl_append() -> file -> trawl_next() -> decoder -> printer
 *
 * Units: all times are ns, all sizes bytes. Strings are UTF-8 and NUL-terminated. The library
 * copies what a caller passes, unless the function's comment says otherwise. A function that can
 * fail returns 0 or a pointer on success, and -1 or NULL with *err filled on failure; err must not
 * be NULL.
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

/* The exit statuses of all programs. An error carries the status to exit with. */
enum trawl_status {
	TRAWL_OK = 0,
	TRAWL_BAD_DATA = 1, /* done, but the data is damaged or incomplete: a capture lost events, a
			     * file is cut; not: a whole file records losses */
	TRAWL_USAGE = 2,    /* wrong usage */
	TRAWL_CANNOT = 3,   /* a permission, a device or a kernel feature is missing */
};

/*
 * The text is "thing: problem; remedy" in one line. A parse error has two more lines: the parsed
 * text, and a caret below the error.
 */
struct trawl_error {
	enum trawl_status status;
	int sys; /* errno of the failed system call, or 0; EPIPE: the reader of a pipe has exited */
	char text[1024];
};

/* Fills *err and returns -1, so that `return trawl_fail(err, ...)` reads as one statement. */
int trawl_fail(struct trawl_error *err, enum trawl_status status, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* ---- what an event looks like ----------------------------------------------------------- */

/* The meaning of a value. Decides how it is shown and how its column is encoded. */
enum trawl_kind {
	TRAWL_UINT,   /* unsigned integer of 1, 2, 4 or 8 bytes */
	TRAWL_INT,    /* signed integer, likewise */
	TRAWL_HEX,    /* unsigned, shown in hex: masks, flags, tracefs' x8 to x64 */
	TRAWL_ADDR,   /* an address of the traced system */
	TRAWL_ENUM,   /* unsigned, with few distinct values */
	TRAWL_PID,    /* a task id */
	TRAWL_TIME,   /* a time stamp in ns of the source's clock */
	TRAWL_SEQ,    /* a number that grows from event to event */
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
	TRAWL_DATA_LOC, /* at offset a u32: length << 16 | offset of the bytes in the record */
	TRAWL_REL_LOC,  /* likewise, but the offset counts from the end of this u32 */
	TRAWL_TAIL,     /* from offset to the end of the record; only as the last field */
	TRAWL_PLACES
};

/* The u32 of a TRAWL_DATA_LOC or TRAWL_REL_LOC field, and its two parts. */
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
	TRAWL_FIELD_KEY = 1, /* events with equal values are alike: one class in the encoder */
};

struct trawl_field {
	const char *name;
	const char *ctype; /* the type in C, as the source declares it ("unsigned int"); or "" */
	const char *note;  /* why there is no value, or what the value stands for; or "" */
	uint8_t kind;      /* enum trawl_kind */
	uint8_t place;     /* enum trawl_place */
	uint8_t flags;     /* TRAWL_FIELD_* */
	uint16_t offset;
	uint16_t size;  /* bytes of one element: 1, 2, 4, 8 for numbers; 1 for TEXT and BYTES */
	uint16_t count; /* number of elements, 1 for a scalar; only for FIXED */
};

/*
 * The layout of a kind of event. A record has a fixed part of `size` bytes with the fields at their
 * offsets (packed, unaligned, little endian), followed by the bytes of its DATA_LOC, REL_LOC and
 * TAIL fields. Bytes of the fixed part that no field covers are not stored: a reader returns them
 * as zero. A reader returns the bytes of dynamic fields in field order, without gaps.
 */
struct trawl_event_type {
	uint16_t source; /* as trawl_writer_source() returned it */
	uint32_t id;     /* chosen by the source: < 2^16, unique in the source */
	const char *name; /* "provider:probe", "group:event", "usb:submit" */
	const char *format; /* for decoders: the tracefs format file of the event; or "" */
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
	const char *spec;     /* the -i texts, for display */
	const char *kind;     /* which decoder: "tracefs", "usbmon", "branch" */
	uint8_t clock;        /* enum trawl_clock of its time stamps */
	uint16_t linktype;    /* pcap link type of its exports: 220 usbmon, 252 upper PDU */
	uint32_t resolution;  /* smallest difference of two time stamps, ns: 1, 1000 */
	uint32_t ncommon;     /* number of fields that all of its records begin with; FIXED only */
	const struct trawl_field *common;
};

/* One event as its source has it. */
struct trawl_record {
	uint16_t source;  /* as trawl_writer_source() returned it */
	uint32_t type;    /* the id of its trawl_event_type */
	uint32_t cpu;
	uint64_t ts;      /* the source's clock */
	const void *data; /* len bytes, owned by the caller */
	size_t len;
};

/* All clocks of the machine at one moment. */
struct trawl_sync {
	uint64_t mono, real, boot, mono_raw, tai, tsc; /* ns; tsc in cycles, 0 if unknown */
	uint64_t bound;   /* the readings are at most this many ns apart */
	uint64_t horizon; /* CLOCK_MONOTONIC: no event in a later chunk is earlier; 0: unknown */
	uint32_t why;     /* enum trawl_sync_why */
	uint32_t section; /* set by a reader: number of the section in the file, from 0 */
};

enum trawl_sync_why { TRAWL_SYNC_START = 1, TRAWL_SYNC_TICK, TRAWL_SYNC_STEP, TRAWL_SYNC_STOP };

/* Events that happened and are not in the file. */
struct trawl_loss {
	uint16_t source;
	uint32_t cpu;        /* UINT32_MAX: any CPU */
	uint64_t from, to;   /* the events were lost between these; the source's clock */
	uint64_t count;      /* UINT64_MAX: not known */
	uint32_t reason;     /* enum trawl_loss_reason */
	uint32_t section;    /* set by a reader: number of the section in the file, from 0 */
};

enum trawl_loss_reason {
	TRAWL_LOSS_OVERRUN = 1, /* the kernel's buffer was full: old events were overwritten */
	TRAWL_LOSS_DROPPED,     /* the kernel's buffer was full: new events were dropped */
	TRAWL_LOSS_COMMIT,      /* commit overrun: interrupts filled the buffer while an event was
				 * being written */
	TRAWL_LOSS_MISSED,      /* probe hits that were never recorded (uprobe_profile) */
	TRAWL_LOSS_WRITE,       /* the file could not be written: disk full */
	TRAWL_LOSS_MAP,         /* a histogram map of a synthetic event was full */
	TRAWL_LOSS_FILTER,      /* left out on request */
	TRAWL_LOSS_EMPTIED,     /* the kernel's buffer was emptied before it was read */
	TRAWL_LOSS_UNPAIRED,    /* synthetic events whose two events do not belong together */
	TRAWL_LOSS_TOO_LONG,    /* probe hits whose strings were too long for the kernel */
	TRAWL_LOSS_OVERRUN_MOST, /* overrun; count is an upper bound, because it may include events
				  * that were recorded only to decode others */
	TRAWL_LOSS_DAMAGED,     /* recorded, but the file was damaged afterwards */
	TRAWL_LOSS_REASONS
};

const char *trawl_loss_reason_name(uint32_t reason); /* "overrun", ... ; never NULL */

/* A named piece of metadata; docs/format.md lists the names in use ("machine", "maps/PID", ...). */
struct trawl_meta {
	const char *name;
	const char *type;  /* "application/json", "text/plain", "application/octet-stream" */
	uint64_t time;     /* CLOCK_MONOTONIC at which it was valid */
	const void *data;  /* from a reader: followed by a NUL, which len does not count */
	size_t len;
	uint32_t section;  /* set by a reader: number of the section in the file, from 0 */
};

/* ---- writing ----------------------------------------------------------------------------- */

struct trawl_writer;

struct trawl_writer_options {
	int level;             /* zstd level 1 to 19; 0: the default; 20 or more: smallest file */
	uint32_t chunk_events; /* maximum number of events in a chunk; 0: the default, 65,536 */
	/*
	 * Maximum bytes of records in a chunk; 0: the default, 2 MiB. Payload of 512 bytes or more
	 * that an earlier record of the chunk has, too, does not count, up to 16 MiB.
	 */
	uint32_t chunk_bytes;
	const char *comment;   /* of the pcapng section: describes the file in a line; or NULL */
	const char *name;      /* of the output in errors: "-w x.trawl"; NULL: "output" */
	uint64_t time;         /* CLOCK_REALTIME of the start, stored in the file; 0: now */
	uint64_t ring;         /* bytes of a ring in memory; 0: no ring, fd is written at once */
	bool compact;          /* trawl_writer_chunk() may get chunks of level 20 */
	bool no_index;         /* no copies in an index: smaller, but opening reads all of it */
	bool keep_up;          /* compress bulk payload less while it arrives too fast */
	/* trawl_writer_meta() calls this in its caller's thread. May be NULL. */
	void (*on_meta)(void *arg, const struct trawl_meta *m);
	void *arg; /* for on_meta */
};

enum { TRAWL_RECORD_MAX = 15 << 20 }; /* bytes: a record must fit into a block */

/*
 * Starts a file on fd, which may be a pipe; fd is the writer's, and closed if this fails. A source
 * has a thread that encodes and compresses, so trawl_append() only copies. Another thread writes:
 * callers wait for a slow disk or pipe only when 8 MiB are queued. So a write error is returned by
 * a later call than the one whose data could not be written.
 */
struct trawl_writer *trawl_writer_new(int fd, const struct trawl_writer_options *o,
				      struct trawl_error *err);

/* Returns the source's id, or -1 with *err. Sources may be added at any time. */
int trawl_writer_source(struct trawl_writer *w, const struct trawl_source *s,
			struct trawl_error *err);
int trawl_writer_event_type(struct trawl_writer *w, const struct trawl_event_type *t,
			    struct trawl_error *err);
int trawl_writer_meta(struct trawl_writer *w, const struct trawl_meta *m, struct trawl_error *err);
/* The same for metadata of the current file only: trawl_writer_rotate() does not repeat it. */
int trawl_writer_last_meta(struct trawl_writer *w, const struct trawl_meta *m,
			   struct trawl_error *err);
int trawl_writer_loss(struct trawl_writer *w, const struct trawl_loss *l, struct trawl_error *err);

/*
 * Appends one record. The records of one CPU of a source must be appended in the order of their
 * time stamps. Only one thread at a time may append to a source, and none while another thread is
 * in trawl_writer_sync(), _flush(), _expected(), _rotate(), _take() or _close(). Blocks only if the
 * current chunk is full and the source's thread still encodes the one before.
 *
 * Fails for an unknown type, for a record shorter than its type's fixed part, and when the file
 * cannot be written (err->sys is set: ENOSPC, EPIPE). The writer counts the events that it cannot
 * write; losses at the end of the file give their number and times for each source.
 */
int trawl_append(struct trawl_writer *w, const struct trawl_record *r, struct trawl_error *err);

/*
 * Writes a chunk that a reader returned (struct trawl_piece) without encoding it again, after all
 * records that were appended to the source. The source's event types must have been added in the
 * order of the reader's section, because chunks refer to them by number.
 */
struct trawl_piece;
int trawl_writer_chunk(struct trawl_writer *w, uint16_t source, const struct trawl_piece *chunk,
		       struct trawl_error *err);

/*
 * Ends the current chunk of every source, waits until all of them are encoded, and writes a
 * clock-sync block after them. Call it at the start, every second, at clock steps and at the end.
 * No event that is appended later may be earlier than sync->horizon.
 */
int trawl_writer_sync(struct trawl_writer *w, const struct trawl_sync *sync,
		      struct trawl_error *err);

/*
 * Encodes what was appended and waits until all of it is written to the descriptor (without
 * fsync). Returns -1 with *err if some of it cannot be written.
 */
int trawl_writer_flush(struct trawl_writer *w, struct trawl_error *err);

/*
 * Reads all clocks of this machine. Reads CLOCK_MONOTONIC before and after the others: bound is the
 * difference. Sets horizon and why to 0.
 */
void trawl_sync_now(struct trawl_sync *sync);

/*
 * Ends the current file (index, end block) and continues in a new file on fd. The new file repeats
 * all that later events may need: sources, event types, the newest clock-sync, and the newest
 * metadata of each name, up to 16 MiB. Returns 0; or 1 with *err if the writer continues in the new
 * file but could not write the end of the old one; or -1 with *err if it continues in the old file:
 * fd is closed then.
 */
int trawl_writer_rotate(struct trawl_writer *w, int fd, struct trawl_error *err);

/*
 * Rewrites a file as a small section (docs/format.md) if that makes it smaller. The file must have
 * one complete section and at most TRAWL_SMALL_MOST bytes, and no other writer; fd must be readable
 * and writable. Otherwise, or if writing fails, returns false and leaves the file unchanged.
 */
bool trawl_make_small(int fd);

enum { TRAWL_SMALL_MOST = 512 << 10 };

uint64_t trawl_writer_bytes(const struct trawl_writer *w);  /* of the current file so far */
/*
 * Estimated size in bytes of the current file if it ended now. Includes index, end block and the
 * records that are not encoded yet, assumed to compress like the newest large chunk.
 */
uint64_t trawl_writer_expected(const struct trawl_writer *w);
uint64_t trawl_writer_events(const struct trawl_writer *w); /* appended, over all files */
/*
 * Number of a source's events that were appended but not written, because writing failed. Complete
 * after trawl_writer_flush(), also if that fails.
 */
uint64_t trawl_writer_unwritten(const struct trawl_writer *w, uint16_t source);

/*
 * The i-th source or event type in the order of adding; NULL if i is too large. Valid until
 * trawl_writer_close().
 */
const struct trawl_source *trawl_writer_source_at(const struct trawl_writer *w, size_t i);
const struct trawl_event_type *trawl_writer_event_type_at(const struct trawl_writer *w,
							  uint16_t source, size_t i);

/*
 * A writer with a ring has no file: trawl_writer_new() gets fd -1. It keeps the newest chunks in
 * memory, up to `ring` bytes. trawl_writer_take() detaches the current contents as a spill, and
 * trawl_spill_write() writes them to fd as a complete file with all sources, event types and
 * metadata that its events need; it closes fd and frees the spill in any case. Another thread may
 * call it while the writer continues in the memory that is freed. *events is the number of events
 * written, also after an error. Only one spill may exist at a time, and none when
 * trawl_writer_close() is called, which writes nothing.
 */
struct trawl_spill;
struct trawl_spill *trawl_writer_take(struct trawl_writer *w, struct trawl_error *err);
int trawl_spill_write(struct trawl_spill *s, int fd, uint64_t *events, struct trawl_error *err);

struct trawl_ring_state {
	uint64_t bytes;          /* in use */
	uint64_t chunks, events; /* stored */
	uint64_t dropped;        /* events overwritten since the last trawl_writer_take() */
	uint64_t since;          /* CLOCK_MONOTONIC of the clock-sync before the oldest; 0: none */
	uint64_t dropped_until;  /* CLOCK_MONOTONIC of the newest event that was overwritten since
				  * the last trawl_writer_take(); 0: none */
};
/* Returns the state of a writer's ring. */
void trawl_writer_ring(const struct trawl_writer *w, struct trawl_ring_state *state);

/*
 * Flushes, writes index and end block, closes fd and frees the writer in any case. Returns -1 with
 * *err if any event was not written.
 */
int trawl_writer_close(struct trawl_writer *w, struct trawl_error *err);

/* ---- reading ----------------------------------------------------------------------------- */

struct trawl_reader;

/*
 * Opens a file or, for "-", standard input. For "/proc/self/fd/N" descriptor N is duplicated, not
 * opened by its path, so that a sandboxed program can read it.
 */
struct trawl_reader *trawl_open(const char *path, struct trawl_error *err);
/*
 * A limit on memory for a file's descriptions and metadata, and for decoded chunks. It is one for
 * all readers that are opened with it, such as two that read the same file; all must be used by one
 * thread.
 */
struct trawl_memory {
	uint64_t most; /* bytes; 0: 256 MiB */
	uint64_t used; /* by readers that are open; initially 0 */
};

/*
 * Takes n bytes of it for `what` of the file `name`, such as "decoders", which the caller gives
 * back by subtracting from `used`. Returns 0, or -1 with *err if that exceeds the limit. NULL: no
 * limit.
 */
int trawl_memory_take(struct trawl_memory *memory, uint64_t n, const char *name, const char *what,
		      struct trawl_error *err);

/*
 * The same as trawl_open() with a limit, which must outlive the reader; NULL: one of its own of 256
 * MiB, as trawl_open(). A file that needs more is refused; the error says what needs it.
 */
struct trawl_reader *trawl_open_within(const char *path, struct trawl_memory *memory,
				       struct trawl_error *err);
/*
 * The same for an open descriptor; a regular file is read from its start. `name` stands for it in
 * errors. The reader duplicates fd; the caller closes its own.
 */
struct trawl_reader *trawl_open_fd(int fd, const char *name, struct trawl_memory *memory,
				   struct trawl_error *err);
void trawl_close(struct trawl_reader *r);
/* True for a regular file, whose sections trawl_open() has found. False for a pipe. */
bool trawl_is_seekable(const struct trawl_reader *r);

/*
 * Returns whether a regular file has an undamaged block of this format, at any offset. Reads a file
 * without one to its end. Leaves the descriptor's offset unchanged.
 */
bool trawl_is_ours(int fd);

/*
 * Sets a callback for pipes: the reader calls it before it waits for more input. A printer flushes
 * its output there, so that the events of a running capture show at once.
 */
void trawl_when_waiting(struct trawl_reader *r, void (*call)(void *arg), void *arg);

struct trawl_event {
	uint64_t time; /* on the common timeline, ns since the epoch */
	uint64_t ts;   /* the time stamp as recorded, by the source's clock */
	const struct trawl_source *source;
	const struct trawl_event_type *type;
	uint32_t cpu;
	uint32_t len;
	const void *record; /* valid until the next call on this reader */
	uint32_t section;   /* number in the file, from 0; each may be of another machine */
	uint64_t chunk;     /* offset of the event's chunk in the section */
	uint32_t place;     /* the event's number in the chunk, in chunk order */
};

/* Limits the events that trawl_next() returns; call it before the first trawl_next(). */
struct trawl_range {
	uint64_t from, to;    /* from <= trawl_event.time < to; 0 and UINT64_MAX: no limit */
	uint64_t sources[4];  /* a bit for each source id; all zero: every source */
	uint64_t whole[4];    /* likewise, of sources for which `from` is 0 */
};
int trawl_select(struct trawl_reader *r, const struct trawl_range *range, struct trawl_error *err);

/*
 * Fills *ev with the next event in time order and returns 1; 0 at the end; -1 with *err if reading
 * fails or memory runs out. Damage is no error: the reader skips damaged blocks, and
 * trawl_verdict() reports them.
 */
int trawl_next(struct trawl_reader *r, struct trawl_event *ev, struct trawl_error *err);

/*
 * What has been read besides events: complete after trawl_open() of a regular file, growing with
 * each event of a pipe. Pointers are valid until trawl_close(), except those to clock-syncs.
 */
size_t trawl_source_count(const struct trawl_reader *r);
const struct trawl_source *trawl_source_at(const struct trawl_reader *r, size_t i);
/* The source with this id, or NULL if it has not been read. */
const struct trawl_source *trawl_source_find(const struct trawl_reader *r, uint16_t id);
size_t trawl_event_type_count(const struct trawl_reader *r);
const struct trawl_event_type *trawl_event_type_at(const struct trawl_reader *r, size_t i);
size_t trawl_meta_count(const struct trawl_reader *r);
const struct trawl_meta *trawl_meta_at(const struct trawl_reader *r, size_t i);
const struct trawl_meta *trawl_meta_find(const struct trawl_reader *r, const char *name);
/*
 * What the recorder lost; and, as soon as the reading of events or chunks gets there, what damaged
 * chunks had, as far as the index or their heads are whole (TRAWL_LOSS_DAMAGED).
 */
size_t trawl_loss_count(const struct trawl_reader *r);
const struct trawl_loss *trawl_loss_at(const struct trawl_reader *r, size_t i);
/*
 * Of a long capture the reader keeps only some clock-syncs: the first and the last of each section,
 * and those before and after each step of the wall clock. On a pipe, a pointer is valid until the
 * next event is read.
 */
size_t trawl_sync_count(const struct trawl_reader *r);
const struct trawl_sync *trawl_sync_at(const struct trawl_reader *r, size_t i);

/*
 * Converts a time stamp of a clock to the timeline, by the clock-syncs of the whole file: for time
 * stamps whose place in the file is not known.
 */
uint64_t trawl_to_timeline(const struct trawl_reader *r, enum trawl_clock clock, uint64_t ts);

/* The same by the clock-syncs of one section: sections may be of different machines. */
uint64_t trawl_section_time(struct trawl_reader *r, uint32_t section, enum trawl_clock clock,
			    uint64_t ts);
/*
 * The number of the timeline that the section shares with others; 0: none. trawl-edit merge gives
 * sections the same number if their events are to be read in one time order.
 */
uint64_t trawl_section_timeline(const struct trawl_reader *r, uint32_t section);
/*
 * Whether trawl_next() has returned all events of the section. If sections share a timeline, this
 * becomes true only with the event that follows the section's last one in time.
 */
bool trawl_section_ended(const struct trawl_reader *r, uint32_t section);
/*
 * Hides the metadata of all sections i without keep[i], except "edit/N" of the first section, which
 * is about the whole file; keep has trawl_section_count() elements. Returns 0; or -1 if memory runs
 * out, and hides nothing.
 */
int trawl_hide_metas(struct trawl_reader *r, const bool *keep);

/*
 * The largest possible error of ev->time in ns, including its source's resolution; UINT64_MAX if it
 * is not known.
 */
uint64_t trawl_event_bound(const struct trawl_reader *r, const struct trawl_event *ev);

struct trawl_verdict {
	bool complete;        /* every section has its end block */
	bool written;         /* not complete: a recorder is still writing it */
	bool index_used;      /* the chunks were found by an index, without a scan */
	uint64_t cut_at;      /* file offset of the first incomplete block; 0: not cut */
	uint64_t damaged;     /* number of damaged or missing blocks */
	uint64_t damaged_at;  /* file offset of the first of these */
	uint64_t damaged_known; /* how many of these are chunks whose events are among the losses */
	uint64_t junk;        /* bytes after the last section */
	/* Read so far or, with an index, in the file: */
	uint64_t events;
	uint64_t chunks;
	uint64_t bytes;
	uint64_t syncs;       /* number of clock-syncs */
	uint64_t bound;       /* the largest bound of these, ns */
	/*
	 * One line for people: "complete", "cut at byte N: ..."; of damage also which rule of
	 * docs/format.md is broken where it was found first.
	 */
	char text[512];
};
void trawl_verdict(const struct trawl_reader *r, struct trawl_verdict *v);

/* ---- records that are decoded while they are captured -------------------------------------- */

/*
 * A reader without an input, for callers that decode records of their own. The caller adds each
 * source, event type and piece of metadata before the first record that needs it. The functions
 * copy their argument and return the copy, for struct trawl_event; a source keeps its id. A
 * clock-sync replaces the one before.
 */
struct trawl_reader *trawl_reader_blank(struct trawl_error *err);
const struct trawl_source *trawl_reader_add_source(struct trawl_reader *r,
						   const struct trawl_source *s,
						   struct trawl_error *err);
const struct trawl_event_type *trawl_reader_add_type(struct trawl_reader *r,
						     const struct trawl_event_type *t,
						     struct trawl_error *err);
int trawl_reader_add_meta(struct trawl_reader *r, const struct trawl_meta *m,
			  struct trawl_error *err);
int trawl_reader_add_sync(struct trawl_reader *r, const struct trawl_sync *s,
			  struct trawl_error *err);

/* ---- columns: for programs that go over many events --------------------------------------- */

/*
 * One field of all events of a group. If it is FIXED, each event has field->size * field->count
 * bytes of data. Otherwise the i-th event has data[offsets[i] .. offsets[i + 1]).
 */
struct trawl_column {
	const struct trawl_field *field;
	const void *data;
	const uint32_t *offsets; /* NULL for FIXED fields */
};

/* All events of one type in a chunk. */
struct trawl_group {
	const struct trawl_event_type *type;
	uint32_t count;
	const uint64_t *ts;      /* `count` time stamps, the source's clock */
	uint32_t ncolumns;       /* type->nfields, in the order of type->fields */
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
	const struct trawl_column *common; /* ncommon columns of `count` elements, in chunk order */
	/* The group of each event, in chunk order, which is also the order within a group. */
	const uint32_t *group_of;
};

/*
 * Decodes the next chunk in file order; returns 1, 0 or -1 as trawl_next(). *chunk is valid until
 * the next call. Not to be used together with trawl_next() on one reader.
 */
int trawl_next_chunk(struct trawl_reader *r, const struct trawl_chunk **chunk,
		     struct trawl_error *err);

/* ---- pieces: for programs that copy what is in a file ------------------------------------- */

/*
 * The sources and event types of one section. `number` is that of the source in the section.
 * Return NULL if there is none, or its block is damaged.
 */
size_t trawl_section_count(const struct trawl_reader *r);
const struct trawl_source *trawl_section_source(const struct trawl_reader *r, uint32_t section,
						uint16_t number);
size_t trawl_section_type_count(const struct trawl_reader *r, uint32_t section, uint16_t number);
const struct trawl_event_type *trawl_section_type(const struct trawl_reader *r, uint32_t section,
						  uint16_t number, size_t index);

struct trawl_piece {
	const struct trawl_sync *sync;     /* the clock-sync; NULL: this is a chunk */
	/* Of a chunk: */
	const struct trawl_source *source;
	uint32_t section;
	uint16_t number;      /* of the source in the section */
	uint32_t count;       /* number of events */
	uint64_t at;          /* offset of the block in the section, as in trawl_event.chunk */
	uint64_t first, last; /* smallest and largest time stamp, the source's clock */
	uint64_t from, to;    /* all events are between these, on the timeline */
	uint64_t bytes;       /* size of the block */
	const void *payload;  /* set by trawl_piece_read() */
	size_t len;           /* of payload */
};

/*
 * Fills *p with the next clock-sync, or chunk that may have events in the range of trawl_select(),
 * in file order; returns 1, 0 or -1 as trawl_next(). Only for regular files, and not together with
 * trawl_next() or trawl_next_chunk() on one reader. The pointers in *p are valid until the next
 * call.
 */
int trawl_next_piece(struct trawl_reader *r, struct trawl_piece *p, struct trawl_error *err);
/*
 * For programs that read a part of a file: at the end, trawl_next_piece() does not check the blocks
 * that were found by the index and not read. Damage in them is not reported.
 */
void trawl_pieces_unchecked(struct trawl_reader *r);
/*
 * Reads the chunk's payload. Returns false if it is damaged (see trawl_verdict()), or if
 * trawl_pieces_failed().
 */
bool trawl_piece_read(struct trawl_reader *r, struct trawl_piece *p);
/* Decodes the payload; returns false likewise. *chunk is valid until the next one is decoded. */
bool trawl_piece_decode(struct trawl_reader *r, const struct trawl_piece *p,
			const struct trawl_chunk **chunk);
/* Returns what is lost with a damaged chunk; `source` is the number in the section. */
struct trawl_loss trawl_piece_loss(const struct trawl_piece *p);
/*
 * Returns 0; or -1 with *err if a read failed or memory ran out: what was reported as damaged may
 * not be.
 */
int trawl_pieces_failed(const struct trawl_reader *r, struct trawl_error *err);
/* Converts a time stamp of the chunk to the timeline. */
uint64_t trawl_piece_time(const struct trawl_reader *r, const struct trawl_piece *p, uint64_t ts);

/*
 * The records of a decoded chunk, stream by stream. trawl_cursor_new() returns NULL if memory runs
 * out. trawl_cursor_next() fills *ev except time, section and chunk, and returns 1; 0 at the end of
 * the stream; -1 if memory runs out. Free the cursor before the next chunk is decoded.
 */
struct trawl_cursor;
struct trawl_cursor *trawl_cursor_new(const struct trawl_chunk *chunk);
int trawl_cursor_next(struct trawl_cursor *c, uint32_t stream, struct trawl_event *ev);
/* Skips the stream's next n events, in constant time. */
void trawl_cursor_skip(struct trawl_cursor *c, uint32_t stream, uint32_t n);
void trawl_cursor_free(struct trawl_cursor *c);

#ifdef __cplusplus
}
#endif
#endif
