/* SPDX-License-Identifier: MIT */
/*
 * Synthetic captures for tests, with the same bytes of events every time. The golden files were
 * written from them once (tests/format/golden.c); other tests write them to memory.
 */
#ifndef SAMPLE_H
#define SAMPLE_H

#include "format/bytes.h"
#include "format/trawl.h"

/* A small random generator with the same sequence on every machine. */
uint64_t sample_random(uint64_t *state);

struct sample {
	const char *name, *what;
	int (*write)(int fd, struct trawl_error *err); /* takes over fd */
};
extern const struct sample samples[]; /* ends with name NULL */

/* Writes a sample to memory, to be freed; exits the program on failure. */
uint8_t *sample_bytes(const char *name, size_t *len);

/* Writes n events of `sources` sources on `cpus` CPUs, with a sync block every `every` events. */
int sample_events(int fd, const struct trawl_writer_options *o, uint32_t n, uint32_t sources,
		  uint32_t cpus, uint32_t every, struct trawl_error *err);

#endif
