/* SPDX-License-Identifier: MIT */
/* Symbols of any file, demangled. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "capture/probe/cxx.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *symbol = malloc(size + 1);
	struct cxx_name n;

	if (!symbol)
		return 0;
	memcpy(symbol, data, size);
	symbol[size] = '\0';
	if (cxx_demangle(symbol, &n)) {
		if (!cxx_named(&n, n.full, false) || !cxx_named(&n, n.name, false))
			abort();
		cxx_free(&n);
	}
	free(symbol);
	return 0;
}
