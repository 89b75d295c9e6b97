/* SPDX-License-Identifier: MIT */
/* The values of the kernel's events by name: for filters, tables and triggers. */
#ifndef TRAWL_DECODE_KERNEL_TRACEFSVALUE_H
#define TRAWL_DECODE_KERNEL_TRACEFSVALUE_H

#include "decode/base/decoder.h"
#include "decode/kernel/pattern.h"

/* The decoder of the kernel's events. */
struct tracefs {
	struct patterns patterns;
	struct pattern *recent[16]; /* by id of the event type, of the current section */
	struct item item;
	/* scratch for names of numbers in tracefs_value(), one for each operand */
	struct out names[2];
	unsigned int nnames;
};

/* Functions of struct decoder; `state` is a struct tracefs. */
bool tracefs_value(void *state, const struct item *it, const char *name, struct value *v);
bool tracefs_cell(void *state, const struct item *it, const struct columns *columns, size_t nth,
		  struct cell *cell);
bool tracefs_another(void *state, const struct item *it, const char *name, unsigned int nth,
		     struct value *v);
unsigned int tracefs_comparable(void *state, const struct trawl_event_type *type,
				const char *name);
void tracefs_names(void *state, const struct trawl_event_type *type, decoder_name_fn *fn,
		   void *arg);

#endif
