/* SPDX-License-Identifier: MIT */
#include "capture/sys/meta.h"

int meta_write_text(struct trawl_writer *w, const char *name, uint64_t time, const char *text,
		    size_t len, struct trawl_error *err)
{
	struct trawl_meta m = {
		.name = name, .type = "text/plain", .time = time, .data = text, .len = len,
	};

	return trawl_writer_meta(w, &m, err);
}

static struct trawl_meta of_json(const char *name, uint64_t time, const struct json *j)
{
	return (struct trawl_meta){
		.name = name, .type = "application/json", .time = time, .data = j->text,
		.len = j->len,
	};
}

int meta_write_json(struct trawl_writer *w, const char *name, uint64_t time, struct json *j,
		    struct trawl_error *err)
{
	struct trawl_meta m = of_json(name, time, j);
	int r = trawl_writer_meta(w, &m, err);

	json_free(j);
	return r;
}

int meta_write_last(struct trawl_writer *w, const char *name, uint64_t time, struct json *j,
		    struct trawl_error *err)
{
	struct trawl_meta m = of_json(name, time, j);
	int r = trawl_writer_last_meta(w, &m, err);

	json_free(j);
	return r;
}
