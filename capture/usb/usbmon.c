/* SPDX-License-Identifier: MIT */
/*
 * usbmon by its mapped ring.
 *
 * MON_IOCX_MFETCH first flushes nflush events, then waits for one, then returns the ring offsets of
 * up to nfetch events from the ring's tail on. It does not move the tail: events that are not
 * flushed are returned again. So each fetch flushes the events of the one before, and no other
 * ioctl is needed. If the wait fails (EAGAIN, EINTR), the flush was still done: repeating the call
 * with the same nflush would drop unread events.
 *
 * Events are aligned to 64 bytes. While the ring is mapped each is contiguous: an event of type '@'
 * fills the space before the end of the ring, and counts as an event for nflush. Events from before
 * the mapping may wrap.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include "capture/usb/usbmon.h"
#include "capture/usb/usbmon_ioctl.h"

static int kernel_open(const char *path, int flags)
{
	return open(path, flags);
}

static int kernel_ioctl(int fd, unsigned long request, void *arg)
{
	return ioctl(fd, request, arg);
}

static void *kernel_map(int fd, size_t size)
{
	/*
	 * Read-only, because the driver refuses a writable mapping. MAP_POPULATE avoids page faults
	 * while events come.
	 */
	void *ring = mmap(NULL, size, PROT_READ, MAP_SHARED | MAP_POPULATE, fd, 0);

	return ring == MAP_FAILED ? NULL : ring;
}

static void kernel_unmap(void *ring, size_t size)
{
	munmap(ring, size);
}

const struct usbmon_ops usbmon_kernel = {
	.open = kernel_open,
	.ioctl = kernel_ioctl,
	.map = kernel_map,
	.unmap = kernel_unmap,
	.close = close,
};

static int control(struct usbmon *m, unsigned long request, void *arg)
{
	int r;

	do {
		r = m->ops->ioctl(m->fd, request, arg);
	} while (r < 0 && errno == EINTR);
	return r;
}

/*
 * Sets the largest ring that this kernel takes, by trial: its limit was 1200 KiB and is 64 MiB
 * since late 2025, also in stable series. Without that much memory it fails with ENOMEM.
 */
static int grow(struct usbmon *m, size_t max)
{
	size_t size = max;
	int r;

	while (m->ops->ioctl(m->fd, MON_IOCT_RING_SIZE, (void *)size) < 0) {
		if (size <= USBMON_RING_MIN || (errno != EINVAL && errno != ENOMEM))
			break; /* the ring keeps its default size */
		size = size / 2 > USBMON_RING_MIN ? size / 2 : USBMON_RING_MIN;
	}
	r = control(m, MON_IOCQ_RING_SIZE, NULL);
	if (r <= 0)
		return -1;
	m->ring_size = (size_t)r;
	return 0;
}

int usbmon_open(struct usbmon *m, const struct usbmon_ops *ops, const char *path, size_t ring_max,
		struct trawl_error *err)
{
	memset(m, 0, sizeof(*m));
	m->ops = ops;
	m->fd = ops->open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (m->fd < 0)
		return trawl_fail(err, TRAWL_CANNOT, "%s: %s", path, strerror(errno));
	if (grow(m, ring_max ? ring_max : USBMON_RING_MAX) < 0) {
		trawl_fail(err, TRAWL_CANNOT, "%s: cannot read the size of its ring: %s", path,
			   strerror(errno));
		goto fail;
	}
	m->ring = ops->map(m->fd, m->ring_size);
	m->offsets = calloc(USBMON_BATCH, sizeof(*m->offsets));
	/* Room for the largest event that the kernel keeps. */
	m->copy = malloc(sizeof(struct usbmon_header) + usbmon_data_max(m));
	if (!m->offsets || !m->copy) {
		trawl_fail(err, TRAWL_CANNOT, "%s: out of memory for its events", path);
		goto fail;
	}
	return 0;
fail:
	usbmon_close(m);
	return -1;
}

void usbmon_close(struct usbmon *m)
{
	if (m->ring)
		m->ops->unmap((void *)m->ring, m->ring_size);
	if (m->fd >= 0 && m->ops)
		m->ops->close(m->fd);
	free(m->offsets);
	free(m->copy);
	memset(m, 0, sizeof(*m));
	m->fd = -1;
}

