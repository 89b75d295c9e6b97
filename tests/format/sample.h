/* SPDX-License-Identifier: MIT */
/*
 * Synthetic captures for tests, with the same bytes of events every time. The golden files were
 * written from them once (tests/format/golden.c); other tests write them to memory.
 */
#ifndef TRAWL_TESTS_FORMAT_SAMPLE_H
#define TRAWL_TESTS_FORMAT_SAMPLE_H

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

/* How many events a capture has, of how many sources and CPUs. */
struct sample_size {
	uint32_t events, sources, cpus;
	uint32_t every; /* events from sync to sync; 0: none between begin and end */
};
int sample_events(int fd, const struct trawl_writer_options *o, const struct sample_size *size,
		  struct trawl_error *err);

#endif
