/* SPDX-License-Identifier: MIT */
/* A writer refuses descriptions of sources and event types that it cannot store. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "tests/format/blobs.h"

static void refuse_type(const struct trawl_field *f, uint32_t n, uint32_t size, const char *says)
{
	struct trawl_writer *w = begin(memfd_create("x", 0));
	struct trawl_event_type t = { .id = 2, .name = "a:b", .format = "", .size = size,
		.nfields = n, .fields = f };
	struct trawl_error err;

	cr_assert_eq(trawl_writer_event_type(w, &t, &err), -1);
	cr_assert(strstr(err.text, says), "\"%s\" does not say \"%s\"", err.text, says);
	cr_assert_eq(err.status, TRAWL_USAGE);
	cr_assert_eq(trawl_writer_close(w, &err), 0);
}

Test(description, fields_that_do_not_fit_are_refused)
{
	struct trawl_field f[2] = { fields[0], fields[1] };

	refuse_type(f, 1, 7, "beyond the end");
	refuse_type(f, 2, 16, "begin at the end of the fixed part");
	f[0].size = 3;
	refuse_type(f, 1, 16, "1, 2, 4 or 8");
	f[0].size = 8;
	f[0].kind = TRAWL_KINDS;
	refuse_type(f, 1, 16, "unknown kind");
	f[0] = fields[1];
	refuse_type(f, 2, 8, "not the last");
	f[0] = (struct trawl_field){ "x", "", "", TRAWL_FLOAT, TRAWL_FIXED, 0, 0, 2, 1 };
	refuse_type(f, 1, 8, "float");
}

/* 4,096 fields with names of the maximum length need 256 MiB. */
Test(description, descriptions_that_fit_no_block_are_refused)
{
	enum { FIELDS = 200, LONG = 60000 };
	struct trawl_field f[FIELDS];
	struct trawl_source s = source;
	struct trawl_writer *w;
	struct trawl_error err;
	char *name = malloc(LONG + 1);

	memset(name, 'x', LONG);
	name[LONG] = 0;
	for (int i = 0; i < FIELDS; i++)
		f[i] = (struct trawl_field){ name, "", "", TRAWL_UINT, TRAWL_FIXED, 0, 0, 8, 1 };
	refuse_type(f, FIELDS, 8, "over 8 MiB");
	w = begin(memfd_create("x", 0));
	s.common = f;
	s.ncommon = FIELDS;
	cr_assert_eq(trawl_writer_source(w, &s, &err), -1);
	cr_assert(strstr(err.text, "over 8 MiB"));
	/* Half of that is stored and found by the index. */
	for (int i = 0; i < 2; i++) {
		struct trawl_event_type t = {
			.id = 2 + (uint32_t)i, .name = "a:b", .format = "", .size = 8,
			.nfields = FIELDS / 2, .fields = f,
		};

		cr_assert_eq(trawl_writer_event_type(w, &t, &err), 0, "%s", err.text);
	}
	cr_assert_eq(trawl_writer_close(w, &err), 0, "%s", err.text);
	free(name);
}

Test(description, numbers_are_unique)
{
	struct trawl_writer *w = begin(memfd_create("x", 0));
	struct trawl_event_type t = type;
	struct trawl_source s = source;
	struct trawl_error err;

	cr_assert_eq(trawl_writer_event_type(w, &t, &err), -1);
	cr_assert(strstr(err.text, "taken"));
	t.id = 65536;
	cr_assert_eq(trawl_writer_event_type(w, &t, &err), -1);
	t.source = 3;
	cr_assert_eq(trawl_writer_event_type(w, &t, &err), -1);
	s.clock = 9;
	cr_assert_eq(trawl_writer_source(w, &s, &err), -1);
	s = source;
	for (int i = 1; i < 256; i++)
		cr_assert_eq(trawl_writer_source(w, &s, &err), i);
	cr_assert_eq(trawl_writer_source(w, &s, &err), -1);
	cr_assert(strstr(err.text, "256"));
	cr_assert_eq(trawl_writer_close(w, &err), 0);
}
