/* SPDX-License-Identifier: MIT */
#include "edit/reportdescription.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "edit/jobs.h"

static const char template[] =
	"\n"
	"Expected:\n"
	"\n"
	"\n"
	"Happened:\n"
	"\n"
	"\n"
	"# The first line is the title. Lines that begin with # are left out, and so is an empty report.\n";

static int edit_text(struct report *r, const char *path, struct trawl_error *err)
{
	const char *editor = getenv("VISUAL");
	char command[8192];
	FILE *f = fopen(path, "we");
	int ret;

	if (f)
		fputs(template, f);
	if (!f || fclose(f))
		return trawl_fail(err, TRAWL_CANNOT, "%s: cannot be written: %m", path);
	editor = editor && *editor ? editor : getenv("EDITOR");
	if (!editor || !*editor)
		return trawl_fail(err, TRAWL_USAGE, "$EDITOR: is not set; say what fails by --title "
				  "and --message");
	snprintf(command, sizeof(command), "%s \"$0\"", editor);
	/* while the editor runs, only the editor handles the terminal's signals */
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	ret = job_call((char *[]){ word("sh"), word("-c"), command, word(path), NULL });
	jobs_catch_signals();
	return ret ? trawl_fail(err, TRAWL_CANNOT, "%s: failed; nothing was written", editor) : 0;
}

static char *read_text(const char *path)
{
	FILE *f = fopen(path, "re");
	char *text = calloc(1, 1 << 16), line[2048];
	size_t n = 0;

	while (f && text && fgets(line, sizeof(line), f))
		if (line[0] != '#' && n + strlen(line) < (1 << 16) - 1)
			n += (size_t)sprintf(text + n, "%s", line);
	if (f)
		fclose(f);
	return text;
}

static int write_text(const struct report *r, const char *path, struct trawl_error *err)
{
	FILE *f = fopen(path, "we");

	if (f)
		fprintf(f, "%s\n\n%s\n", r->title ? r->title : "(no title)",
			r->message ? r->message : "");
	if (f && !fclose(f))
		return 0;
	return trawl_fail(err, TRAWL_CANNOT, "%s: cannot be written: %m", path);
}

int report_describe(struct report *r, struct trawl_error *err)
{
	const char *path = r->files[TEXT];
	char *text;
	FILE *f;

	if (r->title || r->message || r->yes || !isatty(STDIN_FILENO))
		return write_text(r, path, err);
	if (edit_text(r, path, err))
		return -1;
	text = read_text(path);
	f = fopen(path, "we");
	if (f && text)
		fputs(text, f);
	free(text);
	return f && !fclose(f) ? 0 : trawl_fail(err, TRAWL_CANNOT, "%s: %m", path);
}
