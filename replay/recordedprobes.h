/* SPDX-License-Identifier: MIT */
/* The USDT probes of a capture, read from its metadata. */
#ifndef TRAWL_REPLAY_RECORDEDPROBES_H
#define TRAWL_REPLAY_RECORDEDPROBES_H

#include "format/trawl.h"
#include "replay/sdtobject.h"

struct recorded_probe {
	char event[160];
	char args[SDT_ARGS][64]; /* names of the fields with its arguments' values */
};

struct recorded_probes {
	struct sdt_probe *sdt;
	struct recorded_probe *probes; /* n elements, parallel to sdt */
	size_t n;
};

/*
 * Reads the probes from a file's metadata; *p starts as all zero. name: the file's name in
 * messages. Returns 0; or -1 with *err, also if there are no probes.
 */
int recordedprobes_read(struct recorded_probes *p, struct trawl_reader *r, const char *name,
			struct trawl_error *err);
void recordedprobes_free(struct recorded_probes *p);

/* Finds the probe with this event name; NULL if there is none. */
struct recorded_probe *recordedprobes_find(const struct recorded_probes *p, const char *event);

#endif
