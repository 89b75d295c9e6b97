/* SPDX-License-Identifier: MIT */
/*
 * Compares what is printed of many inputs with the digests in tests/printed/LIST: a change of any
 * byte is noticed. That what is printed is right, other tests show; this one holds it.
 *
 *	TRAWL_KEEP=FOLDER	texts are written there as LIST.NAME: those of the build before and
 *				after a change are compared by diff -r
 *	TRAWL_REGENERATE=1	LIST is written anew
 */
#ifndef TRAWL_TESTS_PRINTED_PRINTED_H
#define TRAWL_TESTS_PRINTED_PRINTED_H

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

struct printed {
	const char *list;
	FILE *known, *anew; /* the list, read or written line by line */
	unsigned int n, wrong;
};

static inline FILE *printed_file(const char *folder, const char *list, const char *name,
				 const char *mode)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s%s%s", folder, list, *name ? "." : "", name);
	f = fopen(path, mode);
	cr_assert_not_null(f, "%s", path);
	return f;
}

static inline void printed_open(struct printed *p, const char *list)
{
	char folder[4000];

	snprintf(folder, sizeof(folder), "%s/tests/printed", getenv("TRAWL_SRC"));
	*p = (struct printed){.list = list};
	if (getenv("TRAWL_REGENERATE"))
		p->anew = printed_file(folder, list, "", "w");
	else
		p->known = printed_file(folder, list, "", "r");
}

/* The next of the list, which is in the order of the calls. `name` has no space. */
static inline void printed_take(struct printed *p, const char *name, const void *text, size_t len)
{
	const char *keep = getenv("TRAWL_KEEP");
	char line[256] = "", now[256];

	snprintf(now, sizeof(now), "%016" PRIx64 " %s\n", (uint64_t)XXH64(text, len, 0), name);
	if (keep) {
		FILE *f = printed_file(keep, p->list, name, "w");

		fwrite(text, 1, len, f);
		fclose(f);
	}
	p->n++;
	if (p->anew) {
		fputs(now, p->anew);
	} else if (!fgets(line, sizeof(line), p->known) || strcmp(line, now)) {
		if (p->wrong++ < 5) /* the first are named, and all are counted at the end */
			cr_expect_fail("tests/printed/%s: %s is printed otherwise", p->list, name);
	}
}

static inline void printed_close(struct printed *p)
{
	char line[256];

	if (p->known) {
		cr_expect_null(fgets(line, sizeof(line), p->known), "%s: not printed: %s", p->list,
			       line);
		fclose(p->known);
	}
	cr_expect(p->n > 0);
	cr_expect_eq(p->wrong, 0, "%u of %u are printed otherwise than in tests/printed/%s; "
		     "TRAWL_KEEP and TRAWL_REGENERATE in tests/printed/printed.h help", p->wrong,
		     p->n, p->list);
	if (p->anew)
		fclose(p->anew);
}

#endif
