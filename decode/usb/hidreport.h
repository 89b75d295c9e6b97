/* SPDX-License-Identifier: MIT */
/*
 * HID report descriptors, and the reports that they describe. Source: HID 1.11, chapter 6.2.2.
 *
 * A report descriptor is a small program that a device wrote: counts, sizes and nesting in it are
 * bounded here, and what goes beyond is cut and told in `damage`.
 */
#ifndef TRAWL_DECODE_USB_HIDREPORT_H
#define TRAWL_DECODE_USB_HIDREPORT_H

#include "decode/usb/hidusage.h"
#include "decode/base/valuetree.h"

enum hid_kind { HID_INPUT, HID_OUTPUT, HID_FEATURE, HID_KINDS };

enum hid_flag { HID_CONSTANT = 1, HID_VARIABLE = 2, HID_RELATIVE = 4 };

#define HID_MAX_FIELDS 1024
#define HID_MAX_USAGES 4096      /* ranges of usages in a descriptor */
#define HID_MAX_BITS (65536 * 8) /* of one report */
#define HID_MAX_COUNT 12288      /* elements of a field: Linux takes no more either */
#define HID_MAX_STACK 16
#define HID_MAX_COLLECTIONS 64   /* nested */

struct hid_range {
	uint32_t first, last; /* usages */
};

struct hid_field {
	uint8_t kind;      /* enum hid_kind */
	uint8_t report;    /* report id; 0 if the device uses none */
	uint16_t flags;    /* enum hid_flag and what else the item has */
	uint32_t at;       /* bit offset in the report, after the report id */
	uint32_t size;     /* bits of one element */
	uint32_t count;
	int32_t min, max;  /* logical */
	uint32_t application; /* usage of the outermost collection */
	uint32_t usages, nusages; /* in hid_report.usages */
};

struct hid_report {
	struct hid_field *fields;
	struct hid_range *usages;
	uint32_t nfields, nusages;
	bool ids;         /* reports begin with their id */
	bool keyboard;    /* has fields that hold keystrokes */
	uint32_t application; /* usage of the first top-level collection */
	const char *damage;   /* what is wrong with the descriptor; NULL: nothing */
};

/* Returns 0, or -1 when out of memory. Whatever comes, *h can be used and freed. */
int hid_parse(struct hid_report *h, const uint8_t *p, size_t n);
void hid_free(struct hid_report *h);

/* The reports of a boot keyboard (HID 1.11, appendix B), for one whose descriptor is not known. */
int hid_boot_keyboard(struct hid_report *h);

/* Whether this report may hold keystrokes. */
bool hid_is_secret(const struct hid_report *h, enum hid_kind kind, const uint8_t *p, size_t n);

/*
 * Appends the values of a report as an object "report". Keys are named with show_keys, and are
 * counted only otherwise.
 */
void hid_tree(const struct hid_report *h, enum hid_kind kind, const uint8_t *p, size_t n,
	      bool show_keys, struct tree *t);

/*
 * The same as a phrase: "keys LeftShift+A", "X=3 Y=-1 Button1"; true if it tells of all fields of
 * the report, false if some are bytes of the vendor's.
 */
bool hid_brief(const struct hid_report *h, enum hid_kind kind, const uint8_t *p, size_t n,
	       bool show_keys, struct out *o);

/* What a report descriptor declares, as a list "reports". */
void hid_descriptor_tree(const struct hid_report *h, struct tree *t);

/* The same as a phrase: "Mouse, 5 fields". */
void hid_descriptor_brief(const struct hid_report *h, struct out *o);

#endif
