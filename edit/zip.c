/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "edit/zip.h"
#include "common/array.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_ARCHIVE
#include <archive.h>
#include <archive_entry.h>

static int fail(struct zip *z, struct trawl_error *err)
{
	int why = z ? archive_errno((struct archive *)z) : ENOMEM;

	if (why == ENOSPC || why == EDQUOT)
		return trawl_fail(err, TRAWL_CANNOT, "zip file: the disk is full; make room, or "
				  "choose another place by -o");
	return trawl_fail(err, TRAWL_CANNOT, "zip file: %s",
			  z ? archive_error_string((struct archive *)z) : "out of memory");
}

struct zip *zip_new(int fd, struct trawl_error *err)
{
	struct archive *a = archive_write_new();

	if (a && archive_write_set_format_zip(a) == ARCHIVE_OK &&
	    archive_write_open_fd(a, fd) == ARCHIVE_OK)
		return (struct zip *)a;
	fail((struct zip *)a, err);
	archive_write_free(a);
	return NULL;
}

int zip_add(struct zip *z, const char *name, const void *p, size_t n, bool stored,
	    struct trawl_error *err)
{
	struct archive *a = (struct archive *)z;
	struct archive_entry *e = archive_entry_new();
	int ret = -1;

	if (!e)
		return trawl_fail(err, TRAWL_CANNOT, "zip file: out of memory");
	/* no time and no owner: a report contains only necessary data */
	archive_entry_set_pathname(e, name);
	archive_entry_set_size(e, (la_int64_t)n);
	archive_entry_set_filetype(e, AE_IFREG);
	archive_entry_set_perm(e, 0644);
	if (stored)
		archive_write_zip_set_compression_store(a);
	else
		archive_write_zip_set_compression_deflate(a);
	if (archive_write_header(a, e) == ARCHIVE_OK &&
	    archive_write_data(a, p, n) == (la_ssize_t)n &&
	    archive_write_finish_entry(a) == ARCHIVE_OK)
		ret = 0;
	else
		fail(z, err);
	archive_entry_free(e);
	return ret;
}

int zip_close(struct zip *z, struct trawl_error *err)
{
	int ret = archive_write_close((struct archive *)z) == ARCHIVE_OK ? 0 : fail(z, err);

	archive_write_free((struct archive *)z);
	return ret;
}
#else
struct zip *zip_new(int fd, struct trawl_error *err)
{
	trawl_fail(err, TRAWL_CANNOT, "zip file: trawl was built without libarchive; install its "
				      "headers and build again");
	return NULL;
}

int zip_add(struct zip *z, const char *name, const void *p, size_t n, bool stored,
	    struct trawl_error *err)
{
	return -1;
}

int zip_close(struct zip *z, struct trawl_error *err)
{
	return -1;
}
#endif

int zip_add_file(struct zip *z, const char *name, const char *path, bool stored,
		 struct trawl_error *err)
{
	FILE *f = fopen(path, "re");
	char *p = NULL;
	size_t n = 0, room = 0, got = 1;
	int ret = -1;

	while (f && got) {
		if (!array_reserve(p, room, n + (1 << 16)))
			break;
		got = fread(p + n, 1, room - n, f);
		n += got;
	}
	if (f && !got && !ferror(f))
		ret = zip_add(z, name, p, n, stored, err);
	else
		trawl_fail(err, TRAWL_CANNOT, "%s: cannot be read: %s", path, strerror(errno));
	if (f)
		fclose(f);
	free(p);
	return ret;
}
