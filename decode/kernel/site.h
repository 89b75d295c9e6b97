/* SPDX-License-Identifier: MIT */
/*
 * Probe sites: which site of a probe was hit, its name, and the arguments that need more than their
 * field to be shown. The information comes from the metadata "probe/SOURCE/NAME" and "maps/PID".
 */
#ifndef TRAWL_DECODE_KERNEL_SITE_H
#define TRAWL_DECODE_KERNEL_SITE_H

#include "decode/base/eventlayout.h"

enum arg_state { ARG_EXACT, ARG_COMPUTED, ARG_UNAVAILABLE };

struct own_type;

/*
 * An argument at one site. COMPUTED: the value is in the field `window`, at byte index * scale -
 * start, where index is the value of another field; or, with bits > 0, a signed number in the low
 * bits of its field. EXACT with as != field: the value is narrower than its field and occupies its
 * low bytes.
 */
struct site_arg {
	const char *name, *why;
	enum arg_state state;
	const struct shown *field;          /* the field with its name; NULL: none */
	/* how the value is to be shown at this site; NULL: unknown */
	const struct shown *as;
	const struct shown *index, *window; /* COMPUTED */
	int64_t start;
	unsigned int scale, bits;
	struct own_type *own;               /* owns `as` if no field has the type */
	char *plain_name;                   /* owns the name if it differs from the field's */
	bool told; /* UNAVAILABLE: the reason has been printed; the decoder's */
};

struct site {
	uint64_t offset;
	const char *object;        /* base name of the file that contains the site */
	const char *symbol, *file; /* "" if unknown */
	/* how the function is left at this site, and its target; "" if it is not left here */
	const char *exit, *to;
	uint32_t line;
	uint32_t nargs;
	struct site_arg *args;
};

struct probe_sites;

/*
 * The probe of an event type in a section of the file; another section may be from another build of
 * the program. `source` is the name of the source ("usdt", "uprobe"), because events of two sources
 * may have the same name. Returns NULL if the file does not describe the probe. Hides the helper
 * fields in *l. The result points into *l, so both must be freed together.
 */
struct probe_sites *sites_new(struct trawl_reader *reader, const char *source, uint32_t section,
			      struct event_layout *l);
void sites_free(struct probe_sites *s);

/* Whether every argument at every site is simply its field. */
bool sites_plain(const struct probe_sites *s);

/*
 * Returns the site at this address in a process (pid; -1: unknown) of this section at this time
 * (timeline, ns); NULL if it cannot be determined.
 */
struct site *sites_find(struct probe_sites *s, uint64_t ip, int32_t pid, uint32_t section,
			uint64_t time);

/* Returns any site, for the names of its arguments; NULL if there are none. */
const struct site *sites_any(const struct probe_sites *s);

/* Returns the first site's reason why no site has a value of this name; NULL if one has. */
const char *sites_why(const struct probe_sites *s, const char *name);

/* Whether the argument is simply its field. */
static inline bool arg_plain(const struct site_arg *a)
{
	return a->state == ARG_EXACT && a->field && a->as == a->field;
}

/*
 * Returns the bytes of the argument's value in the record, to be shown as a->as; NULL with *why if
 * there is no value.
 */
const uint8_t *arg_bytes(const struct site_arg *a, const void *record, size_t len,
			 const char **why);

/*
 * Returns the enumeration name of an argument that is narrower than its field, or NULL. In JSON a
 * name stands only where it is all that has a meaning.
 */
const char *arg_name(const struct site_arg *a, const void *record, size_t len, bool json);

#endif
