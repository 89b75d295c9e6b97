/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as the reporter's description, up to the first 0xff, and as the page that it is
 * inserted into, after it. The page keeps its contents, no tag is added, and the zip file contains
 * the entries.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "edit/reporttext.h"
#include "edit/zip.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct file {
	int fd;
	char path[32];
};

static struct file file_of(const void *p, size_t n)
{
	struct file f = {.fd = memfd_create("part", MFD_CLOEXEC)};

	if (f.fd < 0 || write(f.fd, p, n) != (ssize_t)n)
		abort();
	snprintf(f.path, sizeof(f.path), "/proc/self/fd/%d", f.fd);
	return f;
}

static size_t count(const char *p, size_t n, char c)
{
	size_t found = 0;

	for (size_t i = 0; i < n; i++)
		found += p[i] == c;
	return found;
}

/* Checks the tags of the page: its own, and those of the inserted text. */
static void check(const struct file *page, const char *before, size_t n)
{
	off_t len = lseek(page->fd, 0, SEEK_END);
	char *now = malloc((size_t)len + 1);
	size_t tags;

	if (len < (off_t)n || !now || pread(page->fd, now, (size_t)len, 0) != len)
		abort();
	tags = count(now, (size_t)len, '<') - count(before, n, '<');
	if (tags && tags != 6)
		abort();
	free(now);
}

static void pack(const struct file *page)
{
	struct file out = file_of("", 0);
	struct trawl_error err;
	struct zip *z = zip_new(out.fd, &err);

	if (z && (zip_add_file(z, "page.html", page->path, false, &err) ||
		  zip_add_file(z, "again", page->path, true, &err) || zip_close(z, &err)))
		abort();
	close(out.fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char bar[] = "<div id=\"bar\"></div>";
	const uint8_t *cut = memchr(data, 0xff, size);
	size_t n = cut ? (size_t)(cut - data) : size, rest = size - n;
	struct file text = file_of(data, n), summary = file_of(data + n, rest), page;
	struct trawl_error err;
	char *p = malloc(rest + sizeof(bar));

	if (!p)
		abort();
	memcpy(p, data + n, rest);
	memcpy(p + rest, bar, sizeof(bar));
	page = file_of(p, rest + sizeof(bar) - 1);
	if (!reporttext_put(text.path, page.path, summary.path, &err)) {
		check(&page, p, rest + sizeof(bar) - 1);
		pack(&page);
	}
	free(p);
	close(text.fd);
	close(summary.fd);
	close(page.fd);
	return 0;
}
