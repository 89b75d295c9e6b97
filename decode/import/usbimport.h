/* SPDX-License-Identifier: MIT */
/*
 * USB captures of other programs made into a .trawl file: usbmon text, pcap and pcapng of the link
 * types 189, 220 (Linux) and 249 (USBPcap).
 *
 * Records become usbmon's own form (decode/usb/urb.h) with the time that the record itself has.
 * What is no USB, or too damaged to be an event, is left out and counted, never silently.
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
	bool made_up;        /* by trawl-export, from a snapshot: no traffic */
};

struct usbpcap;
struct halves;

#define IMPORT_SOURCES 8

struct usb_import {
	struct trawl_writer *writer; /* not owned */
	const char *name;            /* likewise: of the file, without its folders, for people */
	struct import_source {
		uint16_t linktype, id;
		uint32_t types;      /* those described, a bit for each (enum usb_event) */
	} sources[IMPORT_SOURCES];
	unsigned int nsources;
	uint32_t resolution;     /* of the packets' times, in ns; 0: not known */
	uint64_t events;         /* written */
	uint64_t other;          /* packets of other link types */
	uint32_t other_linktype; /* of the first of these */
	uint64_t bad;            /* packets or lines that are no event */
	char bad_what[160];      /* about the first of these */
	uint64_t lost;           /* events that the file says are missing; UINT64_MAX: not known */
	uint64_t cut_at;         /* offset at which the file breaks off; 0: it does not */
	uint64_t first, last;    /* times of the first and the last event */
	uint64_t epoch, wrap;    /* usbmon text: what is added to its times, and where they wrap */
	struct usbpcap *usbpcap;
	struct halves *halves;
	bool counting;           /* a first reading: nothing is written */
	bool is_pcap;            /* header is that of a pcap file */
	uint8_t header[24];
	struct snapshot snapshot;
	uint8_t *record;         /* scratch */
	size_t room;
};

/* Of a first reading: what is imported is only counted. */
int usb_import_count(struct usb_import *im, const char *name, struct trawl_error *err);
/*
 * Writes where it all comes from, and what the counting found: the header of a pcap file, and of
 * which endpoints there are halves only, whose reader then knows it before their first event. name:
 * for people.
 */
int usb_import_begin(struct usb_import *im, struct trawl_writer *w, const char *name,
		     const struct usb_import *counted, struct trawl_error *err);
/* Writes what was held back and what is known only at the end. */
int usb_import_finish(struct usb_import *im, struct trawl_error *err);
void usb_import_free(struct usb_import *im);

/* Each reads a whole file. 0, or -1: it is none of that kind, or the writer fails. */
int usbmontext_import(struct usb_import *im, FILE *in, const char *name, struct trawl_error *err);
int pcapng_import(struct usb_import *im, FILE *in, const char *name, struct trawl_error *err);
int pcap_import(struct usb_import *im, FILE *in, const char *name, struct trawl_error *err);

/* One packet. 0, also when it was left out; -1: the writer fails. */
int usb_import_packet(struct usb_import *im, const struct capture_packet *p,
		      struct trawl_error *err);

/* One event of an event type (enum usb_event) of the source of a link type. */
int usb_import_event(struct usb_import *im, uint16_t linktype, uint32_t type, uint64_t time,
		     const uint8_t *record, size_t len, struct trawl_error *err);

/* One record in usbmon's binary form, with its time in the header. */
int usb_import_record(struct usb_import *im, const uint8_t *record, size_t len,
		      struct trawl_error *err);

/* Notes something that was left out. */
void usb_import_bad(struct usb_import *im, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* At least n bytes of scratch, or NULL with *err. */
uint8_t *usb_import_scratch(struct usb_import *im, size_t n, struct trawl_error *err);

/* usbpcap.c: a packet of USBPcap. */
int usbpcap_packet(struct usb_import *im, const struct capture_packet *p, struct trawl_error *err);
int usbpcap_end(struct usb_import *im, struct trawl_error *err);
void usbpcap_free(struct usbpcap *u);

#endif
