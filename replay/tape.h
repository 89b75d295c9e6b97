/* SPDX-License-Identifier: MIT */
/*
 * The tape: what one device of a capture was asked, and what it answered, in the order in which the
 * host began and the device ended it; and its descriptors.
 *
 * An answer has a cause: the last data or request to the same interface before it. A replay gives
 * the answer when its cause has come again, after the time that it took.
 */
#ifndef TRAWL_REPLAY_TAPE_H
#define TRAWL_REPLAY_TAPE_H

#include "decode/usb/usb.h"
#include "replay/store.h"

#define TAPE_NONE UINT32_MAX
#define TAPE_NOTHING {.store = {.fd = -1}}

struct foreign;

struct tape_packet { /* of an isochronous transfer */
	int32_t status;
	uint32_t length;
};

struct tape_entry {
	uint64_t submitted, completed; /* timeline, ns; 0: not recorded */
	uint64_t data;                 /* in the store */
	uint64_t packets;              /* likewise: npackets of struct tape_packet */
	uint64_t order;                /* when the host began what it sends, or the device ended
				        * what it sent */
	uint64_t item;                 /* its number among what trawl-decode shows, from 1 */
	uint32_t data_len;             /* bytes in the store */
	uint32_t length, asked;        /* transferred; the size of the host's buffer */
	uint32_t npackets;
	uint32_t cause;                /* index of an entry, or TAPE_NONE */
	int32_t status;
	uint8_t xfer, endpoint, interface;
	uint8_t setup[8];              /* of a control transfer */
	bool answered;                 /* status is known */
	bool cancelled;                /* by the host */
	bool secret;                   /* keystrokes */
	bool cut;                      /* some of the data is not in the capture */
	bool after_cancelled;          /* of a read: the host gave one up before this one */
	/* Of a replay: */
	bool used;
	uint64_t time;                 /* when, on this machine's monotonic clock */
};

static inline bool tape_in(const struct tape_entry *e)
{
	return e->xfer == URB_CONTROL ? e->setup[0] & 0x80 : e->endpoint & 0x80;
}

/* The answer to a GET_DESCRIPTOR of the capture: the longest. */
struct tape_answer {
	uint8_t setup[8];
	bool refused;
	uint64_t data;
	uint32_t length;
};

/* A device of a capture. */
struct tape_device {
	uint16_t bus;
	uint8_t address;
	bool known;        /* it has a device descriptor */
	bool configured;   /* and a whole configuration */
	bool root, hub;
	uint16_t vendor, product;
	char name[128], port[64];
	uint64_t transfers;
};

struct tape {
	struct tape_device device;
	struct store store;
	struct tape_entry *entries;
	uint32_t n, room;
	struct tape_answer *answers;
	uint32_t nanswers;
	uint8_t descriptor[18];
	struct usb_config configs[USBDEV_CONFIGS];
	uint8_t *bos;
	size_t bos_len;
	struct { uint8_t number, *report; uint16_t length; } reports[USBDEV_INTERFACES];
	unsigned int nreports;
	char strings[3][128];  /* of the snapshot: manufacturer, product, serial; "" if not known */
	double mbps;           /* of the snapshot; 0: not known */
	bool cancelled[16];    /* while it is read: the last read of each endpoint was given up */
	bool enumerated;       /* the tape begins before a SET_CONFIGURATION */
	uint64_t cut;          /* transfers with data that the capture has not */
	uint64_t no_answer;    /* IN transfers of which only the submission was recorded */
	char verdict[256];     /* the capture's own: why it is not replayable; "" if it is, or
			        * none is there */
	struct trawl_error damage; /* of the file; its status is 0 if it is whole */
};

/* All devices but root hubs, to be freed by the caller; -1 with *err. */
int tape_devices(const char *path, const char *name, struct tape_device **list, size_t *n,
		 struct trawl_error *err);

/*
 * The device of this text: "VID:PID", "BUS:DEV" in decimal, or NULL: the only one that is no hub.
 * NULL with *err, which lists the devices.
 */
const struct tape_device *tape_choose(const struct tape_device *list, size_t n, const char *text,
				      const char *name, struct trawl_error *err);

/* Reads the tape of one device. 0, or -1 with *err. tape_free() in any case. */
int tape_read(struct tape *t, const char *path, const char *name, const struct tape_device *d,
	      struct trawl_error *err);
/* The same of the device that tape_choose() finds by `device`; t is TAPE_NOTHING, or has its
 * store. */
int tape_read_chosen(struct tape *t, const char *path, const char *name, const char *device,
		     struct trawl_error *err);
/* 0, or -1 with *err: the file is damaged or cut; for who has replayed what is whole. */
int tape_whole(const struct tape *t, struct trawl_error *err);
/*
 * The same of what the user named: any file that can be imported, or "-". f->path has the capture
 * until foreign_close(), which the caller calls in any case. cage: what the sandbox, which the
 * process enters for ever, lets it do besides reading (enum sandbox_more); TAPE_UNCAGED: no
 * sandbox.
 */
enum { TAPE_UNCAGED = -1 };
int tape_open(struct tape *t, struct foreign *f, const char *file, const char *device, int cage,
	      struct trawl_error *err);
void tape_free(struct tape *t);

static inline const uint8_t *tape_data(const struct tape *t, const struct tape_entry *e)
{
	return store_at(&t->store, e->data);
}

/* Packet i of an isochronous entry; *at: where its bytes begin in tape_data(). */
struct tape_packet tape_packet(const struct tape *t, const struct tape_entry *e, uint32_t i);

/* What an entry is, for people: "SET_REPORT ...", "ep2 OUT bulk, 31 bytes: 55 53 42 43". */
void tape_tell(const struct tape *t, const struct tape_entry *e, struct out *o);

#endif
