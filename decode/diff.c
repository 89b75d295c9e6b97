/* SPDX-License-Identifier: MIT */
#include "decode/diff.h"

#include "decode/base/cli.h"
#include "decode/import/foreign.h"
#include "decode/usbdiff.h"

/* How two captures that both have a source of this kind are compared. */
static const struct {
	const char *kind;
	int (*print)(struct reading *r, const char *const paths[2], const char *const names[2], bool json,
		     struct out *out);
} ways[] = {
	{"usbmon", usbdiff_print},
};

static bool has_kind(const char *path, const char *kind, struct trawl_error *err)
{
	struct trawl_reader *r = trawl_open(path, err);
	bool found = false;

	for (size_t i = 0; r && i < trawl_source_count(r); i++)
		found |= !strcmp(trawl_source_at(r, i)->kind, kind);
	trawl_close(r);
	return found;
}

/* A path that can be opened twice. */
static const char *resolve(struct foreign *copy, struct foreign *f, const char *name,
			   struct trawl_error *err)
{
	const char *path = foreign_copy(copy, name, err);

	return path ? foreign_resolve(f, path, err) : NULL;
}

static int print(struct reading *r, const char *const paths[2], const char *const names[2], bool json,
		 struct out *out)
{
	struct trawl_error err = {0};

	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		bool both = true;

		for (unsigned int k = 0; k < 2; k++)
			both &= has_kind(paths[k], ways[i].kind, &err);
		if (err.status)
			return cli_error(&err);
		if (both)
			return ways[i].print(r, paths, names, json, out);
	}
	trawl_fail(&err, TRAWL_USAGE, "--diff: %.200s and %.200s have no source in common that can be "
		   "compared: give two captures with USB (trawl-decode --summary tells what is in a file)",
		   names[0], names[1]);
	return cli_error(&err);
}

int diff_print(struct reading *r, char **paths, bool json, struct out *out)
{
	struct foreign copy[2] = {{.fd = -1}, {.fd = -1}}, f[2] = {{.fd = -1}, {.fd = -1}};
	const char *names[2] = {paths[0], paths[1]}, *open[2];
	struct trawl_error err = {0};
	int status = TRAWL_OK;

	for (unsigned int i = 0; i < 2 && !status; i++) {
		open[i] = resolve(&copy[i], &f[i], paths[i], &err);
		if (!open[i]) {
			foreign_call(&copy[i], paths[i], &err);
			status = cli_error(&err);
		}
	}
	if (!status)
		status = print(r, open, names, json, out);
	for (unsigned int i = 0; i < 2; i++) {
		if (f[i].verdict.status && status <= TRAWL_BAD_DATA)
			status = cli_error(&f[i].verdict);
		foreign_close(&f[i]);
		foreign_close(&copy[i]);
	}
	return status;
}
