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

void sink_open(struct file_sink *sink, int fd)
{
	struct rlimit limit;
	struct stat st;
	off_t at;

	memset(sink, 0, sizeof(*sink));
	sink->fd = fd;
	sink->most = UINT64_MAX;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		return;
	at = lseek(fd, 0, SEEK_CUR);
	if (at < 0)
		return;
	if (fcntl(fd, F_GETFL) & O_APPEND)
		at = st.st_size;
	sink->seekable = true;
	sink->base = sink->reserved = (uint64_t)at;
	sink->writeback = malloc(sizeof(*sink->writeback));
	if (sink->writeback)
		writeback_init(sink->writeback, fd, sink->base);
	if (!getrlimit(RLIMIT_FSIZE, &limit) && limit.rlim_cur != RLIM_INFINITY)
		sink->most = limit.rlim_cur;
}

/* Allocates disk space for n more bytes. Returns -1 with errno only if the disk is full. */
static int reserve(struct file_sink *sink, size_t n)
{
	uint64_t want = sink->base + sink->pos + n + sink->last, ahead = want + RESERVE_STEP;

	if (!sink->seekable)
		return 0;
	if (want > sink->most) {
		errno = EFBIG;
		return -1;
	}
	if (want <= sink->reserved)
		return 0;
	if (ahead > sink->most)
		ahead = sink->most; /* tmpfs sends SIGXFSZ even for an allocation beyond it */
	if (!fallocate(sink->fd, FALLOC_FL_KEEP_SIZE, (off_t)sink->reserved,
		       (off_t)(ahead - sink->reserved))) {
		sink->reserved = ahead;
		return 0;
	}
	if (errno != EOPNOTSUPP && !fallocate(sink->fd, FALLOC_FL_KEEP_SIZE, (off_t)sink->reserved,
					  (off_t)(want - sink->reserved))) {
		sink->reserved = want;
		return 0;
	}
	if (errno == ENOSPC || errno == EDQUOT || errno == EFBIG)
		return -1;
	sink->reserved = UINT64_MAX; /* not supported here: do not allocate ahead */
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

static int sink_iov(struct file_sink *sink, struct iovec *iov, int n)
{
	size_t size = 0;

	for (int i = 0; i < n; i++)
		size += iov[i].iov_len;
	if (sink->error)
		return -1;
	if (reserve(sink, size)) {
		sink->error = errno;
		return -1;
	}
	if (!write_all(sink->fd, iov, n)) {
		sink->pos += size;
		if (sink->writeback)
			writeback_wrote(sink->writeback, sink->base + sink->pos);
		return 0;
	}
	sink->error = errno;
	/* Truncate the partly written block, so that the file ends with a whole one. */
	if (sink->seekable && (ftruncate(sink->fd, (off_t)(sink->base + sink->pos)) ||
			    lseek(sink->fd, (off_t)(sink->base + sink->pos), SEEK_SET) < 0))
		sink->seekable = false;
	if (sink->reserved != UINT64_MAX) /* the space allocated ahead is truncated, too */
		sink->reserved = sink->base + sink->pos;
	return -1;
}

int sink_bytes(struct file_sink *sink, const void *p, size_t n)
{
	struct iovec iov = { (void *)p, n };

	return sink_iov(sink, &iov, 1);
}

/* Writes a block and frees its buffer. */
static int put_block(struct file_sink *sink, struct buf *b, const struct buf *body)
{
	int ret = -1;

	if (b->failed || body->failed)
		sink->error = sink->error ? sink->error : ENOMEM;
	else if (b->len > BLOCK_MAX)
		sink->error = sink->error ? sink->error : EMSGSIZE;
	else
		ret = sink_bytes(sink, b->data, b->len);
	if (!ret)
		sink->seq++;
	buf_free(b);
	return ret;
}

int sink_block(struct file_sink *sink, enum block_kind kind, const struct buf *body)
{
	struct buf b = { 0 };

	block_build(&b, kind, sink->seq, body->data, body->len);
	return put_block(sink, &b, body);
}

int sink_start(struct file_sink *sink, uint8_t version, const struct buf *body)
{
	struct buf b = { 0 };

	block_build_version(&b, version, BLOCK_START, sink->seq, body->data, body->len);
	return put_block(sink, &b, body);
}

int sink_chunk(struct file_sink *sink, struct chunk_head *c, const void *payload, uint64_t *at,
	      uint32_t *block_len)
{
	uint8_t head[BLOCK_HEAD + CHUNK_HEAD], tail[8];
	struct iovec iov[3] = {
		{ head, sizeof(head) }, { (void *)payload, c->payload }, { tail, 0 },
	};

	c->check = XXH64(payload, c->payload, 0);
	iov[2].iov_len = block_build_chunk(head, tail, sink->seq, c);
	*at = sink->pos;
	*block_len = get32(head + 4);
	if (sink_iov(sink, iov, 3))
		return -1;
	sink->seq++;
	return 0;
}

void sink_use_reserve(struct file_sink *sink)
{
	if (!sink->seekable)
		return;
	sink->error = 0;
	sink->last = 0;
}

int sink_close(struct file_sink *sink)
{
	int err = 0;

	if (sink->writeback)
		writeback_done(sink->writeback);
	free(sink->writeback);
	sink->writeback = NULL;
	if (sink->seekable && sink->reserved > sink->base + sink->pos &&
	    ftruncate(sink->fd, (off_t)(sink->base + sink->pos)))
		err = errno;
	if (close(sink->fd) && !err)
		err = errno;
	sink->fd = -1;
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
