/* SPDX-License-Identifier: MIT */
/*
 * Converts USB captures of other programs to a .trawl file: usbmon text, and pcap and pcapng with
 * the link types 189, 220 (Linux), 249 (USBPcap), 266 (macOS), 288, 293 to 295 (bus packets).
 *
 * Records are stored in usbmon's form (decode/usb/urb.h), macOS and bus packets as they are, with
 * the time from the record. Packets that are not USB or too damaged are left out, counted, and
 * reported.
 */
#ifndef TRAWL_DECODE_IMPORT_USBIMPORT_H
#define TRAWL_DECODE_IMPORT_USBIMPORT_H

#include "common/usbtypes.h"
#include "decode/import/halves.h"
#include "decode/import/snapshot.h"
#include "format/trawl.h"

#include <stdio.h>

/* One packet of a capture file. */
struct capture_packet {
	uint32_t linktype;
	uint64_t time;       /* ns since the epoch */
	const uint8_t *data;
	uint32_t captured, length;
	bool swapped;        /* headers of Linux are in the other byte order */
	bool made_up;        /* synthesised from a snapshot by trawl-export; no traffic */
	uint32_t interface;  /* pcapng: index of the interface that recorded it */
	const char *interface_name; /* or NULL */
};

struct usbpcap;
struct halves;

/*
 * Sources of one file. Interfaces of Linux that recorded the same bus have one source each; of
 * other packets, each link type has one. A .trawl file has room for 256.
 */
#define IMPORT_INTERFACES 192
#define IMPORT_LINKTYPES 8
#define IMPORT_SOURCES (IMPORT_INTERFACES + IMPORT_LINKTYPES)
#define IMPORT_BUSES 256

struct usb_import {
	struct trawl_writer *writer; /* not owned */
	/* not owned; the file's name without folders, for messages */
	const char *name;
	struct import_source {
		uint16_t linktype, id;
		uint32_t interface;  /* 0 unless `apart` is set */
		uint32_t types;      /* described event types, as a bitmap of enum usb_event */
	} sources[IMPORT_SOURCES];
	unsigned int nsources;
	uint32_t usb_linktype;       /* of the source called "usb"; 0: none yet */
	uint32_t interface;          /* interface of the current packet */
	const char *interface_name;
	/* counting pass: for each bus, the first interface that recorded it, plus 1 */
	uint32_t recorder[IMPORT_BUSES];
	bool lengths;            /* some packet's length is not what libpcap's rule gives */
	uint32_t packet_length;  /* the current packet's, if the rule gives another; else 0 */
	/* several interfaces recorded one bus, so each becomes a source of its own */
	bool apart;
	uint32_t resolution;     /* resolution of the packets' times in ns; 0: unknown */
	uint64_t events;         /* number of events written */
	uint64_t other;          /* number of packets with other link types */
	uint32_t other_linktype; /* link type of the first of these */
	uint64_t blocks;         /* pcapng: number of blocks that no rule here reads */
	uint32_t block_type;     /* type of the first of these */
	uint64_t comments;       /* pcapng: comments of any block; they are not kept */
	uint64_t bad;            /* number of packets or lines that are not valid events */
	char bad_what[160];      /* description of the first of these */
	/* number of events that the file reports as lost; UINT64_MAX: unknown */
	uint64_t lost;
	uint64_t cut_at;         /* offset at which the file is cut off; 0: it is not */
	uint64_t first, last;    /* times of the first and the last event */
	/* usbmon text: what is added to its times, and where they wrap, in ns */
	uint64_t epoch, wrap;
	struct usbpcap *usbpcap;
	struct halves *halves;
	bool counting;           /* counting pass: nothing is written */
	bool is_pcap;            /* header[] is that of a pcap file */
	uint8_t header[24];
	struct snapshot snapshot;
	uint8_t *record;         /* scratch memory */
	size_t room;
};

/* Prepares the counting pass: imported events are only counted. Returns 0, or -1 with *err. */
int usb_import_count(struct usb_import *im, const char *name, struct trawl_error *err);
/*
 * Begins the import into w, which must outlive im. Writes the origin of the file and what the
 * counting pass found: the header of a pcap file, and the endpoints of which there are only halves,
 * which readers must know before the first event. name: name of the file for messages. Returns 0,
 * or -1 with *err.
 */
int usb_import_begin(struct usb_import *im, struct trawl_writer *w, const char *name,
		     const struct usb_import *counted, struct trawl_error *err);
/*
 * Writes events that were held back and data that is known only at the end. Returns 0, or -1 with
 * *err.
 */
int usb_import_finish(struct usb_import *im, struct trawl_error *err);
void usb_import_free(struct usb_import *im);

/*
 * Import a whole file. Return 0, or -1 with *err if the file has another format or writing fails.
 */
int usbmontext_import(struct usb_import *im, FILE *in, const char *name, struct trawl_error *err);
int pcapng_import(struct usb_import *im, FILE *in, const char *name, struct trawl_error *err);
int pcap_import(struct usb_import *im, FILE *in, const char *name, struct trawl_error *err);

/* Imports one packet. Returns 0, also if it was left out, or -1 with *err if writing fails. */
int usb_import_packet(struct usb_import *im, const struct capture_packet *p,
		      struct trawl_error *err);

struct import_event {
	uint16_t linktype; /* whose source takes it */
	uint32_t type;     /* enum usb_event */
	uint64_t time;     /* ns since the epoch */
	const uint8_t *record;
	size_t len;
};

/* Imports one event. Returns like usb_import_packet(). */
int usb_import_event(struct usb_import *im, const struct import_event *e, struct trawl_error *err);

/*
 * Imports one record in usbmon's binary form whose header contains its time, which is overwritten.
 * Returns like usb_import_packet().
 */
int usb_import_record(struct usb_import *im, uint8_t *record, size_t len,
		      struct trawl_error *err);

/* Counts something that was left out; the first message is kept for the report. */
void usb_import_bad(struct usb_import *im, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Returns at least n bytes of scratch memory, valid until the next call, or NULL with *err. */
uint8_t *usb_import_scratch(struct usb_import *im, size_t n, struct trawl_error *err);

/* usbpcap.c: imports a packet of USBPcap; usbpcap_end() writes what was held back. */
int usbpcap_packet(struct usb_import *im, const struct capture_packet *p, struct trawl_error *err);
int usbpcap_end(struct usb_import *im, struct trawl_error *err);
void usbpcap_free(struct usbpcap *u);

#endif
