/* SPDX-License-Identifier: MIT */
/* trawl-edit import: foreign captures to .trawl files. */
#include "edit/edit.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/array.h"
#include "common/sandbox.h"
#include "decode/base/cli.h"
#include "decode/base/outfile.h"
#include "decode/import/foreign.h"
#include "decode/import/unpack.h"
#include "edit/eachfile.h"

static const struct option import_options[] = {
	{"level", required_argument, NULL, OPTION_LEVEL},
	{"memory", required_argument, NULL, OPTION_MEMORY},
	{"no-sandbox", no_argument, NULL, OPTION_NO_SANDBOX},
	{NULL, 0, NULL, 0},
};

static bool same_file(FILE *in, const char *out)
{
	struct stat a, b;

	return !fstat(fileno(in), &a) && !stat(out, &b) && a.st_dev == b.st_dev &&
	       a.st_ino == b.st_ino;
}

/* Explains why a file cannot be imported, using trawl's own reader. */
static int cannot_import(FILE *in, const char *path, struct trawl_error *err)
{
	struct trawl_reader *r = trawl_open_fd(fileno(in), path, NULL, err);

	trawl_close(r);
	if (r)
		trawl_fail(err, TRAWL_CANNOT, "%s: is a trawl file already, which needs no import",
			   path);
	return -1;
}

/* Says what of a file is no event and is not kept: nothing is left out without a count. */
static void print_left_out(const struct usb_import *im, const char *path)
{
	if (im->blocks)
		cli_message("%s: %llu block%s without packets left out, the first of type 0x%08x",
			    path, (unsigned long long)im->blocks, im->blocks == 1 ? "" : "s",
			    im->block_type);
	if (im->comments)
		cli_message("%s: %llu comment%s left out", path,
			    (unsigned long long)im->comments, im->comments == 1 ? "" : "s");
}

/*
 * Imports one file and appends it to the output. Returns 0; 1 with *err if something is wrong with
 * the data; -1 with *err if nothing was imported.
 */
static int import_stream(FILE *in, const char *path, int to, struct foreign_output into,
			 struct trawl_error *err)
{
	enum foreign_kind kind = foreign_kind(in);
	char room[EDIT_EVENTS];
	struct usb_import im;

	if (kind == FOREIGN_NONE)
		return cannot_import(in, path, err);
	into.fd = dup(to);
	if (into.fd < 0)
		return trawl_fail(err, TRAWL_CANNOT, "%s: %s", into.name, strerror(errno));
	if (foreign_import(in, kind, path, &into, &im, err))
		return -1;
	print_left_out(&im, path);
	if (foreign_verdict(&im, path, err))
		return im.events ? 1 : -1;
	cli_message("%s: %s%s", path, edit_events(room, im.events),
		    im.apart ? "; interfaces recorded the same bus: each is a source (--source)"
			     : "");
	return 0;
}

/* An input; of a pipe or standard input, which has to be read twice, also the file for its copy. */
struct import_input {
	FILE *in, *copy;
};

static int open_input(struct import_input *f, const char *path, const char *out,
		      struct trawl_error *err)
{
	bool standard = !strcmp(path, "-");
	int fd = standard ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3) :
			    open(path, O_RDONLY | O_CLOEXEC);

	f->in = fd < 0 ? NULL : fdopen(fd, "r");
	if (!f->in)
		return trawl_fail(err, TRAWL_CANNOT, "%s: cannot be opened: %s", path,
				  strerror(errno));
	if (standard || fseek(f->in, 0, SEEK_SET)) {
		fd = unpack_temporary(err);
		f->copy = fd < 0 ? NULL : fdopen(fd, "r+");
		return f->copy ? 0 : fd < 0 ? -1 : trawl_fail(err, TRAWL_CANNOT, "%s: %s", path,
							      strerror(errno));
	}
	if (same_file(f->in, out))
		return trawl_fail(err, TRAWL_USAGE, "%s: is the input too; name another file", out);
	return 0;
}

/* The files that are imported into one output, all open. */
struct import {
	char **paths;
	int n;
	struct import_input *in;
	FILE *plain; /* temporary file for unpacked input; NULL: `why` has the reason */
	struct trawl_error why;
	struct outfile output;
};

static void close_all(struct import *im)
{
	for (int i = 0; im->in && i < im->n; i++) {
		if (im->in[i].in)
			fclose(im->in[i].in);
		if (im->in[i].copy)
			fclose(im->in[i].copy);
	}
	if (im->plain)
		fclose(im->plain);
	free(im->in);
}

static int open_all(const struct eachfile *o, struct import *im, const char *out,
		    struct trawl_error *err)
{
	struct trawl_error late;
	int fd;

	im->in = calloc((size_t)im->n, sizeof(*im->in));
	if (!im->in)
		return trawl_fail(err, TRAWL_CANNOT, "out of memory");
	for (int i = 0; i < im->n; i++) {
		if (open_input(&im->in[i], im->paths[i], out, err))
			return -1;
		if (!strcmp(im->paths[i], "-"))
			im->paths[i] = (char *)"standard input";
	}
	fd = unpack_temporary(&im->why);
	im->plain = fd < 0 ? NULL : fdopen(fd, "w+");
	if (outfile_open(&im->output, out, err))
		return -1;
	if (o->no_sandbox)
		return 0;
	if (outfile_keeper(&im->output, err))
		return -1;
	if (!sandbox_enter(cli_program, im->paths[0], err))
		return 0;
	outfile_close(&im->output, false, &late);
	return -1;
}

