/* SPDX-License-Identifier: MIT */
/*
 * The tape: the transfers of one device in a capture, in the order in which the host began sending
 * or the device finished answering, and the device's descriptors.
 *
 * An answer has a cause: the last data or request sent to the same interface before it. A replay
 * gives the answer when the cause has been played, after the same time as in the capture.
 */
#ifndef TRAWL_REPLAY_TAPE_H
#define TRAWL_REPLAY_TAPE_H

#include "decode/usb/usb.h"
#include "replay/filearray.h"
#include "replay/store.h"
#include "replay/tapedevice.h"

#define TAPE_NONE UINT32_MAX
#define TAPE_NOTHING {.store = {.fd = -1}, .array = FILEARRAY_NONE, .index = FILEARRAY_NONE}

struct foreign;

struct tape_packet { /* a packet of an isochronous transfer */
	int32_t status;
	uint32_t length;
};

struct tape_entry {
	uint64_t submitted, completed; /* timeline, ns; 0: not recorded */
	uint64_t data;                 /* offset in the store */
	uint64_t packets;              /* offset in the store of npackets struct tape_packet */
	/* sort key: when the host began to send, or the device finished answering */
	uint64_t order;
	/* in the same order: when the host began it, and when it ended; 0: not recorded */
	uint64_t begun, ended;
	uint64_t item;                 /* number of the transfer in trawl-decode's output, from 1 */
	uint32_t data_len;             /* bytes in the store */
	uint32_t length, buffer_size;  /* bytes transferred; size of the host's buffer */
	uint32_t npackets;
	uint32_t cause;                /* index of an entry, or TAPE_NONE */
	int32_t status;
	uint8_t xfer, endpoint, interface;
	uint8_t setup[8];              /* of a control transfer */
	bool answered;                 /* the answer is in the capture: status is valid */
	bool cancelled;                /* the host cancelled it, or unseen or unknown */
	bool unseen;                   /* the host refused it: the device has not seen it */
	bool unknown;                  /* sent, but its data is not in the capture */
	bool secret;                   /* keystrokes */
	bool cut;                      /* the capture lacks some of its data */
	uint8_t after_cancelled;       /* number of reads that the host cancelled just before; 255:
				        * 255 or more */
	/* During a replay: */
	bool used;
	uint64_t time;                 /* when it was played, ns of CLOCK_MONOTONIC; 0: not yet */
};

static inline bool tape_in(const struct tape_entry *e)
{
	return e->xfer == URB_CONTROL ? e->setup[0] & 0x80 : e->endpoint & 0x80;
}

/*
 * Returns the size of the host's recorded buffer; where the capture lacks it, as those of USBPcap
 * do, that of the data, or 64.
 */
static inline uint32_t tape_room(const struct tape_entry *e)
{
	return e->buffer_size > e->data_len ? e->buffer_size : e->data_len ? e->data_len : 64;
}
/* The longest answer to a GET_DESCRIPTOR request in the capture. */
struct tape_answer {
	uint8_t setup[8];
	bool refused;
	uint64_t data;
	uint32_t length;
};

