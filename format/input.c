/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/input.h"

/*
 * Minimum bytes of a read. Small for files, so that reading only the heads of chunks does not read
 * their payloads.
 */
enum { FILE_STEP = 4 << 10, PIPE_STEP = 128 << 10 };

void input_fd(struct input *in, int fd)
{
	struct stat st;

	memset(in, 0, sizeof(*in));
	in->fd = fd;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		return;
	in->seekable = true;
	in->size = (uint64_t)st.st_size;
}

void input_memory(struct input *in, const void *p, size_t n, bool pipe)
{
	memset(in, 0, sizeof(*in));
	in->fd = -1;
	in->data = (uint8_t *)p;
	in->len = n;
	in->size = pipe ? 0 : n;
	in->seekable = !pipe;
	in->bytes_read = pipe ? n : 0;
	in->eof = true;
}

void input_release(struct input *in)
{
	buf_free(&in->small);
	if (in->fd >= 0)
		free(in->data);
}

void input_close(struct input *in)
{
	input_release(in);
	if (in->fd >= 0)
		close(in->fd);
}

bool input_is_written(const struct input *in)
{
	struct stat st;

	if (in->fd < 0 || !in->seekable)
		return false;
	if (flock(in->fd, LOCK_SH | LOCK_NB))
		return errno == EWOULDBLOCK;
	flock(in->fd, LOCK_UN);
	/* The recorder may have ended since the lock was tested. */
	return !fstat(in->fd, &st) && (uint64_t)st.st_size > in->size;
}

static bool window_room(struct input *in, size_t n)
{
	uint8_t *p;

	if (n <= in->cap)
		return true;
	p = realloc(in->data, n);
	if (!p) {
		in->error = ENOMEM;
		return false;
	}
	in->data = p;
	in->cap = n;
	return true;
}

static void file_fill(struct input *in, uint64_t at, size_t n)
{
	uint64_t left = at < in->size ? in->size - at : 0;
	size_t have = 0;
	ssize_t k;

	if (at >= in->base && at < in->base + in->len) {
		have = (size_t)(in->base + in->len - at);
		memmove(in->data, in->data + (at - in->base), have);
	}
	in->base = at;
	in->len = have;
	if (n < FILE_STEP)
		n = FILE_STEP;
	if (n > left)
		n = (size_t)left;
	if (!window_room(in, n))
		return;
	while (in->len < n) {
		k = pread(in->fd, in->data + in->len, n - in->len, (off_t)(at + in->len));
		if (k < 0 && errno == EINTR)
			continue;
		if (k < 0)
			in->error = errno;
		if (k <= 0)
			return;
		in->reads++;
		in->bytes_read += (uint64_t)k;
		in->len += (size_t)k;
	}
}

static void pipe_read(struct input *in, size_t room)
{
	struct pollfd fd = { .fd = in->fd, .events = POLLIN };
	ssize_t k;

	if (in->waiting && !poll(&fd, 1, 0))
		in->waiting(in->arg);
	k = read(in->fd, in->data + in->len, room);
	if (k < 0 && errno == EAGAIN)
		poll(&fd, 1, -1); /* another process that shares the pipe has set O_NONBLOCK */
	if (k < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (k <= 0) {
		in->error = k < 0 ? errno : 0;
		in->eof = true;
		return;
	}
	in->reads++;
	in->bytes_read += (uint64_t)k;
	in->len += (size_t)k;
}

static void pipe_forget(struct input *in, uint64_t before)
{
	size_t n = before - in->base < in->len ? (size_t)(before - in->base) : in->len;

	if (!n)
		return;
	memmove(in->data, in->data + n, in->len - n);
	in->base += n;
	in->len -= n;
}

static void pipe_fill(struct input *in, uint64_t at, size_t n)
{
	while (!in->eof && in->base + in->len < at + n) {
		if (in->cap - in->len < PIPE_STEP)
			pipe_forget(in, at);
		if (in->cap - in->len < PIPE_STEP && !window_room(in, in->len + n + PIPE_STEP)) {
			in->eof = true;
			return;
		}
		pipe_read(in, in->cap - in->len);
	}
}

const uint8_t *input_at(struct input *in, uint64_t at, size_t n, size_t *got)
{
	uint64_t off;

	if (at & INPUT_OVERLAY && in->overlay)
		return in->overlay(in, at, n, got);
	if (at < in->base || at + n > in->base + in->len) {
		if (in->fd >= 0 && in->seekable)
			file_fill(in, at, n);
		else if (in->fd >= 0)
			pipe_fill(in, at, n);
	}
	if (!in->data || at < in->base || at > in->base + in->len) {
		*got = 0;
		return in->data;
	}
	off = at - in->base;
	*got = in->len - off < n ? (size_t)(in->len - off) : n;
	return in->data + off;
}
