/* SPDX-License-Identifier: MIT */
/* Replaces single values: texts, paths, addresses, bytes. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "edit/knownprograms.h"
#include "edit/redact.h"

/* What the kernel writes in the place of a text or path. */
static bool is_kernel_placeholder(const char *p, size_t n)
{
	static const char *const words[] = {
		"(fault)", "(null)", "(efault)", "(einval)", "[vdso]",
		"[vvar]", "[vsyscall]", "[uprobes]", "[heap]", "[stack]",
	};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (strlen(words[i]) == n && !memcmp(words[i], p, n))
			return true;
	return false;
}

static void remove_piece(struct redact *x, enum secret_class class, char *p, size_t n)
{
	char small[256], *to = n <= sizeof(small) ? small : malloc(n);

	if (!to) {
		x->failed = true;
		memset(p, 'x', n);
		return;
	}
	if (x->counting)
		removed_text(&x->removed, class, p, n);
	standin_text(&x->key, p, n, to);
	memcpy(p, to, n);
	if (to != small)
		free(to);
}

void redact_kept(struct redact *x, char *p, size_t n)
{
	if (!x->counting)
		redact_scrub(x, p, n);
}

/*
 * Whether the text is the name of a task that runs a probed program which distributions install,
 * such as postgres. The path of the probe contains the name anyway, and a stand-in would also
 * replace it in the names of static probes.
 */
static bool is_system_program(const struct redact *x, const char *p, size_t n)
{
	const char *name = memrchr(p, '/', n);

	if (name && !standin_system_path(p, n))
		return false;
	n -= name ? (size_t)(name + 1 - p) : 0;
	return system_files_has(&x->system_files, name ? name + 1 : p, n);
}

/*
 * Whether the text is the name of a kernel thread, as the kernel chose it; events have 15 bytes of
 * it.
 */
static bool is_kernel_task(const struct redact *x, const char *p, size_t n)
{
	enum { CUT = 15 };

	for (size_t at = 0; n && at < x->kernel_tasks.len;) {
		const char *name = x->kernel_tasks.data + at;
		size_t len = strlen(name);

		if (n <= len && (n == len || n == CUT) && !memcmp(name, p, n))
			return true;
		at += len + 1;
	}
	return false;
}

/* A word of a statement of SQL, or what it has in quotes. */
static void sql_piece(struct redact *x, enum secret_class class, char *p, size_t n)
{
	if (!is_system_program(x, p, n))
		remove_piece(x, class, p, n);
}

/* Counts a value, unless it is `known` to stay. Returns whether it must be removed. */
static bool begin_value(struct redact *x, enum secret_class class, char *p, size_t n,
			bool known)
{
	if (known)
		redact_kept(x, p, n);
	if (known || !n)
		return false;
	redact_count(x, class, p, n, false);
	return redact_drops(x, class);
}

/* An option of one letter, as -c of "sh -c", says how the next word is read. */
static bool is_letter(const char *p, size_t n)
{
	return n == 2 && p[0] == '-' && isalpha((unsigned char)p[1]);
}

void redact_argument(struct redact *x, char *p, size_t n)
{
	if (begin_value(x, SECRET_COMMANDS, p, n, is_letter(p, n) || is_system_program(x, p, n)))
		remove_piece(x, SECRET_COMMANDS, p, n);
}

void redact_text(struct redact *x, enum secret_class class, char *p, size_t n)
{
	bool known = is_kernel_placeholder(p, n) ||
		     (class == SECRET_COMMANDS &&
		      (standin_kernel_task(p, n) || is_kernel_task(x, p, n) ||
		       known_program(p, n) || is_system_program(x, p, n)));

	if (!begin_value(x, class, p, n, known))
		return;
	if (class != SECRET_STRINGS || !redact_is_sql(p, n)) {
		remove_piece(x, class, p, n);
		return;
	}
	redact_sql(x, p, n, sql_piece);
	redact_kept(x, p, n); /* its own words, which may be values of other events */
}

void redact_trigger(struct redact *x, char *p, size_t n)
{
	static const char killed[] = ": killed by SIG";
	char *how = memmem(p, n, killed, sizeof(killed) - 1);

	if (how)
		redact_text(x, SECRET_COMMANDS, p, (size_t)(how - p));
	else
		redact_text(x, SECRET_STRINGS, p, n);
}

void redact_path(struct redact *x, char *p, size_t n)
{
	if (!begin_value(x, SECRET_PATHS, p, n,
			 is_kernel_placeholder(p, n) || standin_system_path(p, n)))
		return;
	for (size_t i = 0; i < n;) {
		char *end = memchr(p + i, '/', n - i);
		size_t len = end ? (size_t)(end - p) - i : n - i;

		if (len && !standin_common_name(p + i, len))
			remove_piece(x, SECRET_PATHS, p + i, len);
		i += len + 1;
	}
}

void redact_zero(struct redact *x, enum secret_class class, uint8_t *p, size_t n)
{
	bool any = false;

	for (size_t i = 0; !any && i < n; i++)
		any = p[i];
	if (!any)
		return;
	redact_count_bytes(x, class, p, n);
	if (!redact_drops(x, class))
		return;
	if (x->counting)
		removed_bytes(&x->removed, class, p, n);
	memset(p, 0, n);
}

/* Keeps a removed address for redact_check(), which searches the output for it. */
static void remember_address(struct redact *x, uint64_t v)
{
	if (x->addresses.set.n < REMOVED_MOST)
		numbers_add(&x->addresses, v);
	else
		x->removed.full = true;
	x->failed |= x->addresses.failed;
}

void redact_address(struct redact *x, uint8_t *p)
{
	uint64_t v = number_at(p, 8), moved;
	char text[32];

	if (!is_address(v))
		return;
	if (x->counting) {
		snprintf(text, sizeof(text), "0x%" PRIx64, v);
		redact_count(x, SECRET_ADDRESSES, text, strlen(text), false);
	}
	if (!redact_drops(x, SECRET_ADDRESSES))
		return;
	if (x->counting)
		remember_address(x, v);
	moved = standin_address(&x->key, v);
	memcpy(p, &moved, 8);
}

void redact_inode(struct redact *x, char *p, size_t n)
{
	if (!n || *p == '0')
		return;
	redact_count(x, SECRET_IDENTITY, p, n, false);
	if (redact_drops(x, SECRET_IDENTITY))
		standin_number(&x->key, p, n);
}

void redact_machine(struct redact *x, char *name)
{
	char *at = strpbrk(name, "@/");

	/* a following "#2" marks another boot of the host */
	if (at && *at == '@')
		redact_text(x, SECRET_NAMES, at + 1, strcspn(at + 1, "#/"));
}

void redact_scrub(struct redact *x, char *p, size_t n)
{
	const struct removed_value *v;

	for (size_t at = 0; (v = removed_find(&x->removed, p, n, &at, REMOVED_LEAST));
	     at += v->len)
		if (v->is_text)
			standin_text(&x->key, removed_text_of(&x->removed, v), v->len, p + at);
		else
			memset(p + at, 'x', v->len);
}
