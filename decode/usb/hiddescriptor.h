/* SPDX-License-Identifier: MIT */
/*
 * HID report descriptors, parsed. Source: HID 1.11, chapter 6.2.2.
 *
 * A report descriptor is a small program written by the device: counts, sizes and nesting are
 * bounded here, and `damage` says what was cut.
 */
#ifndef TRAWL_DECODE_USB_HIDDESCRIPTOR_H
#define TRAWL_DECODE_USB_HIDDESCRIPTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum hid_kind { HID_INPUT, HID_OUTPUT, HID_FEATURE, HID_KINDS };

enum hid_flag {
	HID_CONSTANT = 1,
	HID_VARIABLE = 2,
	HID_RELATIVE = 4,
	HID_WRAP = 8,
	HID_NONLINEAR = 16,
	HID_NO_PREFERRED = 32,
	HID_NULL_STATE = 64,
	HID_VOLATILE = 128,
	HID_BUFFERED = 256,
};

#define HID_MAX_FIELDS 1024
#define HID_MAX_USAGES 4096      /* usage ranges in a descriptor */
#define HID_MAX_BITS (65536 * 8) /* of one report */
#define HID_MAX_COUNT 12288      /* elements of a field; Linux has the same limit */
#define HID_MAX_STACK 16
#define HID_MAX_COLLECTIONS 64   /* nesting depth */

struct hid_range {
	uint32_t first, last; /* usages */
};

struct hid_field {
	uint8_t kind;      /* enum hid_kind */
	uint8_t report;    /* report id; 0 if the device uses no ids */
	uint16_t flags;    /* enum hid_flag */
	uint32_t at;       /* offset in bits in the report, not counting the report id */
	uint32_t size;     /* bits of one element */
	uint32_t count;
	int32_t min, max;  /* logical minimum and maximum */
	int32_t physical_min, physical_max; /* both 0: the same as the logical ones */
	uint32_t unit;     /* item Unit (hidunit.h) */
	int8_t exponent;   /* power of ten of the unit */
	uint32_t application; /* usage of the outermost collection */
	uint32_t usages, nusages; /* index and count in hid_report.usages */
};

struct hid_report {
	struct hid_field *fields;
	struct hid_range *usages;
	uint32_t nfields, nusages;
	bool ids;         /* reports begin with a report id */
	bool keyboard;    /* the descriptor declares fields for keystrokes */
	uint32_t application; /* usage of the first top-level collection */
	const char *damage;   /* description of the first error in the descriptor; NULL: none */
};

/*
 * Parses a report descriptor of n bytes. Returns false if memory runs out. In either case *h can be
 * used, and must be freed with hid_free().
 */
bool hid_parse(struct hid_report *h, const uint8_t *p, size_t n);
void hid_free(struct hid_report *h);

/*
 * Fills *h with the reports of a boot keyboard (HID 1.11, appendix B), for a keyboard whose
 * descriptor is unknown. Returns like hid_parse().
 */
bool hid_boot_keyboard(struct hid_report *h);

/* Whether the field contains keystrokes. */
bool hid_holds_keys(const struct hid_report *h, const struct hid_field *f);

#endif
