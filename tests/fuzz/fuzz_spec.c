/* SPDX-License-Identifier: MIT */
/*
 * Texts after -i, and operands in notes: the first line of the input is one, the second the other.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "capture/probe/fetch.h"
#include "capture/probe/operand.h"
#include "capture/cli/spec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void try_spec(const char *text)
{
	struct trawl_error err = { 0 };
	struct spec spec;

	if (spec_parse(text, &spec, &err) < 0 && !strchr(err.text, '^'))
		abort(); /* every error has a caret */
	for (size_t i = 0; i < spec.nargs; i++) {
		struct fetch_expr e;
		struct fetch_type type;
		const char *why;

		if (fetch_parse(&spec, &spec.args[i], &e, &err) == 0) {
			char *name = fetch_field_name(&spec.args[i], &e);

			if (e.at + e.len > strlen(spec.args[i].expr))
				abort();
			free(name);
		}
		fetch_type_parse(spec.args[i].type, &type, &why);
	}
	spec_free(&spec);
}

static void try_operands(const char *text)
{
	struct operand op;
	const char *arg;
	size_t len;

	while ((arg = operand_next(&text, &len))) {
		operand_parse(arg, len, &op);
		if (op.form == OPERAND_UNAVAILABLE ? !*op.why : !op.size)
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1), *second;

	memcpy(text, data, size);
	text[size] = '\0';
	second = strchr(text, '\n');
	if (second)
		*second++ = '\0';
	try_spec(text);
	if (second)
		try_operands(second);
	free(text);
	return 0;
}
