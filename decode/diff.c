/* SPDX-License-Identifier: MIT */
#include "decode/diff.h"
#include "common/array.h"

#include "common/branchrecord.h"
#include "decode/base/cli.h"
#include "decode/branchdiff.h"
#include "decode/import/foreign.h"
#include "decode/usbdiff.h"

/* The comparison for each kind of source that both captures contain. */
static const struct {
	const char *kind;
	int (*print)(struct reading *r, const int fds[2], const char *const names[2], bool json,
		     struct out *out);
} ways[] = {
	{"usbmon", usbdiff_print},
	{BRANCH_SOURCE_KIND, branchdiff_print},
};

static bool has_kind(int fd, const char *name, struct trawl_memory *memory, const char *kind,
		     struct trawl_error *err)
{
	struct trawl_reader *r = trawl_open_fd(fd, name, memory, err);
	bool found = false;

	for (size_t i = 0; r && i < trawl_source_count(r); i++)
		found |= !strcmp(decoder_find(trawl_source_at(r, i))->kind, kind);
	trawl_close(r);
	return found;
}

static int print(struct reading *r, const int fds[2], const char *const names[2], bool json,
		 struct out *out)
{
	struct trawl_error err = {0};

	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		bool both = true;

		for (unsigned int k = 0; k < 2; k++)
			both &= has_kind(fds[k], names[k], r->decode.memory, ways[i].kind, &err);
		if (err.status)
			return cli_error(&err);
		if (both)
			return ways[i].print(r, fds, names, json, out);
	}
	trawl_fail(&err, TRAWL_USAGE,
		   "--diff: %.200s and %.200s have no source in common that can be compared; give "
		   "two captures with USB or branches (trawl-decode --summary shows what is in a "
		   "file)",
		   names[0], names[1]);
	return cli_error(&err);
}

/*
 * Opens both files, then enters the sandbox and prepares them. Returns the exit status; error
 * messages have been printed.
 */
static int open_both(struct reading *r, char **paths, struct foreign *f)
{
	struct trawl_error err = {0};

	for (unsigned int i = 0; i < 2; i++)
		if (foreign_open(&f[i], paths[i], true, &err))
			return cli_error(&err);
	if (reading_sandbox(r, &err))
		return cli_error(&err);
	for (unsigned int i = 0; i < 2; i++)
		if (foreign_resolve(&f[i], &err))
			return cli_error(&err);
	return TRAWL_OK;
}

int diff_print(struct reading *r, char **paths, bool json, struct out *out)
{
	struct foreign f[2] = {FOREIGN_NOTHING, FOREIGN_NOTHING};
	const char *names[2] = {paths[0], paths[1]};
	int status = open_both(r, paths, f);

	if (!status)
		status = print(r, (int[]){f[0].fd, f[1].fd}, names, json, out);
	for (unsigned int i = 0; i < 2; i++) {
		if (f[i].verdict.status && status <= TRAWL_BAD_DATA)
			status = cli_error(&f[i].verdict);
		foreign_close(&f[i]);
	}
	return status;
}
