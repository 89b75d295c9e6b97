/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "capture/probe/part.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/sys/alloc.h"

#ifdef HAVE_DW
#include <dwarf.h>
#include <inttypes.h>

#include "capture/probe/abi.h"
#include "capture/probe/arrayshape.h"
#include "capture/probe/die.h"
#include "capture/probe/opaque.h"
#include "capture/probe/variant.h"
#include "common/nearest.h"

enum { DEPTH = 12, CHILDREN = 50000, LISTED = 160, GO_EMBEDDED = 0x2903 };

/* The part of the path that was followed. */
struct walk {
	struct param *q;
	const char *path;
	size_t done;            /* how much of it */
	size_t before;          /* the same without the last member */
	int language;           /* DW_LANG_* */
	struct param_part part; /* what it leads to; its type is peeled */
	Dwarf_Die type;         /* its type as declared */
	/* the object behind the pointer that was reached is w->q already: a pointer is returned */
	bool followed;
	struct part_error *e;
};

__attribute__((format(printf, 3, 4))) static bool fail(struct walk *w, size_t at, const char *why,
						       ...)
{
	va_list ap;

	w->e->at = at;
	va_start(ap, why);
	vsnprintf(w->e->why, sizeof(w->e->why), why, ap);
	va_end(ap);
	return false;
}

/* The type's name as C writes it; to be freed. */
static char *type_name(struct walk *w)
{
	return dwarf_type_text(&w->type, 0);
}

/* Sets the type of the part that was reached. False if there is none: void. */
static bool set_type(struct walk *w, Dwarf_Die *type)
{
	w->type = *type;
	return dwarf_peel(type, &w->part.type);
}

/* ---- members -------------------------------------------------------------------------------- */

/* True for a part whose members are named as the object's own. */
static bool is_transparent(Dwarf_Die *child)
{
	Dwarf_Attribute attr;
	bool embedded = false;

	return !dwarf_diename(child) || dwarf_tag(child) == DW_TAG_inheritance ||
	       (dwarf_attr(child, GO_EMBEDDED, &attr) &&
		dwarf_formflag(&attr, &embedded) == 0 && embedded);
}

struct found {
	const char *name;
	Dwarf_Die member;
	unsigned int base;    /* offset of the base class or structure that it is a member of */
	int left;             /* how many entries may still be looked at */
	struct nearest *near;
	char listed[LISTED];  /* names of members */
};

static void list(struct found *f, const char *name)
{
	size_t used = strlen(f->listed);

	nearest_offer(f->near, name);
	if (used + strlen(name) + 8 < sizeof(f->listed))
		sprintf(f->listed + used, "%s%s", used ? ", " : "", name);
	else if (used && f->listed[used - 1] != '.')
		strcpy(f->listed + used, ", ...");
}

/* Searches the members at this level: 0 are the object's own, 1 those of its base classes. */
static bool search(struct found *f, Dwarf_Die *object, unsigned int offset, int level)
{
	Dwarf_Die child, type, peeled;

	if (dwarf_child(object, &child) != 0)
		return false;
	do {
		const char *name = dwarf_diename(&child);
		unsigned int at;

		if (!dwarf_is_part(&child) || !dwarf_member_at(&child, &at))
			continue;
		if (!level && name && dwarf_tag(&child) == DW_TAG_member) {
			list(f, name);
			if (!strcmp(name, f->name)) {
				f->member = child;
				f->base = offset;
				return true;
			}
		}
		if (level && is_transparent(&child) && dwarf_type_of(&child, &type) &&
		    dwarf_peel(&type, &peeled) && dwarf_is_class(&peeled) &&
		    search(f, &peeled, offset + at, level - 1))
			return true;
	} while (--f->left > 0 && dwarf_siblingof(&child, &child) == 0);
	return false;
}

static bool no_member(struct walk *w, size_t at, const struct found *f)
{
	char *type = type_name(w), hint[160];
	struct variants v;

	if (variants_of(&w->part.type, w->language, &v))
		fail(w, at, "%s: %s is one of several alternatives, and is recorded as a whole; "
		     "write %.*s", f->name, type, (int)(w->before), w->path);
	else
		fail(w, at, "%s: %s has no such member%s; it has %s", f->name, type,
		     nearest_hint(f->near, hint, sizeof(hint)), *f->listed ? f->listed : "none");
	variants_free(&v);
	free(type);
	return false;
}

/* Goes on to the member that was found. */
static bool enter(struct walk *w, struct found *f)
{
	struct param_part *p = &w->part;
	Dwarf_Die type;
	unsigned int at;

	if (!dwarf_type_of(&f->member, &type) || !dwarf_member_at(&f->member, &at))
		return false;
	p->offset += f->base;
	p->width = dwarf_udata(&f->member, DW_AT_bit_size, 0);
	if (p->width)
		p->bit = dwarf_first_bit(&f->member, p->width);
	else
		p->offset += at;
	return set_type(w, &type);
}

