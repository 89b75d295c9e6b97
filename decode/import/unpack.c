/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "decode/import/unpack.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int unpack_temporary(struct trawl_error *err)
{
	const char *dir = getenv("TMPDIR");
	char path[4096];
	int fd;

	fd = open(dir && *dir ? dir : "/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd >= 0)
		return fd;
	snprintf(path, sizeof(path), "%s/trawl-XXXXXX", dir && *dir ? dir : "/tmp");
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0)
		return trawl_fail(err, TRAWL_CANNOT, "%s: no temporary file can be made: %s",
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
	};
	unsigned char head[6];
	size_t n = fread(head, 1, sizeof(head), in);

	rewind(in);
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (n >= known[i].n && !memcmp(head, known[i].magic, known[i].n))
			return true;
	return false;
}

#ifdef HAVE_ARCHIVE
#include <archive.h>
#include <archive_entry.h>

static int copy_out(struct archive *a, FILE *to, const char *name, struct trawl_error *err)
{
	struct archive_entry *entry;
	const void *p;
	la_int64_t at;
	size_t n;
	int got = archive_read_next_header(a, &entry);

	while (got == ARCHIVE_OK) {
		got = archive_read_data_block(a, &p, &n, &at);
		if (got == ARCHIVE_OK && fwrite(p, 1, n, to) != n)
			return trawl_fail(err, TRAWL_CANNOT, "temporary file: %s: choose another "
					  "place for it by TMPDIR", strerror(errno));
	}
	/* An empty capture is none: what follows says so. */
	if (got != ARCHIVE_EOF)
		return trawl_fail(err, TRAWL_CANNOT, "%s: cannot be unpacked: %s", name,
				  archive_error_string(a));
	if (fflush(to) || fseek(to, 0, SEEK_SET))
		return trawl_fail(err, TRAWL_CANNOT, "temporary file: %s: choose another place for "
				  "it by TMPDIR", strerror(errno));
	return 0;
}

FILE *unpack(FILE *in, const char *name, struct trawl_error *err)
{
	struct archive *a = archive_read_new();
	int fd = unpack_temporary(err);
	FILE *to = fd < 0 ? NULL : fdopen(fd, "w+");
	int ret = -1;

	if (a && to) {
		archive_read_support_filter_all(a);
		archive_read_support_format_raw(a);
		if (lseek(fileno(in), 0, SEEK_SET) ||
		    archive_read_open_fd(a, fileno(in), 65536) != ARCHIVE_OK)
			ret = trawl_fail(err, TRAWL_CANNOT, "%s: cannot be unpacked: %s", name,
					 archive_error_string(a));
		else
			ret = copy_out(a, to, name, err);
	} else if (fd >= 0) {
		trawl_fail(err, TRAWL_CANNOT, "%s: out of memory", name);
	}
	archive_read_free(a);
	if (!ret)
		return to;
	if (to)
		fclose(to);
	else if (fd >= 0)
		close(fd);
	return NULL;
}
#else
FILE *unpack(FILE *in, const char *name, struct trawl_error *err)
{
	(void)in;
	trawl_fail(err, TRAWL_CANNOT, "%s: is compressed, and trawl was built without libarchive: "
		   "unpack it first", name);
	return NULL;
}
#endif
