/* SPDX-License-Identifier: MIT */
/*
 * Loads the columns of a table from records: first finds the columns that are constant, of which
 * only the first record is read.
 */
#ifndef TRAWL_FORMAT_LOAD_H
#define TRAWL_FORMAT_LOAD_H

#include "format/grouping.h"
#include "format/memory.h"
#include "format/stringtable.h"

/* How the numbers of a column are loaded. */
enum load {
	LOAD_FIRST,  /* all are equal: only the first is needed */
	LOAD_REPEAT, /* all are equal, but another column refers to each of them */
	LOAD_EACH,   /* loaded from each record */
};

/* Memory for the last table. Begins as { 0 }. */
struct loader {
	struct room changes; /* bits of the fixed part that change */
	struct room loads;   /* enum load of each column */
};

/*
 * Chooses how to load each column of a table with the records row[0] ... a NULL: the common fields.
 * refers: any column may be referred to; repeated: so is this one (UINT32_MAX: none). Returns an
 * enum load for each column, valid until the next call; NULL if memory runs out.
 */
const uint8_t *loader_choose(struct loader *r, const struct table *t,
			     const struct grouping_table *a, const uint8_t *const *row, bool refers,
			     uint32_t repeated);
void loader_free(struct loader *r);

/* Fills t->value[] of the columns that are numbers, as loader_choose() returned. */
void load_numbers(struct table *t, const uint8_t *const *row, const uint8_t *load);

/* Fills v[0 .. t->n) with the strings of column c, which stay in the records. */
void load_strings(const struct table *t, const struct layout_column *c, const uint8_t *const *row,
		  const struct grouping *o, struct string *v);

#endif
