/* SPDX-License-Identifier: MIT */
#include "capture/probe/wire.h"

#include "capture/sys/alloc.h"

static void put(struct wire_out *o, const void *p, size_t n)
{
	if (!array_reserve(o->p, o->room, o->n + n))
		alloc_checked(NULL);
	memcpy(o->p + o->n, p, n);
	o->n += n;
}

void wire_put_number(struct wire_out *o, uint64_t v)
{
	put(o, &v, sizeof(v));
}

void wire_put_text(struct wire_out *o, const char *s)
{
	wire_put_number(o, s ? strlen(s) : UINT64_MAX);
	if (s)
		put(o, s, strlen(s));
}

uint64_t wire_number(struct wire_in *in, uint64_t most)
{
	uint64_t v;

	if (in->bad || in->left < sizeof(v)) {
		in->bad = true;
		return 0;
	}
	memcpy(&v, in->p, sizeof(v));
	in->p += sizeof(v);
	in->left -= sizeof(v);
	if (v <= most)
		return v;
	in->bad = true;
	return 0;
}

bool wire_line(unsigned char c)
{
	return c >= ' ' && c != 127;
}

bool wire_any(unsigned char c)
{
	return c != '\0';
}

char *wire_text(struct wire_in *in, size_t most, wire_allowed_fn *allowed)
{
	uint64_t n = wire_number(in, UINT64_MAX);
	char *s;

	if (n == UINT64_MAX && !in->bad)
		return NULL;
	if (n > most || n > in->left)
		in->bad = true;
	if (in->bad)
		return xstrdup("");
	for (size_t i = 0; i < n; i++)
		in->bad |= !allowed((unsigned char)in->p[i]);
	s = xstrndup(in->p, n);
	in->p += n;
	in->left -= n;
	return s;
}

char *wire_need_text(struct wire_in *in, size_t most, wire_allowed_fn *allowed)
{
	char *s = wire_text(in, most, allowed);

	in->bad |= !s;
	return s ? s : xstrdup("");
}
