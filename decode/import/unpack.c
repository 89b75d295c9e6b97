/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "decode/import/unpack.h"
#include "common/array.h"
#include "common/sanitizers.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* libarchive converts names in zip files to the locale's encoding, and gives none if it cannot. */
static locale_t utf8;
static rlim_t mapped; /* this program's address space before it unpacks, bytes; 0: not known */

static rlim_t mapped_bytes(void)
{
	FILE *f = fopen("/proc/self/statm", "re");
	unsigned long pages = 0;

	if (f && fscanf(f, "%lu", &pages) != 1)
		pages = 0;
	if (f)
		fclose(f);
	return (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

int unpack_temporary(struct trawl_error *err)
{
	const char *dir = getenv("TMPDIR");
	char path[4096];
	int fd;

	/* the sandbox could do neither */
	if (!utf8)
		utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
	if (!mapped)
		mapped = mapped_bytes();
	fd = open(dir && *dir ? dir : "/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd >= 0)
		return fd;
	snprintf(path, sizeof(path), "%s/trawl-XXXXXX", dir && *dir ? dir : "/tmp");
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0)
		return trawl_fail(err, TRAWL_CANNOT, "%s: no temporary file can be made: %s; "
						     "choose another folder with TMPDIR",
				  dir && *dir ? dir : "/tmp", strerror(errno));
	unlink(path);
	return fd;
}

bool unpack_is_compressed(FILE *in)
{
	static const struct {
		unsigned char n, magic[6];
	} known[] = {
		{2, {0x1f, 0x8b}},
		{4, {0x28, 0xb5, 0x2f, 0xfd}},
		{6, {0xfd, '7', 'z', 'X', 'Z', 0}},
		{3, {'B', 'Z', 'h'}},
		{4, {'P', 'K', 3, 4}}, /* zip: made by trawl-report */
	};
	unsigned char head[6];
	size_t n = fread(head, 1, sizeof(head), in);

	rewind(in);
	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (n >= known[i].n && !memcmp(head, known[i].magic, known[i].n))
			return true;
	return false;
}

static int cannot_write(struct trawl_error *err)
{
	return trawl_fail(err, TRAWL_CANNOT, "temporary file: %s; choose another folder with "
					     "TMPDIR", strerror(errno));
}

static int write_all(int to, const uint8_t *p, size_t n)
{
	ssize_t k;

	for (; n; p += k, n -= (size_t)k) {
		k = write(to, p, n);
		if (k < 0 && errno != EINTR)
			return -1;
		k = k < 0 ? 0 : k;
	}
	return 0;
}

#define NO_ROOM "more than the temporary folder has room for; choose another with TMPDIR"

/* How many bytes may be added to a temporary file: a tenth of its file system stays free. */
static uint64_t free_room(int to)
{
	struct statvfs fs;

	if (fstatvfs(to, &fs) || !fs.f_blocks)
		return UINT64_MAX;
	return fs.f_bavail > fs.f_blocks / 10 ?
		(uint64_t)(fs.f_bavail - fs.f_blocks / 10) * fs.f_frsize : 0;
}

/* The copy in a temporary file of what is read once. */
struct copy {
	int to;
	const char *name;    /* of the input, for errors */
	uint64_t size;       /* bytes that were written */
	uint64_t room;       /* bytes that may be written in all */
	const char *problem; /* what is wrong when there are more */
	unpack_front *front; /* decides by the first bytes whether the rest is read; NULL: it is */
};

/* How many: the limit within which libtrawl searches for its first block. */
enum { FRONT = 1 << 20 };

static int copy_add(struct copy *c, const void *p, size_t n, struct trawl_error *err)
{
	bool front = c->front && c->size < FRONT && c->size + n >= FRONT;

	if (c->size + n > c->room)
		return trawl_fail(err, TRAWL_CANNOT, "%s: %s", c->name, c->problem);
	if (write_all(c->to, p, n))
		return cannot_write(err);
	c->size += n;
	return front ? c->front(c->to, c->name, err) : 0;
}

int unpack_copy(int from, int to, const char *name, unpack_front *front, struct trawl_error *err)
{
	struct copy c = {.to = to, .name = name, .front = front, .room = free_room(to),
			 .problem = "has " NO_ROOM};
	uint8_t buffer[65536];
	ssize_t n;

	while ((n = read(from, buffer, sizeof(buffer))) != 0) {
		if (n < 0 && errno != EINTR)
			return trawl_fail(err, TRAWL_CANNOT, "%s: %s", name, strerror(errno));
		if (n > 0 && copy_add(&c, buffer, (size_t)n, err))
			return -1;
	}
	return 0;
}

#ifdef HAVE_ARCHIVE
#include <archive.h>
#include <archive_entry.h>

/*
 * Maximum ratio of decompressed to compressed size. Captures reach some hundreds, decompression
 * bombs a million.
 */
enum { MOST_TIMES = 1000, ANY_SIZE = 64 << 20 };

/*
 * Limits the copy by what was read of the compressed file for it: what would exceed the ratio at
 * the end exceeds it from the start.
 */
static void limit(struct copy *c, struct archive *a, uint64_t space)
{
	la_int64_t packed = archive_filter_bytes(a, -1);

	c->room = ANY_SIZE;
	if (packed > 0 && (uint64_t)packed * MOST_TIMES > c->room)
		c->room = (uint64_t)packed * MOST_TIMES;
	c->problem = "unpacks to more than 1000 times its size; unpack it first, if you trust it";
	if (space < c->room) {
		c->room = space;
		c->problem = "unpacks to " NO_ROOM;
	}
}

/*
 * The largest windows that compressors use by themselves have 128 MiB (zstd --long) and 64 MiB (xz
 * -9). A file may demand one of 4 GiB, which libarchive allocates.
 */
enum { MOST_MEMORY = 256 << 20 };

static int cannot_unpack(struct archive *a, const char *name, struct trawl_error *err)
{
	const char *why = archive_error_string(a); /* libarchive does not give one for all */

	if (archive_errno(a) == ENOMEM)
		return trawl_fail(err, TRAWL_CANNOT, "%s: cannot be unpacked within %d MiB of "
				  "memory; unpack it yourself", name, MOST_MEMORY >> 20);
	return trawl_fail(err, TRAWL_CANNOT, "%s: cannot be unpacked: %s; get another copy of it, "
			  "or unpack it yourself", name, why ? why : "it is damaged");
}

enum { MOST_ENTRIES = 1000 };

/*
 * Advances to the next capture in the archive, or to the single entry of a compressed file.
 * *entries is the number of entries that may still be read.
 */
static int next_capture(struct archive *a, int *entries)
{
	struct archive_entry *entry;
	int got = ARCHIVE_OK;

	while (*entries) {
		const char *path;
		size_t n;

		got = archive_read_next_header(a, &entry);
		if (got != ARCHIVE_OK || archive_format(a) == ARCHIVE_FORMAT_RAW)
			break;
		--*entries;
		path = archive_entry_pathname(entry);
		n = path ? strlen(path) : 0;
		if (n >= 6 && !strcmp(path + n - 6, ".trawl"))
			break;
	}
	return got;
}

/* Advances to the first capture. Returns 1, 0 if the compressed data is empty, or -1 with *err. */
static int find_capture(struct archive *a, int *entries, const char *name, struct trawl_error *err)
{
	int got = next_capture(a, entries);

	if (got == ARCHIVE_EOF && archive_format(a) != ARCHIVE_FORMAT_RAW)
		return trawl_fail(err, TRAWL_CANNOT, "%s: the zip file has no capture (*.trawl); "
						     "unpack the right one first", name);
	if (got == ARCHIVE_OK && !*entries)
		return trawl_fail(err, TRAWL_CANNOT, "%s: the zip file has %d entries or more; "
						     "unpack it first", name, MOST_ENTRIES);
	return got == ARCHIVE_OK ? 1 : got == ARCHIVE_EOF ? 0 : cannot_unpack(a, name, err);
}

/* Fails if the archive contains several captures, since only one would be shown. */
static int check_only_one(struct archive *a, int *entries, const char *name,
			  struct trawl_error *err)
{
	int got;

	if (archive_format(a) == ARCHIVE_FORMAT_RAW)
		return 0;
	got = next_capture(a, entries);
	if (got == ARCHIVE_OK)
		return trawl_fail(err, TRAWL_CANNOT, "%s: the zip file has %s; unpack it first",
				  name, *entries ? "several captures" : "too many entries");
	return got == ARCHIVE_EOF ? 0 : cannot_unpack(a, name, err);
}

static int copy_out(struct archive *a, struct copy *c, struct trawl_error *err)
{
	int entries = MOST_ENTRIES, got = find_capture(a, &entries, c->name, err);
	uint64_t space = free_room(c->to);
	const void *p;
	la_int64_t at;
	size_t n;

	if (got <= 0)
		return got;
	while ((got = archive_read_data_block(a, &p, &n, &at)) == ARCHIVE_OK) {
		limit(c, a, space);
		if (copy_add(c, p, n, err))
			return -1;
	}
	/* An empty capture is reported by the code that reads it. */
	return got == ARCHIVE_EOF ? check_only_one(a, &entries, c->name, err) :
				    cannot_unpack(a, c->name, err);
}

/*
 * Enables the formats that libarchive decodes itself. For others it runs external programs, which a
 * hostile file must not be able to choose.
 */
static void support(struct archive *a)
{
	archive_read_support_filter_gzip(a);
	archive_read_support_filter_bzip2(a);
	archive_read_support_filter_xz(a);
	archive_read_support_filter_zstd(a);
	archive_read_support_format_raw(a);
	archive_read_support_format_zip(a);
}

/*
 * Limits the address space, but not that of the sanitizers. Returns whether it did; *before: the
 * limits until now.
 */
static bool limit_memory(struct rlimit *before)
{
	struct rlimit l;

	if (SANITIZERS || !mapped || getrlimit(RLIMIT_AS, before) ||
	    before->rlim_cur <= mapped + MOST_MEMORY)
		return false;
	l = *before;
	l.rlim_cur = mapped + MOST_MEMORY;
	return !setrlimit(RLIMIT_AS, &l);
}

int unpack(FILE *in, int to, const char *name, unpack_front *front, struct trawl_error *err)
{
	struct copy c = {.to = to, .name = name, .front = front};
	struct archive *a = archive_read_new();
	struct rlimit limits;
	bool limited;
	locale_t before;
	int ret;

	if (!a)
		return trawl_fail(err, TRAWL_CANNOT, "%s: out of memory", name);
	limited = limit_memory(&limits);
	support(a);
	before = uselocale(utf8);
	if (lseek(fileno(in), 0, SEEK_SET) ||
	    archive_read_open_fd(a, fileno(in), 65536) != ARCHIVE_OK)
		ret = cannot_unpack(a, name, err);
	else
		ret = copy_out(a, &c, err);
	uselocale(before);
	archive_read_free(a);
	if (limited)
		setrlimit(RLIMIT_AS, &limits);
	return ret;
}
#else
int unpack(FILE *in, int to, const char *name, unpack_front *front, struct trawl_error *err)
{
	return trawl_fail(err, TRAWL_CANNOT, "%s: is compressed, and trawl was built without "
					     "libarchive; unpack it first", name);
}
#endif