size_t usbmon_data_max(const struct usbmon *m)
{
	/* The kernel's limit: a fifth of the ring, and 128 isochronous descriptors. */
	return m->ring_size / 5 + 128 * USBMON_ISO_DESC;
}

/* Fetches a batch. Returns 1; 0 if there is none; -1 with *err. */
static int fetch(struct usbmon *m, struct trawl_error *err)
{
	struct mon_bin_mfetch arg = { m->offsets, USBMON_BATCH, m->used };
	int r;

	m->fetched = 0;
	do {
		r = m->ops->ioctl(m->fd, MON_IOCX_MFETCH, &arg);
		arg.nflush = 0; /* flushed, even if the wait failed */
		m->used = 0;
		m->held = 0;
		m->fetches++;
	} while (r < 0 && errno == EINTR);
	if (r < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
		return 0;
	if (r < 0)
		return trawl_fail(err, TRAWL_CANNOT, "usbmon: fetching events: %s",
				  strerror(errno));
	m->fetched = arg.nfetch < USBMON_BATCH ? arg.nfetch : USBMON_BATCH;
	return m->fetched > 0;
}

/* Reads one event, copied by the kernel: for a ring that cannot be mapped. */
static int get(struct usbmon *m, const uint8_t **event, struct trawl_error *err)
{
	struct usbmon_header *header = (struct usbmon_header *)m->copy;
	struct mon_bin_get arg = { header, header + 1, usbmon_data_max(m) };

	m->fetches++;
	if (control(m, MON_IOCX_GETX, &arg) < 0) {
		if (errno == EAGAIN || errno == EWOULDBLOCK)
			return 0;
		return trawl_fail(err, TRAWL_CANNOT, "usbmon: reading an event: %s",
				  strerror(errno));
	}
	if (header->len_cap > usbmon_data_max(m)) {
		m->malformed++;
		header->len_cap = (uint32_t)usbmon_data_max(m);
	}
	*event = m->copy;
	return 1;
}

/*
 * Returns the event at an offset of the ring, copied if it wraps, with its type, and its length
 * including the header; NULL if it would exceed the ring.
 */
static const uint8_t *place(struct usbmon *m, uint32_t offset, uint8_t *type, size_t *len)
{
	const uint8_t *event = m->ring + offset;
	uint32_t cap;
	size_t first;

	if (offset > m->ring_size - sizeof(struct usbmon_header))
		return NULL;
	memcpy(&cap, event + offsetof(struct usbmon_header, len_cap), sizeof(cap));
	*type = event[offsetof(struct usbmon_header, type)];
	*len = sizeof(struct usbmon_header) + (size_t)cap;
	if (offset + *len <= m->ring_size)
		return event;
	if (*type == '@' || cap > usbmon_data_max(m))
		return NULL;
	first = m->ring_size - offset;
	memcpy(m->copy, event, first);
	memcpy(m->copy + first, m->ring, *len - first);
	return m->copy;
}

int usbmon_next(struct usbmon *m, const uint8_t **event, struct trawl_error *err)
{
	uint8_t type;
	size_t len;
	int r;

	if (!m->ring)
		return get(m, event, err);
	for (;;) {
		/*
		 * Flushes large events before the whole batch is read, so that the ring has room
		 * for new ones.
		 */
		if (m->used == m->fetched || m->held > m->ring_size / 8) {
			r = fetch(m, err);
			if (r <= 0)
				return r;
		}
		*event = place(m, m->offsets[m->used++], &type, &len);
		if (!*event) {
			m->malformed++;
			continue;
		}
		m->held += len;
		if (type != '@')
			return 1;
	}
}

void usbmon_flush(struct usbmon *m)
{
	m->used = 0;
	m->fetched = 0;
	m->held = 0;
	control(m, MON_IOCH_MFLUSH, (void *)(uintptr_t)INT32_MAX);
}

int usbmon_lost(struct usbmon *m, uint64_t *lost, struct trawl_error *err)
{
	struct mon_bin_stats stats = { 0 };

	*lost = 0;
	if (control(m, MON_IOCG_STATS, &stats) < 0)
		return trawl_fail(err, TRAWL_CANNOT, "usbmon: reading the count of lost events: %s",
				  strerror(errno));
	*lost = stats.dropped;
	return 0;
}