/* Returns the i-th input, of a pipe its copy, at its start; NULL with *err. */
static FILE *readable(struct import *im, int i, struct trawl_error *err)
{
	struct import_input *f = &im->in[i];

	if (!f->copy)
		return f->in;
	if (unpack_copy(fileno(f->in), fileno(f->copy), im->paths[i], foreign_front, err))
		return NULL;
	rewind(f->copy);
	return f->copy;
}

/* Returns the i-th input, unpacked if it is compressed; NULL with *err. */
static FILE *plain(struct import *im, int i, struct trawl_error *err)
{
	FILE *in = readable(im, i, err);

	if (!in || !unpack_is_compressed(in))
		return in;
	if (!im->plain) {
		*err = im->why;
		return NULL;
	}
	rewind(im->plain);
	if (ftruncate(fileno(im->plain), 0)) {
		trawl_fail(err, TRAWL_CANNOT, "temporary file: %s", strerror(errno));
		return NULL;
	}
	if (unpack(in, fileno(im->plain), im->paths[i], foreign_front, err))
		return NULL;
	rewind(im->plain);
	return im->plain;
}

static int import_one(struct import *im, int i, const struct foreign_output *into,
		      struct trawl_error *err)
{
	FILE *in = plain(im, i, err);

	return in ? import_stream(in, im->paths[i], im->output.fd, *into, err) : -1;
}

/*
 * Imports all files into one output, one section each. Returns 0; 1 with *err if something is wrong
 * with the data; -1 with *err if no file was made.
 */
static int import_files(const struct eachfile *o, char **paths, int n, const char *out,
			struct trawl_error *err)
{
	struct import im = {.paths = paths, .n = n};
	uint32_t usb = 0;
	struct foreign_output into = {.name = out, .level = o->level, .usb = &usb};
	struct trawl_error late, worst = {0};
	int ret = 0;

	if (open_all(o, &im, out, err)) {
		close_all(&im);
		return -1;
	}
	for (int i = 0; i < n && ret >= 0; i++) {
		if (worst.status)
			cli_error(&worst);
		worst.status = TRAWL_OK;
		ret = import_one(&im, i, &into, err);
		if (ret > 0)
			worst = *err;
	}
	close_all(&im);
	if (ret >= 0 && out_lacked_memory())
		ret = edit_no_memory(err);
	if (ret >= 0)
		trawl_make_small(im.output.fd);
	if (outfile_close(&im.output, ret >= 0, &late)) {
		*err = late;
		return -1;
	}
	if (ret >= 0)
		*err = worst;
	return ret < 0 ? -1 : worst.status != TRAWL_OK;
}

/*
 * Writes FOLDER/NAME.trawl, NAME being the input's without the extensions of captures and
 * compression.
 */
static void name_in(const char *folder, const char *path, char *to, size_t room)
{
	static const char *const endings[] = {".gz", ".zst", ".xz", ".bz2", ".pcapng", ".pcap",
					      ".cap", ".txt"};
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	size_t n = strlen(base);

	for (size_t i = 0; i < ARRAY_SIZE(endings); i++) {
		size_t k = strlen(endings[i]);

		if (n > k && !strncmp(base + n - k, endings[i], k))
			n -= k;
	}
	snprintf(to, room, "%s/%.*s.trawl", folder, (int)n, base);
}

static int import_into_folder(const struct eachfile *o, const char *path, struct trawl_error *err)
{
	char out[4096], *paths[] = {(char *)path};
	struct stat st;

	if (!strcmp(path, "-"))
		return trawl_fail(err, TRAWL_USAGE, "import: standard input has no name for a file "
				  "in %s; name the file with -w", o->out);
	name_in(o->out, path, out, sizeof(out));
	if (stat(out, &st) == 0)
		return trawl_fail(err, TRAWL_USAGE, "%s: exists already; remove it, or choose "
				  "another folder", out);
	return import_files(o, paths, 1, out, err) ? -1 : 0;
}

/* Refuses, before any is imported, files that would have the same name in the folder. */
static int refuse_same_names(const struct eachfile *o, char **paths, int n, struct trawl_error *err)
{
	char (*names)[NAME_MAX + 1] = calloc((size_t)n, sizeof(*names));
	int ret = names ? 0 : edit_no_memory(err);

	for (int i = 0; i < n && !ret; i++) {
		name_in("", paths[i], names[i], sizeof(*names));
		for (int k = 0; k < i && !ret; k++)
			if (!strcmp(names[i], names[k]) && strcmp(paths[i], "-") != 0)
				ret = trawl_fail(err, TRAWL_USAGE, "import: %s and %s would both "
						 "become %s%s; import them into different folders, "
						 "or rename one", paths[k], paths[i], o->out,
						 names[i]);
	}
	free(names);
	return ret;
}

int import_command(int argc, char **argv, struct trawl_error *err)
{
	struct eachfile o = {0};
	struct stat st;

	if (eachfile_parse(&o, argc, argv, ":w:", import_options, err))
		return -1;
	o.level = o.level ? o.level : FOREIGN_BEST;
	if (!o.out)
		return edit_usage(err, "import: -w OUT is missing", "");
	if (optind == argc)
		return edit_usage(err, "import: FILE is missing", "");
	if (stat(o.out, &st) == 0 && S_ISDIR(st.st_mode))
		return refuse_same_names(&o, argv + optind, argc - optind, err) ? -1 :
		       eachfile_run(&o, argv + optind, argc - optind, import_into_folder);
	return import_files(&o, argv + optind, argc - optind, o.out, err) ? -1 : 0;
}
