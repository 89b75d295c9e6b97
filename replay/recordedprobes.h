/* SPDX-License-Identifier: MIT */
/* The static probes of a capture, as its metadata describes them. */
#ifndef TRAWL_REPLAY_RECORDEDPROBES_H
#define TRAWL_REPLAY_RECORDEDPROBES_H

#include "format/trawl.h"
#include "replay/sdtobject.h"

struct recorded_probe {
	char event[160];
	char args[SDT_ARGS][64]; /* the fields that have the values of its arguments */
};

struct recorded_probes {
	struct sdt_probe *sdt;
	struct recorded_probe *probes; /* likewise n of them */
	size_t n;
};

/* Reads the metadata of a file, which errors call `name`. 0, or -1 with *err: there are none,
 * too. */
int recordedprobes_read(struct recorded_probes *p, struct trawl_reader *r, const char *name,
			struct trawl_error *err);
void recordedprobes_free(struct recorded_probes *p);

/* That of an event's name, or NULL. */
struct recorded_probe *recordedprobes_find(const struct recorded_probes *p, const char *event);

#endif
