/* SPDX-License-Identifier: MIT */
#include "edit/reportpack.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/array.h"
#include "common/plain.h"
#include "edit/edit.h"
#include "edit/jobs.h"
#include "edit/reportjobs.h"
#include "edit/reportprogress.h"
#include "edit/sha256.h"
#include "edit/zip.h"

static const char how_to_read[] =
	"This is a capture by trawl: events of a machine, with exact times. Begin with:\n"
	"\n"
	"1. report.txt   what was expected and what happened, if the reporter described it\n"
	"2. summary.txt  an overview as text: why the capture was saved, longest operations, losses\n"
	"3. index.html   for Firefox or Chromium: timeline, events, search. It loads and sends nothing.\n"
	"                Begin with the longest operation of each kind; then search for its task, for\n"
	"                example pid == 4711. Press ? for the keys.\n"
	"\n"
	"manifest.txt    which private data was removed, and which was not\n"
	"usb.pcapng      the USB transfers for Wireshark, if there are any\n"
	"capture.trawl   the capture, for trawl-decode and the other programs of trawl (--json for scripts);\n"
	"                they also read the zip file itself\n";

/*
 * Hashes the original capture, because the metadata of the redacted one has the hash of the cut
 * file instead.
 */
static int hash_capture(const struct report *r, char hash[65], struct trawl_error *err)
{
	int fd = open(r->file, O_RDONLY | O_CLOEXEC), ret = 0;

	report_step("reading", 0);
	if (fd < 0 || !sha256_file(fd, hash, &jobs_interrupted))
		ret = trawl_fail(err, TRAWL_CANNOT,
				 jobs_interrupted ? "interrupted: nothing was written"
					     : "%s: cannot be read: %m", r->file);
	if (fd >= 0)
		close(fd);
	return ret;
}

/*
 * Writes the manifest: a list of what redact removed, without the examples, which only the reporter
 * may see.
 */
static int keep_manifest(struct report *r, const char *hash, struct trawl_error *err)
{
	FILE *from = fopen(r->files[SECRETS], "re");
	FILE *to = fopen(r->files[MANIFEST], "we");
	char line[4096];

	if (to)
		fputs("Private data in the capture, how often it occurred, and whether it was removed:\n\n", to);
	while (from && to && fgets(line, sizeof(line), from))
		if (line[0] != ' ')
			fputs(line, to);
	if (to)
		fprintf(to,
			"\nTexts have stand-ins of the same length, and the same text has the same "
			"one everywhere;\ndata of transfers are zeros. Addresses at random places are "
			"moved: equal ones stay equal,\nthose of one range keep their distances, "
			"and 0 stays 0. A class that was kept is whole:\ncommand lines then show "
			"their paths.\n"
			"SHA-256 of the capture that was given to trawl-report, which the reporter "
			"has:\n%s\nThe original_sha256 of the summary is that of the part of it "
			"that the report was\nmade of, before private data was removed: the "
			"reporter does not keep that part.\n",
			hash);
	if (from)
		fclose(from);
	if (to && !fclose(to) && from)
		return 0;
	return trawl_fail(err, TRAWL_CANNOT, "%s: cannot be written: %m", r->folder);
}

static void show_file(const char *path, unsigned int most)
{
	FILE *f = fopen(path, "re");
	char line[4096];

	while (f && most-- && fgets(line, sizeof(line), f))
		fputs(line, stdout);
	if (f)
		fclose(f);
}

const char *report_shown_name(const struct report *r, char *name)
{
	snprintf(name, PATH_MAX, "%s", r->out);
	return plain_text(name, false);
}

bool report_agreed(struct report *r)
{
	char answer[16] = "", room[16], name[PATH_MAX];

	printf("Contents of the report:\n\n");
	show_file(r->files[SUMMARY], 12);
	printf("\nPrivate data in the capture, with examples, and whether it was removed:\n\n");
	show_file(r->files[SECRETS], 200);
	printf("\n%s: %s. Nothing is sent anywhere.\n", report_shown_name(r, name),
	       edit_megabytes(room, r->size));
	fflush(stdout);
	if (r->yes)
		return true;
	printf("Write it? [y/N] ");
	/* nobody agrees to what could not be shown */
	return !fflush(stdout) && !ferror(stdout) && fgets(answer, sizeof(answer), stdin) &&
		(answer[0] == 'y' || answer[0] == 'Y');
}

static int pack(const struct report *r, int fd, struct trawl_error *err)
{
	static const struct {
		enum report_file file;
		bool stored;
	} entries[] = {
		{ TEXT, false }, { PAGE, false }, { SUMMARY, false },
		{ MANIFEST, false }, { PACKETS, false }, { CAPTURE, true },
	};
	struct zip *z = zip_new(fd, err);
	struct trawl_error late;
	int ret = z ? zip_add(z, "HOW-TO-READ.txt", how_to_read, strlen(how_to_read), false, err)
		    : -1;

	for (size_t i = 0; !ret && i < ARRAY_SIZE(entries); i++) {
		const char *path = r->files[entries[i].file];

		if (!access(path, F_OK))
			ret = zip_add_file(z, report_file_names[entries[i].file], path,
					   entries[i].stored, err);
	}
	if (z && zip_close(z, &late) && !ret) {
		*err = late;
		ret = -1;
	}
	return ret;
}

/* Packs a part of the capture of at most this size (report_cut()). */
static int pack_part(struct report *r, uint64_t part, const char *hash, int fd,
		     struct trawl_error *err)
{
	struct stat st;

	if (report_cut(r, part, err) || report_redact(r, err) || keep_manifest(r, hash, err) ||
	    report_make_views(r, err))
		return -1;
	if (lseek(fd, 0, SEEK_SET) || ftruncate(fd, 0))
		return trawl_fail(err, TRAWL_USAGE, "%s: not a regular file; choose another name",
				  r->out);
	report_step("packing", 0);
	if (pack(r, fd, err) || fstat(fd, &st))
		return -1;
	r->size = (uint64_t)st.st_size;
	return 0;
}

int report_pack(struct report *r, int fd, struct trawl_error *err)
{
	enum { PARTS = 6 };
	uint64_t part = r->max_size / 2;
	char hash[65];

	if (hash_capture(r, hash, err))
		return -1;
	for (int i = 0; i <= PARTS; i++, part /= 2) {
		bool last = i == PARTS;
		int ret = pack_part(r, last ? 0 : part, hash, fd, err);

		if (ret && !last && err->status == TRAWL_USAGE) {
			i = PARTS - 1; /* not even one event fits */
			continue;
		}
		if (ret)
			return -1;
		if (r->size <= r->max_size)
			return 0;
	}
	/* stand-ins are random, and so is how well they compress */
	return trawl_fail(err, TRAWL_USAGE, "--max-size: is too small; the smallest report needs "
			  "--max-size %llu", (unsigned long long)(r->size + r->size / 64 + 256));
}
