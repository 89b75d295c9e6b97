/* SPDX-License-Identifier: MIT */
/*
 * Any text as an expression of --where, a time of --from and a glob; valid expressions are
 * evaluated.
 */
#include <stdlib.h>

#include "decode/base/glob.h"
#include "decode/base/time.h"
#include "decode/query/where.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Every name is a field; its first letter chooses the kind. */
static bool value(void *state, const struct item *it, const char *name, struct value *v)
{
	memset(v, 0, sizeof(*v));
	v->type = (enum value_type)((unsigned char)name[0] % 6);
	if (v->type >= VALUE_TEXT) {
		v->text = name;
		v->len = strlen(name);
	} else {
		v->u = (uint64_t)strlen(name) - 3;
	}
	return name[0] != 'z';
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct decoder decoder = {.kind = "fuzz", .value = value};
	static const struct trawl_source source = {.name = "usdt"};
	const struct item item = {
		.time = 1, .source = &source, .name = "app:start", .name_len = 9, .comm = "bash",
		.comm_len = 4, .cpu = ITEM_NO_CPU, .pid = 1, .tid = ITEM_NO_TASK,
	};
	struct trawl_error err;
	struct time_arg when = {0};
	struct where *w;
	char *text = malloc(size + 1);

	if (!text)
		abort();
	memcpy(text, data, size);
	text[size] = '\0';
	w = where_parse("--where", text, &err);
	if (w)
		where_match(w, &decoder, NULL, &item, NULL);
	else if (!strchr(err.text, '^') || err.status != TRAWL_USAGE)
		abort(); /* every error has its place */
	where_free(w);
	if (!time_arg_parse("--from", text, true, &when, &err))
		time_arg_resolve(&when, 1795225477000000000u);
	if (size < 4096)
		glob_match(text, (const char *)data, size);
	free(text);
	return 0;
}
