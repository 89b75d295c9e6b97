/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "capture/probe/value.h"

#include <stdlib.h>

#include "capture/probe/names.h"

void dwarf_function_free(struct dwarf_function *fn)
{
	for (size_t i = 0; i < fn->nparams; i++) {
		free(fn->params[i].name);
		free(fn->params[i].ctype);
		free(fn->params[i].counted);
		value_names_free(fn->params[i].names);
		free(fn->params[i].only_if);
	}
	free(fn->params);
	free(fn->ret.name);
	free(fn->ret.ctype);
	free(fn->ret.counted);
	value_names_free(fn->ret.names);
	for (size_t i = 0; i < fn->nparts; i++) {
		free(fn->parts[i].name);
		free(fn->parts[i].ctype);
	}
	if (fn->results)
		dwarf_function_free(fn->results);
	free(fn->results);
	fn->results = NULL;
}
