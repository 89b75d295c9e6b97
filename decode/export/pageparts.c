/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "decode/export/pageparts.h"

#include "decode/base/escape.h"

#include <stdlib.h>
#ifdef HAVE_ZLIB
#include <zlib.h>
#endif

static const char page_html[] =
#include "decode/export/page/page.html.inc"
;
static const char page_css[] =
#include "decode/export/page/page.css.inc"
;
static const char page_js[] =
#include "decode/export/page/page.js.inc"
;
/* Hashes of the style and the program, which the page's policy requires. */
static const char css_hash[] =
#include "decode/export/page/page.css.sum.inc"
;
static const char js_hash[] =
#include "decode/export/page/page.js.sum.inc"
;

/* Writes the document up to the next mark "{{NAME}}" and returns what follows the mark. */
static const char *up_to_mark(struct out *o, const char *p)
{
	const char *mark = strstr(p, "{{"), *end = mark ? strstr(mark, "}}") : NULL;

	out_bytes(o, p, mark ? (size_t)(mark - p) : strlen(p));
	return end ? end + 2 : p + strlen(p);
}

static void escaped(struct out *o, const char *text)
{
	struct out safe;

	out_memory(&safe);
	out_safe(&safe, text, strlen(text));
	for (size_t i = 0; i < safe.len; i++)
		switch (safe.data[i]) {
		case '<': out_str(o, "&lt;"); break;
		case '>': out_str(o, "&gt;"); break;
		case '&': out_str(o, "&amp;"); break;
		case '"': out_str(o, "&quot;"); break;
		default: out_char(o, safe.data[i]);
		}
	out_free(&safe);
}

/* Returns what follows a mark of the document. */
static const char *after_mark(const char *mark)
{
	const char *p = strstr(page_html, mark);

	return p ? p + strlen(mark) : "";
}

void page_begin(struct out *o, const char *title)
{
	const char *p = page_html;

	p = up_to_mark(o, p);
	out_str(o, css_hash);
	p = up_to_mark(o, p);
	out_str(o, js_hash);
	p = up_to_mark(o, p);
	escaped(o, title);
	p = up_to_mark(o, p);
	out_str(o, page_css);
	up_to_mark(o, p);
}

void page_program(struct out *o)
{
	const char *p = up_to_mark(o, after_mark("{{CORE}}"));

	out_str(o, page_js);
	up_to_mark(o, p);
}

void page_end(struct out *o)
{
	up_to_mark(o, after_mark("{{DATA}}"));
}

static void base64(struct out *o, const unsigned char *p, size_t n)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < n; i += 3) {
		uint32_t v = (uint32_t)p[i] << 16 | (i + 1 < n ? (uint32_t)p[i + 1] << 8 : 0) |
			     (i + 2 < n ? p[i + 2] : 0);
		char *q = out_need(o, 4);

		q[0] = digits[v >> 18];
		q[1] = digits[v >> 12 & 63];
		q[2] = i + 1 < n ? digits[v >> 6 & 63] : '=';
		q[3] = i + 2 < n ? digits[v & 63] : '=';
		o->len += 4;
	}
}

#ifdef HAVE_ZLIB
bool page_possible(void)
{
	return true;
}

static void piece(struct out *o, const char *id, const unsigned char *p, size_t n)
{
	out_str(o, "<script type=\"application/octet-stream\" id=\"d-");
	out_str(o, id);
	out_str(o, "\">");
	base64(o, p, n);
	out_str(o, "</script>\n");
}

bool page_piece(struct out *o, const char *id, const void *p, size_t n)
{
	uLongf len = compressBound(n);
	unsigned char *to = malloc(len);
	bool ok = to && compress2(to, &len, p, n, n > 4 << 20 ? 6 : 9) == Z_OK;

	if (ok)
		piece(o, id, to, len);
	free(to);
	return ok;
}

/* Appends the text as deflate blocks (RFC 1951), which end at a byte; Z_FINISH ends the stream. */
static bool append_blocks(struct page_text *t, int flush)
{
	z_stream z = { .next_in = (unsigned char *)t->text.data, .avail_in = (uInt)t->text.len };
	int status = deflateInit2(&z, 6, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);

	if (status != Z_OK)
		return false;
	do {
		z.next_out = (unsigned char *)out_need(&t->packed, OUT_NEED);
		z.avail_out = OUT_NEED;
		status = deflate(&z, flush);
		t->packed.len += OUT_NEED - z.avail_out;
	} while (status == Z_OK && !z.avail_out);
	deflateEnd(&z);
	/* Z_BUF_ERROR: all was written when the output had just been full */
	return status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR;
}

bool page_text_pack(struct page_text *t)
{
	bool ok = !t->text.error && t->text.len <= UINT32_MAX;

	if (!t->packed.len) {
		out_bytes(&t->packed, "\x78\x9c", 2); /* RFC 1950: deflate, a window of 32 KiB */
		t->check = (uint32_t)adler32(0, NULL, 0);
	}
	ok = ok && append_blocks(t, Z_SYNC_FLUSH) && !t->packed.error;
	t->check = (uint32_t)adler32(t->check, (unsigned char *)t->text.data, (uInt)t->text.len);
	out_free(&t->text);
	out_memory(&t->text);
	return ok;
}

bool page_text_write(struct out *o, const char *id, struct page_text *t)
{
	const struct out *packed = &t->packed;

	if (!packed->len)
		return !t->text.error && page_piece(o, id, t->text.data, t->text.len);
	if (!page_text_pack(t) || !append_blocks(t, Z_FINISH))
		return false;
	for (int shift = 24; shift >= 0; shift -= 8)
		out_char(&t->packed, (char)(t->check >> shift));
	if (!packed->error)
		piece(o, id, (const unsigned char *)packed->data, packed->len);
	return !packed->error;
}
#else
bool page_possible(void)
{
	return false;
}

bool page_piece(struct out *o, const char *id, const void *p, size_t n)
{
	return false;
}

bool page_text_pack(struct page_text *t)
{
	return false;
}

bool page_text_write(struct out *o, const char *id, struct page_text *t)
{
	return false;
}
#endif

void page_text_init(struct page_text *t)
{
	out_memory(&t->text);
	out_memory(&t->packed);
}

void page_text_free(struct page_text *t)
{
	out_free(&t->text);
	out_free(&t->packed);
}
