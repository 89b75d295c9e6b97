/* SPDX-License-Identifier: MIT */
#include "edit/reporttext.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>


/* Reads a file, adding a NUL; malloc'd. NULL with *err. */
static char *read_file(const char *path, size_t *len, struct trawl_error *err)
{
	FILE *f = fopen(path, "re");
	char *p = NULL;
	long n = -1;

	if (f && !fseek(f, 0, SEEK_END))
		n = ftell(f);
	if (n >= 0 && !fseek(f, 0, SEEK_SET))
		p = malloc((size_t)n + 1);
	*len = p ? fread(p, 1, (size_t)n, f) : 0;
	if (f)
		fclose(f);
	if (p)
		p[*len] = '\0';
	else
		trawl_fail(err, TRAWL_CANNOT, "%s: cannot be read: %m", path);
	return p;
}

static void put_escaped(FILE *f, const char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		switch (p[i]) {
		case '<':
			fputs("&lt;", f);
			break;
		case '>':
			fputs("&gt;", f);
			break;
		case '&':
			fputs("&amp;", f);
			break;
		default:
			fputc(p[i], f);
		}
}

/* Rewrites a file with `text` inserted before the string `at`. */
static int insert(const char *path, const char *at, const char *text, bool page,
		  struct trawl_error *err)
{
	size_t len, title = strcspn(text, "\n"), front;
	char *p = read_file(path, &len, err), *here;
	FILE *f = p ? fopen(path, "we") : NULL;

	if (!f) {
		free(p);
		return p ? trawl_fail(err, TRAWL_CANNOT, "%s: cannot be written: %m", path) : -1;
	}
	here = strstr(p, at);
	front = here ? (size_t)(here - p) : 0;
	fwrite(p, 1, front, f);
	if (page && here) {
		fputs("<details id=\"report\" open><summary>", f);
		put_escaped(f, text, title);
		fputs("</summary><p>", f);
		title += strspn(text + title, "\n");
		put_escaped(f, text + title, strlen(text + title));
		fputs("</p></details>\n", f);
	} else if (!page) {
		fprintf(f, "%s\n\n", text);
	}
	fwrite(p + front, 1, len - front, f);
	free(p);
	if (!fclose(f))
		return 0;
	return trawl_fail(err, TRAWL_CANNOT, "%s: cannot be written: %m", path);
}

int reporttext_put(const char *text, const char *page, const char *summary, struct trawl_error *err)
{
	size_t len;
	char *p = read_file(text, &len, err);
	int ret = p ? 0 : -1;

	while (p && len && strchr("\n ", p[len - 1]))
		p[--len] = '\0';
	if (len)
		ret = insert(page, "<div id=\"bar\"", p, true, err) ||
				insert(summary, "", p, false, err)
			? -1
			: 0;
	free(p);
	return ret;
}
