/* SPDX-License-Identifier: MIT */
/*
 * Captures made up for tests: the same bytes of events every time. The golden files are these,
 * written once (tests/format/golden.c); other tests write them into memory.
 */
#ifndef SAMPLE_H
#define SAMPLE_H

#include "format/bytes.h"
#include "format/trawl.h"

/* A small random generator: tests must be the same everywhere. */
uint64_t sample_random(uint64_t *state);

struct sample {
	const char *name, *what;
	int (*write)(int fd, struct trawl_error *err); /* takes fd */
};
extern const struct sample samples[]; /* ends with name NULL */

/* Writes a sample into memory, to be freed; exits the program on failure. */
uint8_t *sample_bytes(const char *name, size_t *len);

/* A capture of n events of `sources` sources on `cpus` CPUs, a sync every `every` events. */
int sample_events(int fd, const struct trawl_writer_options *o, uint32_t n, uint32_t sources,
		  uint32_t cpus, uint32_t every, struct trawl_error *err);

#endif