static bool take_member(struct walk *w, size_t at, const char *name)
{
	struct nearest near = { .wanted = name };
	struct found f = { .name = name, .left = CHILDREN, .near = &near };
	const char *one, *other;
	bool found = false;

	if (opaque_is_declared(&w->part.type) && !opaque_define(&w->part.type, &one, &other))
		return fail(w, at, "%s: %s and %s have different types of the name %s, and which "
			    "of them is meant is not known; write +OFFSET(%.*s):TYPE", name, one,
			    other, dwarf_diename(&w->part.type), (int)w->before, w->path);
	for (int level = 0; level < DEPTH && !found; level++)
		found = search(&f, &w->part.type, 0, level);
	found = found ? enter(w, &f) || fail(w, at, "%s: its type is not known", name) :
			no_member(w, at, &f);
	nearest_free(&near);
	return found;
}

/* ---- steps ---------------------------------------------------------------------------------- */

static bool is_pointer(Dwarf_Die *type)
{
	int tag = dwarf_tag(type);

	return tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type ||
	       tag == DW_TAG_rvalue_reference_type;
}

/* Goes on to what the pointer that was reached points to. */
static bool follow(struct walk *w, size_t at)
{
	struct argloc argloc;
	Dwarf_Die under;
	char *type;

	if (!w->followed && !param_follow(w->q, w->part.offset, w->part.whole, &argloc))
		return fail(w, at, "%.*s: no value: %s", (int)at, w->path, argloc.why);
	w->followed = false;
	w->part = (struct param_part){ .type = w->part.type };
	if (dwarf_type_of(&w->part.type, &under) && set_type(w, &under))
		return true;
	type = type_name(w);
	fail(w, at, "%.*s is a pointer to anything (%s); write +OFFSET(%.*s):TYPE", (int)at,
	     w->path, type, (int)at, w->path);
	free(type);
	return false;
}

static bool no_step(struct walk *w, size_t at, const char *why)
{
	char *type = type_name(w);

	fail(w, at, "%.*s is of type %s, %s", (int)at, w->path, type, why);
	free(type);
	return false;
}

/* ".name" or "->name" */
static bool step_member(struct walk *w)
{
	const char *s = w->path + w->done;
	size_t at = w->done, sign = *s == '-' ? 2 : 1, len = strcspn(s + sign, ".-[");
	char *name;
	bool found;

	if (!len || (*s == '-' && s[1] != '>'))
		return fail(w, at, "%s: a member is written as ->NAME or .NAME", w->path);
	if (sign == 2 && !is_pointer(&w->part.type))
		return no_step(w, at, "which is no pointer; write . instead of ->");
	for (int level = 0; is_pointer(&w->part.type) && level < DEPTH; level++)
		if (!follow(w, at))
			return false;
	if (!dwarf_is_class(&w->part.type))
		return no_step(w, at, "which has no members");
	name = xstrndup(s + sign, len);
	w->before = at;
	w->done += sign + len;
	found = take_member(w, at + sign, name);
	free(name);
	return found;
}

/* Goes on to an element's type; *shape: what is known of the others. */
static bool enter_element(struct walk *w, size_t at, struct array_shape *shape)
{
	Dwarf_Die under;

	*shape = (struct array_shape){ .dimensions = 1 };
	if (is_pointer(&w->part.type))
		return follow(w, at);
	if (dwarf_tag(&w->part.type) != DW_TAG_array_type)
		return no_step(w, at, "which is no array or pointer");
	array_shape_of(&w->part.type, shape);
	if (shape->elsewhere)
		return fail(w, at, "%.*s: %s; write +OFFSET(...):TYPE", (int)at, w->path,
			    shape->elsewhere);
	if (shape->dimensions != 1)
		return fail(w, at, "%.*s has %d dimensions, whose elements are not found by [N]; "
			    "write +OFFSET(...):TYPE", (int)at, w->path, shape->dimensions);
	return (dwarf_type_of(&w->part.type, &under) && set_type(w, &under)) ||
	       no_step(w, at, "whose elements are not described");
}

/* Checks the element's number, as the program's language counts. */
static bool has_element(struct walk *w, size_t at, const struct array_shape *s, int64_t n)
{
	if (s->n && (n < s->first || (uint64_t)n - (uint64_t)s->first >= s->n))
		return fail(w, at, "%.*s has %" PRIu64 " elements, [%" PRId64 "] to [%" PRId64 "]",
			    (int)at, w->path, s->n, s->first, s->first + (int64_t)s->n - 1);
	return n >= s->first || fail(w, at, "%.*s begins with [%" PRId64 "]", (int)at, w->path,
				     s->first);
}

