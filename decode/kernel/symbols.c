/* SPDX-License-Identifier: MIT */
/* Symbols of the traced kernel, from saved excerpts of /proc/kallsyms and printk_formats. */
#include "common/compare.h"
#include "common/search.h"
#include "decode/kernel/symbols.h"
#include "common/array.h"
#include "decode/base/output.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct symbol {
	uint64_t addr;
	const char *name, *module; /* point into symbols.text; module "": none */
};

struct table {
	char *text;
	struct symbol *rows;
	size_t n, room;
};

struct symbols {
	struct table functions, texts;
};

static int by_addr(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	return compare_numbers(x->addr, y->addr);
}

static bool add(struct table *t, uint64_t addr, const char *name, const char *module)
{
	if (!array_grow(t->rows, t->n))
		return false;
	t->rows[t->n++] = (struct symbol){ addr, name, module };
	return true;
}

/* Parses "ffffffff81000000 T _stext", optionally followed by "\t[module]". */
static bool function_line(struct table *t, char *line)
{
	char *at, *name, *module;
	uint64_t addr = strtoull(line, &at, 16);

	if (at == line || at[0] != ' ' || !at[1] || at[2] != ' ')
		return true;
	name = at + 3;
	module = name + strcspn(name, " \t");
	if (*module)
		*module++ = '\0';
	module += strspn(module, " \t[");
	module[strcspn(module, "]")] = '\0';
	return add(t, addr, name, module);
}

/* Parses `0xffffffff82345678 : "text"`, in which \n and similar characters are escaped. */
static bool text_line(struct table *t, char *line)
{
	char *at, *to, *from;
	uint64_t addr = strtoull(line, &at, 16);

	from = strchr(at, '"');
	if (at == line || !from)
		return true;
	for (to = ++from, at = to; *at && *at != '"'; at++) {
		if (*at == '\\' && at[1]) {
			at++;
			*to++ = *at == 'n' ? '\n' : *at == 't' ? '\t' : *at;
		} else {
			*to++ = *at;
		}
	}
	*to = '\0';
	return add(t, addr, from, "");
}

static bool parse(struct table *t, const char *text, size_t len,
		  bool (*line)(struct table *, char *))
{
	char *at, *end;

	if (!text || !len)
		return true;
	t->text = malloc(len + 1);
	if (!t->text)
		return false;
	memcpy(t->text, text, len);
	t->text[len] = '\0';
	for (at = t->text; at; at = end) {
		end = strchr(at, '\n');
		if (end)
			*end++ = '\0';
		if (!line(t, at))
			return false;
	}
	if (t->n) /* qsort() takes no NULL */
		qsort(t->rows, t->n, sizeof(*t->rows), by_addr);
	return true;
}

struct symbols *symbols_parse(const char *kallsyms, size_t klen, const char *printk, size_t plen)
{
	struct symbols *s = calloc(1, sizeof(*s));

	if (s && parse(&s->functions, kallsyms, klen, function_line) &&
	    parse(&s->texts, printk, plen, text_line))
		return s;
	out_lack_memory();
	symbols_free(s);
	return NULL;
}

void symbols_free(struct symbols *s)
{
	if (!s)
		return;
	free(s->functions.text);
	free(s->functions.rows);
	free(s->texts.text);
	free(s->texts.rows);
	free(s);
}

/* Returns the last row at or before addr. */
static const struct symbol *find(const struct table *t, uint64_t addr)
{
	size_t n = partition_point(t->n, i, t->rows[i].addr <= addr);

	return n ? &t->rows[n - 1] : NULL;
}

const char *symbols_find(const struct symbols *s, uint64_t addr, uint64_t *offset,
			 const char **module)
{
	const struct symbol *row = s ? find(&s->functions, addr) : NULL;

	/* The file contains only excerpts: a symbol far before the address is not the right one. */
	if (!row || addr - row->addr > 0x100000)
		return NULL;
	*offset = addr - row->addr;
	*module = row->module;
	return row->name;
}

const char *symbols_text(const struct symbols *s, uint64_t addr)
{
	const struct symbol *row = s ? find(&s->texts, addr) : NULL;

	return row && row->addr == addr ? row->name : NULL;
}
