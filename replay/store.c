/* SPDX-License-Identifier: MIT */
#include "replay/store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "replay/filearray.h"

#define BUFFER (256u << 10)
#define STRETCH (UINT64_C(1) << 20) /* bytes that store_will_read() maps at once */
#define STRETCHES 16                /* at most so many are mapped */
#ifndef MADV_POPULATE_READ /* of Linux 5.14; not in older headers */
#define MADV_POPULATE_READ 22
#endif

int store_failed(struct trawl_error *err)
{
	return trawl_fail(err, TRAWL_CANNOT,
			  "%s: %s: the capture's payload is kept there; choose another folder "
			  "with TMPDIR",
			  scratch_folder(), strerror(errno));
}

int store_open(struct store *s, struct trawl_error *err)
{
	*s = (struct store){.fd = scratch_file()};
	s->buffer = malloc(BUFFER);
	if (s->fd >= 0 && s->buffer)
		return 0;
	store_failed(err);
	store_close(s);
	return -1;
}

void store_close(struct store *s)
{
	if (s->map)
		munmap((void *)s->map, s->size ? s->size : 1);
	if (s->fd >= 0)
		close(s->fd);
	free(s->buffer);
	*s = (struct store){.fd = -1};
}

void store_release(struct store *s)
{
	if (s->map)
		madvise((void *)s->map, s->size, MADV_DONTNEED);
	s->ahead_end = 0;
	s->stretches = 0;
}

void store_will_read(struct store *s, const uint8_t *p)
{
	uint64_t at = (uint64_t)(p - s->map);

	if (at >= s->ahead && at < s->ahead_end)
		return;
	if (s->stretches == STRETCHES)
		store_release(s);
	s->stretches++;
	s->ahead = at / STRETCH * STRETCH;
	s->ahead_end = s->size - s->ahead < STRETCH ? s->size : s->ahead + STRETCH;
	/* Only an advice: where it fails, each page is mapped when it is read. */
	madvise((void *)(s->map + s->ahead), s->ahead_end - s->ahead, MADV_POPULATE_READ);
}

static int put(struct store *s, const uint8_t *p, size_t n, struct trawl_error *err)
{
	while (n) {
		ssize_t k = write(s->fd, p, n);

		if (k < 0 && errno == EINTR)
			continue;
		if (k <= 0)
			return store_failed(err);
		p += k;
		n -= (size_t)k;
	}
	return 0;
}

static int flush(struct store *s, struct trawl_error *err)
{
	size_t n = s->held;

	s->held = 0;
	return put(s, s->buffer, n, err);
}

int store_add(struct store *s, const void *p, size_t n, uint64_t *at, struct trawl_error *err)
{
	*at = s->size;
	s->size += n;
	if (n > BUFFER - s->held && flush(s, err))
		return -1;
	if (n > BUFFER)
		return put(s, p, n, err);
	if (n)
		memcpy(s->buffer + s->held, p, n);
	s->held += n;
	return 0;
}

int store_map(struct store *s, struct trawl_error *err)
{
	static const uint8_t nothing[1];
	uint64_t at;
	void *map;

	if (!s->size && store_add(s, nothing, 1, &at, err))
		return -1;
	if (flush(s, err))
		return -1;
	map = mmap(NULL, s->size, PROT_READ, MAP_PRIVATE, s->fd, 0);
	if (map == MAP_FAILED)
		return store_failed(err);
	s->map = map;
	return 0;
}