/* "[2]" */
static bool step_element(struct walk *w)
{
	const char *s = w->path + w->done + 1;
	char *end;
	unsigned long long n = strtoull(s, &end, 0);
	size_t at = w->done;
	Dwarf_Word size;
	struct array_shape shape;

	if (*s < '0' || *s > '9' || *end != ']')
		return fail(w, at + 1, "%s: an element is written as [NUMBER]", w->path);
	if (n > INT32_MAX)
		return fail(w, at + 1, "[%llu]: too far away", n);
	if (!enter_element(w, at, &shape) || !has_element(w, at, &shape, (int64_t)n))
		return false;
	n = (uint64_t)n - (uint64_t)shape.first;
	if (dwarf_aggregate_size(&w->part.type, &size) != 0 || !size)
		return no_step(w, at, "whose size is not known");
	if (n > INT32_MAX / size || n * size + w->part.offset > INT32_MAX)
		return fail(w, at + 1, "[%llu]: too far away", n);
	w->part.offset += (unsigned int)(n * size);
	w->done = (size_t)(end + 1 - w->path);
	return true;
}

static bool step(struct walk *w)
{
	bool element = w->path[w->done] == '[', taken = element ? step_element(w) : step_member(w);

	w->part.whole = false;
	return taken;
}

/* ---- where a path begins -------------------------------------------------------------------- */

static bool begin_param(struct walk *w, struct param_finder *f)
{
	char *name = xstrndup(w->path, w->done);
	Dwarf_Die type;

	w->q = param_open(f, name, &type);
	w->part.whole = true;
	free(name);
	return (w->q && set_type(w, &type)) ||
	       fail(w, 0, "%s: there is no such parameter", w->path);
}

/* The type of the return value; of several ones of Go, of the first. */
static bool result_type(struct param_finder *f, Dwarf_Die *type)
{
	Dwarf_Die child;
	Dwarf_Attribute attr;

	if (dwarf_type_of(f->function, type))
		return true;
	if (dwarf_child(f->function, &child) != 0)
		return false;
	do {
		bool result = false;

		if (dwarf_tag(&child) == DW_TAG_formal_parameter &&
		    dwarf_attr_integrate(&child, DW_AT_variable_parameter, &attr) &&
		    dwarf_formflag(&attr, &result) == 0 && result)
			return dwarf_type_of(&child, type);
	} while (dwarf_siblingof(&child, &child) == 0);
	return false;
}

/* Where a structure is that is returned in %rax, or in %rax and %rdx. */
static bool in_registers(const struct dwarf_function *fn, struct location *loc)
{
	*loc = (struct location){ .list = true, .n = fn->nparts ? fn->nparts : 1 };
	for (size_t i = 0; i < loc->n; i++) {
		const struct argloc *at = fn->nparts ? &fn->parts[i].argloc : &fn->ret.argloc;

		loc->pieces[i] = (struct piece){ .start = 8 * (unsigned int)i, .size = 8 };
		if (fn->nparts && !fn->parts[i].name)
			continue;
		if (at->form != ARGLOC_EXPR)
			return false;
		loc->pieces[i].form = PIECE_REGISTER;
		loc->pieces[i].at.reg = strcmp(at->expr, "%dx") ? 0 : 1;
	}
	return true;
}

static bool begin_result(struct walk *w, struct param_finder *f, const struct dwarf_function *ret)
{
	const struct argloc *at = &ret->ret.argloc;
	struct location loc;
	Dwarf_Die type;

	if (at->form != ARGLOC_EXPR && !ret->nparts)
		return fail(w, 0, "$retval: %s", at->why);
	if (!result_type(f, &type) || !set_type(w, &type))
		return fail(w, 0, "$retval: its type is not known");
	w->followed = is_pointer(&w->part.type);
	if (w->followed || ret->ret.address)
		w->q = param_open_result(f, at->expr, NULL);
	else if (in_registers(ret, &loc))
		w->q = param_open_result(f, "", &loc);
	return w->q || fail(w, 0, "$retval: %s", "a part of it is in a register that the kernel's "
			    "probes cannot read");
}

bool part_find(struct param_finder *f, const char *path, const struct dwarf_function *ret,
	       struct dwarf_function *out, struct part_error *e)
{
	struct walk w = { .path = path, .done = strcspn(path, ".-["), .e = e,
			  .language = dwarf_srclang(f->unit) };
	bool found = ret ? begin_result(&w, f, ret) : begin_param(&w, f);
	char *name = fetch_part_field(ret ? path + 1 : path, strlen(path) - !!ret);

	while (found && path[w.done])
		found = step(&w);
	if (found) {
		w.part.type = w.type;
		param_add_part(w.q, &w.part, name, out);
	}
	free(name);
	free(w.q);
	return found;
}
#endif
