/* SPDX-License-Identifier: MIT */
/*
 * Events of perf on tasks and all that they start: one ring for each CPU, records of all CPUs in
 * order of time. Besides samples these tell what is mapped and which tasks begin and end.
 */
#ifndef TRAWL_CAPTURE_BRANCH_PERFRING_H
#define TRAWL_CAPTURE_BRANCH_PERFRING_H

#include <linux/perf_event.h>
#include "capture/branch/backend.h"

struct perf_cpu {
	int cpu, fd;      /* fd: of the event that has the ring */
	void *ring;       /* the mapping; NULL: none */
	size_t size;      /* of its data */
	uint64_t read;    /* so far */
	const char *aux;  /* what the event's hardware writes to itself; NULL: none */
	size_t aux_size;
};

/* A PERF_RECORD_AUX. What was written stands after the record that perf_ring_next() gives. */
struct perf_aux_record {
	struct perf_event_header header;
	uint64_t offset, size, flags;
	uint32_t pid, tid;
	uint64_t time;
};

/* A record that waits for its time. */
struct perf_held {
	uint64_t time, order;
	struct perf_event_header *record; /* a copy */
	size_t aux;      /* bytes after it, of a PERF_RECORD_AUX */
};

struct perf_map;

struct perf_ring {
	struct perf_cpu *cpus;
	size_t ncpus;
	int *fds;         /* of all events */
	size_t nfds;
	struct perf_held *held;
	size_t nheld, room;
	uint64_t order;
	bool full;        /* room for what hardware writes */
	struct perf_map *maps; /* of processes, for BRANCH_EVENT_MAPS */
};

/* Every event has IP, TID, TIME first. */
struct perf_sample_head {
	struct perf_event_header header;
	uint64_t ip;
	uint32_t pid, tid;
	uint64_t time;
};

/*
 * Opens the event on all threads of the scope; of a COMMAND it begins with its exec. pages: of a
 * CPU's ring, a power of two. 0, or -1 with *err.
 */
int perf_ring_open(struct perf_ring *r, const struct perf_event_attr *attr,
		   const struct branch_scope *scope, size_t pages, struct trawl_error *err);
void perf_ring_close(struct perf_ring *r);
/* Gives each ring room for what hardware writes to itself: so many pages, a power of two. Before
 * events flow. */
int perf_ring_aux(struct perf_ring *r, size_t pages, struct trawl_error *err);
/* Whether an event had to stop since the last call, as that room was full. */
bool perf_ring_aux_full(struct perf_ring *r);
int perf_ring_enable(struct perf_ring *r, bool on, struct trawl_error *err);
size_t perf_ring_fds(const struct perf_ring *r, struct pollfd *fds, size_t room);

/* The attributes that all events have: clock, ids, inheritance, what is mapped. */
void perf_ring_attr(struct perf_event_attr *a);

/* Tells the sink what the processes of -p are and have mapped already; before the first record. */
int perf_ring_initial(struct perf_ring *r, const struct branch_scope *scope,
		      struct branch_sink *sink, struct trawl_error *err);

/* Takes what the kernel has so far; it stays until perf_ring_next() gives it. */
int perf_ring_fill(struct perf_ring *r, struct trawl_error *err);
/* Time of the next one up to `until`; NULL: there is none. Lives until the next call. */
const struct perf_held *perf_ring_next(struct perf_ring *r, uint64_t until);

/* What a record of tasks and maps means for the sink; others do nothing. */
int perf_ring_tell(struct perf_ring *r, const struct perf_held *h, struct branch_sink *sink,
		   struct trawl_error *err);

#endif
