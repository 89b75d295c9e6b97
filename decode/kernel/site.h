/* SPDX-License-Identifier: MIT */
/*
 * Probe sites: which of the places of a probe was hit, what it is called, and which arguments of
 * it need more than their field. From the metadata "probe/SOURCE/NAME" and "maps/PID".
 */
#ifndef TRAWL_DECODE_KERNEL_SITE_H
#define TRAWL_DECODE_KERNEL_SITE_H

#include "decode/base/layout.h"

enum arg_state { ARG_EXACT, ARG_COMPUTED, ARG_UNAVAILABLE };

struct own_type;

/*
 * An argument at one site. COMPUTED: its bytes are in the window, index * scale - start bytes
 * from its beginning. EXACT with as != field: it is narrower than its field, in the low bytes.
 */
struct site_arg {
	const char *name, *why;
	enum arg_state state;
	const struct shown *field;          /* of its name; NULL if there is none */
	const struct shown *as;             /* what its value is at this site; NULL: not known */
	const struct shown *index, *window; /* COMPUTED */
	int64_t start;
	unsigned int scale;
	struct own_type *own;               /* holds `as` if no field has its type */
	char *plain_name;                   /* holds the name if it is not the field's */
};

struct site {
	uint64_t offset;
	const char *object;        /* base name of the file that it is in */
	const char *symbol, *file; /* "" if unknown */
	const char *exit, *to;     /* how the function is left here, and to what; "" if it is not */
	uint32_t line;
	uint32_t nargs;
	struct site_arg *args;
};

struct probe_sites;

/*
 * The probe of this event type, which is of the source of that name ("usdt", "uprobe": events of
 * two sources may have one name), as it was in that section: another capture may be of another
 * build of the program. NULL if the file says nothing of it (or nothing sensible). Hides the helper
 * fields of the layout. All pointers into the layout and the result live together.
 */
struct probe_sites *sites_new(struct trawl_reader *reader, const char *source, uint32_t section,
			      struct layout *l);
void sites_free(struct probe_sites *s);

/* True if every argument at every site is simply its field. */
bool sites_plain(const struct probe_sites *s);

/*
 * The site at this address in that process (pid or, unknown, -1) of this section of the file; NULL
 * if it cannot be told.
 */
const struct site *sites_find(struct probe_sites *s, uint64_t ip, int32_t pid, uint32_t section,
			      uint64_t time);

/* Any site: for the names of its arguments. NULL if there are none. */
const struct site *sites_any(const struct probe_sites *s);

/* Is the argument simply its field? */
static inline bool arg_plain(const struct site_arg *a)
{
	return a->state == ARG_EXACT && a->field && a->as == a->field;
}

/*
 * Where the value of an argument, to be shown as a->as, is in the record; NULL with *why if it is
 * not there.
 */
const uint8_t *arg_bytes(const struct site_arg *a, const void *record, size_t len,
			 const char **why);

#endif
