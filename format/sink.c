/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

#include "format/sink.h"

/*
 * Disk space is allocated ahead in steps, always including the space for index and end block: so a
 * file on a full disk still gets them and is complete up to there.
 */
enum { RESERVE_STEP = 4 << 20 };

void sink_open(struct file_sink *o, int fd)
{
	struct rlimit limit;
	struct stat st;
	off_t at;

	memset(o, 0, sizeof(*o));
	o->fd = fd;
	o->most = UINT64_MAX;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		return;
	at = lseek(fd, 0, SEEK_CUR);
	if (at < 0)
		return;
	if (fcntl(fd, F_GETFL) & O_APPEND)
		at = st.st_size;
	o->seekable = true;
	o->base = o->reserved = (uint64_t)at;
	o->writeback = malloc(sizeof(*o->writeback));
	if (o->writeback)
		writeback_init(o->writeback, fd, o->base);
	if (!getrlimit(RLIMIT_FSIZE, &limit) && limit.rlim_cur != RLIM_INFINITY)
		o->most = limit.rlim_cur;
}

/* Allocates disk space for n more bytes. Returns -1 with errno only if the disk is full. */
static int reserve(struct file_sink *o, size_t n)
{
	uint64_t want = o->base + o->pos + n + o->last, ahead = want + RESERVE_STEP;

	if (!o->seekable)
		return 0;
	if (want > o->most) {
		errno = EFBIG;
		return -1;
	}
	if (want <= o->reserved)
		return 0;
	if (ahead > o->most)
		ahead = o->most; /* tmpfs sends SIGXFSZ even for an allocation beyond it */
	if (!fallocate(o->fd, FALLOC_FL_KEEP_SIZE, (off_t)o->reserved,
		       (off_t)(ahead - o->reserved))) {
		o->reserved = ahead;
		return 0;
	}
	if (errno != EOPNOTSUPP && !fallocate(o->fd, FALLOC_FL_KEEP_SIZE, (off_t)o->reserved,
					  (off_t)(want - o->reserved))) {
		o->reserved = want;
		return 0;
	}
	if (errno == ENOSPC || errno == EDQUOT || errno == EFBIG)
		return -1;
	o->reserved = UINT64_MAX; /* not supported here: do not allocate ahead */
	return 0;
}

/* Writes everything; a pipe without reader is an error (EPIPE), not a signal. */
static int write_all(int fd, struct iovec *iov, int n)
{
	static const struct timespec at_once;
	sigset_t pipe, old;
	ssize_t k = 0;
	int err = 0;

	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE);
	pthread_sigmask(SIG_BLOCK, &pipe, &old);
	while (n) {
		k = writev(fd, iov, n);
		if (k < 0 && errno == EINTR)
			continue;
		if (k <= 0) {
			err = k < 0 ? errno : EIO;
			break;
		}
		for (; n && (size_t)k >= iov->iov_len; iov++, n--)
			k -= (ssize_t)iov->iov_len;
		if (n) {
			iov->iov_base = (char *)iov->iov_base + k;
			iov->iov_len -= (size_t)k;
		}
	}
	if (err == EPIPE && !sigismember(&old, SIGPIPE))
		sigtimedwait(&pipe, NULL, &at_once);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	errno = err;
	return err ? -1 : 0;
}

static int sink_iov(struct file_sink *o, struct iovec *iov, int n)
{
	size_t size = 0;

	for (int i = 0; i < n; i++)
		size += iov[i].iov_len;
	if (o->error)
		return -1;
	if (reserve(o, size)) {
		o->error = errno;
		return -1;
	}
	if (!write_all(o->fd, iov, n)) {
		o->pos += size;
		if (o->writeback)
			writeback_wrote(o->writeback, o->base + o->pos);
		return 0;
	}
	o->error = errno;
	/* Truncate the partly written block, so that the file ends with a whole one. */
	if (o->seekable && (ftruncate(o->fd, (off_t)(o->base + o->pos)) ||
			    lseek(o->fd, (off_t)(o->base + o->pos), SEEK_SET) < 0))
		o->seekable = false;
	if (o->reserved != UINT64_MAX) /* the space allocated ahead is truncated, too */
		o->reserved = o->base + o->pos;
	return -1;
}

int sink_bytes(struct file_sink *o, const void *p, size_t n)
{
	struct iovec iov = { (void *)p, n };

	return sink_iov(o, &iov, 1);
}

/* Writes a block and frees its buffer. */
static int put_block(struct file_sink *o, struct buf *b, const struct buf *body)
{
	int ret = -1;

	if (b->failed || body->failed)
		o->error = o->error ? o->error : ENOMEM;
	else if (b->len > BLOCK_MAX)
		o->error = o->error ? o->error : EMSGSIZE;
	else
		ret = sink_bytes(o, b->data, b->len);
	if (!ret)
		o->seq++;
	buf_free(b);
	return ret;
}

int sink_block(struct file_sink *o, enum block_kind kind, const struct buf *body)
{
	struct buf b = { 0 };

	block_build(&b, kind, o->seq, body->data, body->len);
	return put_block(o, &b, body);
}

int sink_start(struct file_sink *o, uint8_t version, const struct buf *body)
{
	struct buf b = { 0 };

	block_build_version(&b, version, BLOCK_START, o->seq, body->data, body->len);
	return put_block(o, &b, body);
}

int sink_chunk(struct file_sink *o, struct chunk_head *c, const void *payload, uint64_t *at,
	      uint32_t *block_len)
{
	uint8_t head[BLOCK_HEAD + CHUNK_HEAD], tail[8];
	struct iovec iov[3] = {
		{ head, sizeof(head) }, { (void *)payload, c->payload }, { tail, 0 },
	};

	c->check = XXH64(payload, c->payload, 0);
	iov[2].iov_len = block_build_chunk(head, tail, o->seq, c);
	*at = o->pos;
	*block_len = get32(head + 4);
	if (sink_iov(o, iov, 3))
		return -1;
	o->seq++;
	return 0;
}

void sink_use_reserve(struct file_sink *o)
{
	if (!o->seekable)
		return;
	o->error = 0;
	o->last = 0;
}

int sink_close(struct file_sink *o)
{
	int err = 0;

	if (o->writeback)
		writeback_done(o->writeback);
	free(o->writeback);
	o->writeback = NULL;
	if (o->seekable && o->reserved > o->base + o->pos &&
	    ftruncate(o->fd, (off_t)(o->base + o->pos)))
		err = errno;
	if (close(o->fd) && !err)
		err = errno;
	o->fd = -1;
	errno = err;
	return err ? -1 : 0;
}

int sink_fail(int error, const char *name, struct trawl_error *err)
{
	if (error == EPIPE)
		trawl_fail(err, TRAWL_OK, "%s: the reader of the pipe has exited", name);
	else if (error == ENOSPC || error == EDQUOT)
		trawl_fail(err, TRAWL_CANNOT, "%s: the disk is full; make room, or write less",
			   name);
	else if (error == EFBIG)
		trawl_fail(err, TRAWL_CANNOT, "%s: the file may not grow further; raise the limit "
			   "(ulimit -f), or write smaller files", name);
	else
		trawl_fail(err, TRAWL_CANNOT, "%s: cannot be written: %s", name, strerror(error));
	err->sys = error;
	return -1;
}
