/* SPDX-License-Identifier: MIT */
/* trawl: capture. */
#include "config.h"
#include "common/plain.h"
#include "common/printed.h"

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "capture/branch/selftest.h"
#include "capture/tracefs/gc.h"
#include "capture/cli/list.h"
#include "capture/session.h"
#include "capture/tracefs/tracefs.h"

static int collect(struct trawl_error *err)
{
	struct gc_count count;
	int top = tracefs_open(err), r;

	if (top < 0)
		return -1;
	r = gc_run(top, &count, err);
	close(top);
	printf("removed %u instance%s and %u probe%s of captures that were killed\n",
	       count.instances, count.instances == 1 ? "" : "s", count.events,
	       count.events == 1 ? "" : "s");
	return r;
}

static int print(const struct options *o, struct trawl_error *err)
{
	switch (o->job) {
	case JOB_HELP:
		options_help(stdout);
		return 0;
	case JOB_VERSION:
		puts("trawl " PACKAGE_VERSION);
		return 0;
	case JOB_LIST:
		return list_sources(o->listed, o->nlisted, o->json, stdout, err);
	case JOB_SELF_TEST:
		return branch_self_test(stdout, err);
	case JOB_GC:
		return collect(err);
	case JOB_CAPTURE:
		break;
	}
	return 0;
}

static int do_job(const struct options *o, struct trawl_error *err)
{
	int r;

	if (o->job == JOB_CAPTURE)
		return session_run(o, err);
	signal(SIGXFSZ, SIG_IGN); /* the write fails instead, and is reported */
	r = print(o, err);
	return r >= 0 && printed_all(err) ? -1 : r;
}

int main(int argc, char **argv)
{
	struct trawl_error err;
	struct options o;
	int r;

	r = options_parse(&o, argc, argv, &err);
	if (!r)
		r = do_job(&o, &err);
	options_free(&o);
	if (r >= 0)
		return r;
	fprintf(stderr, "trawl: %s\n", plain_text(err.text, true));
	return err.status;
}
