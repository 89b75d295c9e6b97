/* SPDX-License-Identifier: MIT */
/* trawl-edit verify: reads all of each file and says whether it is complete. */
#include "edit/edit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/sandbox.h"
#include "common/sources.h"
#include "decode/base/cli.h"
#include "edit/eachfile.h"
#include "edit/input.h"

static const struct option verify_options[] = {
	{"memory", required_argument, NULL, OPTION_MEMORY},
	{"no-sandbox", no_argument, NULL, OPTION_NO_SANDBOX},
	{NULL, 0, NULL, 0},
};

static struct trawl_reader *open_caged(const struct eachfile *o, const char *path,
				       struct trawl_memory *memory, struct trawl_error *err)
{
	struct trawl_reader *r = NULL;
	int fd = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC) :
				     fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);

	if (fd < 0) {
		trawl_fail(err, TRAWL_CANNOT, "%s: cannot be opened: %s", path, strerror(errno));
		return NULL;
	}
	if (o->no_sandbox || !sandbox_enter(cli_program, path, err))
		r = trawl_open_fd(fd, path, memory, err);
	close(fd);
	return r;
}

/*
 * Reads all events. If r is NULL, fails with *err unchanged. Returns 0 if the file is complete and
 * undamaged.
 */
static int verify_reader(struct trawl_reader *r, const char *path, struct trawl_error *err)
{
	struct trawl_verdict v;
	struct trawl_event ev;
	uint64_t events = 0, tasks = 0;
	const struct trawl_source *source = NULL;
	bool of_tasks = false, whole;
	char apart[60] = "", room[EDIT_EVENTS];
	int got;

	if (!r)
		return -1;
	while ((got = trawl_next(r, &ev, err)) > 0) {
		if (ev.source != source) {
			source = ev.source;
			of_tasks = is_task_source(source->name);
		}
		events++;
		tasks += of_tasks;
	}
	trawl_verdict(r, &v);
	trawl_close(r);
	if (got < 0)
		return -1;
	/* events of the task source are counted separately: trawl-decode does not show them */
	if (tasks)
		snprintf(apart, sizeof(apart), " (and %llu of the task source)",
			 (unsigned long long)tasks);
	whole = edit_is_whole(&v) && !v.cut_at;
	/* trawl_fail() escapes control characters: the file name may be untrusted, too */
	trawl_fail(err, TRAWL_OK, "%s: %s%s, %llu bytes%s%s", path,
		   edit_events(room, events - tasks), apart, (unsigned long long)v.bytes,
		   whole ? ": " : "", whole ? v.text : "");
	puts(err->text);
	return whole ? 0 : trawl_fail(err, TRAWL_BAD_DATA, "%s: %s", path, v.text);
}

/*
 * Whether the file is a report of trawl-report, in which the capture is to be verified. A FIFO must
 * be opened only once: between two opens its writer would have no reader.
 */
static bool is_zip(const char *path)
{
	struct stat st;
	int fd = stat(path, &st) || !S_ISREG(st.st_mode) ? -1 : open(path, O_RDONLY | O_CLOEXEC);
	char front[4];
	bool zip = fd >= 0 && pread(fd, front, 4, 0) == 4 && !memcmp(front, "PK\3\4", 4);

	if (fd >= 0)
		close(fd);
	return zip;
}

static int verify_zip(const struct eachfile *o, const char *path, struct trawl_memory *memory,
		      struct trawl_error *err)
{
	struct edit_input in;
	struct trawl_reader *r = NULL;
	int ret;

	if (edit_input_open(&in, path, err))
		return -1;
	if (!edit_input_ready(&in, o->no_sandbox, err))
		r = trawl_open_within(in.path, memory, err);
	ret = verify_reader(r, path, err);
	if (ret)
		edit_input_call(&in, err);
	edit_input_close(&in);
	return ret;
}

static int verify_file(const struct eachfile *o, const char *path, struct trawl_error *err)
{
	struct trawl_memory memory = {.most = o->memory};

	if (strcmp(path, "-") && is_zip(path))
		return verify_zip(o, path, &memory, err);
	return verify_reader(open_caged(o, path, &memory, err), path, err);
}

int verify_command(int argc, char **argv, struct trawl_error *err)
{
	struct eachfile o = {0};

	if (eachfile_parse(&o, argc, argv, ":", verify_options, err))
		return -1;
	if (optind == argc)
		return edit_usage(err, "verify: FILE is missing", "");
	return eachfile_run(&o, argv + optind, argc - optind, verify_file);
}