struct tape {
	struct tape_device device;
	struct store store;
	struct tape_entry *entries;
	uint32_t n;
	struct filearray array;      /* holds entries */
	/* Indexes of entries in their order: those of endpoint 0, then of each other one. */
	struct filearray index;
	struct { uint32_t first, n; } lists[33]; /* in index: by tape_list_of() */
	uint64_t moved;              /* total distance by which entries were moved to sort them */
	struct tape_answer *answers;
	uint32_t nanswers;
	uint8_t descriptor[18];
	struct usb_config configs[USBDEV_CONFIGS];
	uint8_t *bos;
	size_t bos_len;
	struct { uint8_t number, *report; uint16_t length; } reports[USBDEV_INTERFACES];
	unsigned int nreports;
	/*
	 * From the sysfs snapshot: manufacturer, product, serial; "" if unknown. The 126 characters
	 * of UTF-16 that a descriptor holds at most are up to 378 bytes in sysfs.
	 */
	char strings[3][384];
	double mbps;           /* from the sysfs snapshot; 0: unknown */
	uint8_t cancelled[16]; /* while reading: by endpoint, how many of its last reads were */
	bool enumerated;       /* the host set a configuration in the capture */
	bool described;        /* the host read descriptors in the capture */
	uint64_t cut;          /* transfers whose data is incomplete */
	uint64_t unknown;      /* entries that are unknown */
	uint64_t first_unknown; /* the item of the first */
	uint64_t no_answer;    /* IN transfers without a recorded completion */
	/* the capture's own metadata: why it is not replayable; "" if it is or says nothing */
	char verdict[256];
	/* damage of the file, or what its import left out; status 0: none */
	struct trawl_error damage;
};

/*
 * Reads the tape of one device. *t is TAPE_NOTHING or has only its store open. Returns 0, or -1
 * with *err, which lists the devices if it is none of them; tape_free() is to be called in any
 * case.
 */
int tape_read_chosen(struct tape *t, const struct tape_file *file, struct trawl_error *err);
/*
 * Returns -1 with *err if the file is damaged or cut, or not all of it could be imported, else 0;
 * for use after a successful replay.
 */
int tape_whole(const struct tape *t, struct trawl_error *err);
/*
 * The same for any file that the user names: a .trawl file, one that can be imported, or "-";
 * file->path is not used. f->path is valid until foreign_close(), which the caller calls in any
 * case. cage: what the sandbox, which the process enters for good, permits besides reading (enum
 * sandbox_more); TAPE_UNCAGED: no sandbox.
 */
enum { TAPE_UNCAGED = -1 };
int tape_open(struct tape *t, struct foreign *f, const struct tape_file *file, int cage,
	      struct trawl_error *err);
void tape_free(struct tape *t);

/* Opens the files that hold a tape, where that is not done yet. Returns 0, or -1 with *err. */
int tape_prepare(struct tape *t, struct trawl_error *err);

/*
 * Removes the tape's pages from this process's memory. Cheap: callers that iterate over a tape call
 * it now and then.
 */
void tape_release(struct tape *t);
enum { TAPE_STRETCH = 1 << 16 }; /* number of entries after which to call it */

/* Which of lists[] an entry is in: 32 for control transfers, else by endpoint, + 16 for IN. */
static inline unsigned int tape_list_of(const struct tape_entry *e)
{
	return e->xfer == URB_CONTROL ? 32
				      : (e->endpoint & 15u) + (e->endpoint & 0x80 ? 16 : 0);
}

/* The indexes of one of the lists. */
static inline uint32_t *tape_list(const struct tape *t, unsigned int list)
{
	return (uint32_t *)t->index.p + t->lists[list].first;
}

static inline const uint8_t *tape_data(const struct tape *t, const struct tape_entry *e)
{
	return store_at(&t->store, e->data);
}

/* Returns packet i of an isochronous entry. The packets' data follow each other in tape_data(). */
struct tape_packet tape_packet(const struct tape *t, const struct tape_entry *e, uint32_t i);

/* The device's first configuration; NULL if there is none. */
const struct usb_config *tape_config(const struct tape *t);
/* Whom a request addresses, by the first configuration. */
struct control_target tape_target(const struct tape *t, const struct control_request *s);

/* Writes the SCSI command of a disk's command block (msc_is_cbw()): "READ(10) lba 0 + 8". */
void tape_command_text(const uint8_t *cbw, struct out *o);
/*
 * Writes what an entry is: "SET_REPORT ...", "ep2 OUT bulk, 3 bytes: 40 ff 00", "ep2 OUT bulk,
 * READ(10) lba 0 + 8".
 */
void tape_entry_text(const struct tape *t, const struct tape_entry *e, struct out *o);

#endif
