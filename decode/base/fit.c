/* SPDX-License-Identifier: MIT */
#include "decode/base/fit.h"
#include "common/array.h"
#include "common/utf8.h"

#include <sys/ioctl.h>
#include <unistd.h>

unsigned int fit_terminal(int fd)
{
	struct winsize w;

	return isatty(fd) && !ioctl(fd, TIOCGWINSZ, &w) ? w.ws_col : 0;
}

/* A character: its number of bytes, and of columns at its place in the line. */
struct glyph {
	size_t bytes;
	unsigned int columns;
};

/*
 * Whether a character may take two columns: East Asian characters and emoji, by blocks. wcwidth()
 * is exact, but needs locale files, which the sandbox cannot open. If a part of a block is wide,
 * all of it counts as wide: a line may be cut too early, but is never too long.
 */
static bool is_wide(uint32_t c)
{
	static const uint32_t blocks[][2] = {
		{0x1100, 0x115f},   {0x231a, 0x231b},   {0x2329, 0x232a},   {0x23e9, 0x23f3},
		{0x25fd, 0x25fe},   {0x2600, 0x27bf},   {0x2b1b, 0x2b55},   {0x2e80, 0x303e},
		{0x3040, 0xa4cf},   {0xa960, 0xa97c},   {0xac00, 0xd7a3},   {0xf900, 0xfaff},
		{0xfe10, 0xfe19},   {0xfe30, 0xfe6f},   {0xff00, 0xff60},   {0xffe0, 0xffe6},
		{0x16fe0, 0x18dff}, {0x1aff0, 0x1b2ff}, {0x1f004, 0x1faff}, {0x20000, 0x3fffd},
	};

	for (size_t i = 0; i < ARRAY_SIZE(blocks) && c >= blocks[i][0]; i++)
		if (c <= blocks[i][1])
			return true;
	return false;
}

/* Whether a character is combined with the previous one, and takes no column. */
static bool is_combining(uint32_t c)
{
	return (c >= 0x300 && c <= 0x36f) || (c >= 0x200b && c <= 0x200f) ||
	       (c >= 0x20d0 && c <= 0x20ff) || (c >= 0xfe00 && c <= 0xfe0f) ||
	       (c >= 0xfe20 && c <= 0xfe2f);
}

static struct glyph colour_code(const char *p, size_t n)
{
	size_t i = 1;

	while (i < n && p[i] != 'm')
		i++;
	return (struct glyph){i < n ? i + 1 : n, 0};
}

/* Returns the first character of n > 0 bytes. An invalid byte takes a column. */
static struct glyph glyph_at(const char *p, size_t n, unsigned int column)
{
	const uint8_t *u = (const uint8_t *)p;
	size_t bad, length = utf8_length(u, n, &bad);
	uint32_t c;

	if (*p == '\033')
		return colour_code(p, n);
	if (*p == '\t')
		return (struct glyph){1, 8 - column % 8};
	if (length <= 1)
		return (struct glyph){1, 1};
	c = u[0] & (0x7fu >> length);
	for (size_t i = 1; i < length; i++)
		c = c << 6 | (u[i] & 0x3f);
	return (struct glyph){length, is_wide(c) ? 2 : is_combining(c) ? 0 : 1};
}

/*
 * Returns how many bytes of p fit into `columns`; *column: the columns used before, and after them.
 */
static size_t that_fit(const char *p, size_t n, unsigned int columns, unsigned int *column)
{
	size_t at = 0;

	while (at < n) {
		struct glyph g = glyph_at(p + at, n - at, *column);

		if (*column + g.columns > columns)
			break;
		*column += g.columns;
		at += g.bytes;
	}
	return at;
}

/* Removes the newline from the length; returns whether there was one. */
static bool take_end(const char *line, size_t *n)
{
	bool had = *n && line[*n - 1] == '\n';

	*n -= had;
	return had;
}

void fit_cut(struct out *o, const char *line, size_t n, unsigned int columns)
{
	const unsigned int mark = columns < 3 ? columns : 3;
	bool end = take_end(line, &n);
	unsigned int column = 0;
	size_t at = that_fit(line, n, columns, &column);

	if (at < n) {
		column = 0;
		at = that_fit(line, n, columns - mark, &column);
		out_bytes(o, line, at);
		out_fill(o, '.', mark);
	} else {
		out_bytes(o, line, n);
	}
	while (at < n) {
		struct glyph g = glyph_at(line + at, n - at, 0);

		if (line[at] == '\033')
			out_bytes(o, line + at, g.bytes);
		at += g.bytes;
	}
	if (end)
		out_char(o, '\n');
}

static size_t blanks(const char *p, size_t n)
{
	size_t i = 0;

	while (i < n && (p[i] == ' ' || p[i] == '\t'))
		i++;
	return i;
}

/*
 * Returns where to break a line of which `fits` bytes fit: after its last whole word, or at `fits`.
 */
static size_t break_at(const char *p, size_t from, size_t fits)
{
	size_t at = fits;

	while (at > from && p[at] != ' ')
		at--;
	while (at > from && p[at - 1] == ' ')
		at--;
	return at > from ? at : fits;
}

void fit_fold(struct out *o, const char *line, size_t n, unsigned int columns)
{
	bool end = take_end(line, &n);
	size_t indent = blanks(line, n), fits;
	unsigned int column = 0, hang = 0;

	that_fit(line, indent, UINT16_MAX, &hang);
	hang = hang + 2 <= columns / 2 ? hang + 2 : 0;
	while ((fits = that_fit(line, n, columns, &column)) < n) {
		size_t at = break_at(line, indent, fits);

		if (!at) /* the terminal is narrower than a character */
			break;
		out_bytes(o, line, at);
		out_char(o, '\n');
		at += blanks(line + at, n - at);
		line += at;
		n -= at;
		indent = 0;
		column = hang;
		if (n)
			out_fill(o, ' ', hang);
	}
	out_bytes(o, line, n);
	if (end)
		out_char(o, '\n');
}

static void fold_one(struct folded *f, const char *p, size_t n)
{
	if (f->line.len) {
		out_bytes(&f->line, p, n);
		p = f->line.data;
		n = f->line.len;
	}
	fit_fold(&f->to, p, n, f->columns);
	f->line.len = 0;
}

static int folded_through(void *arg, const char *p, size_t n)
{
	struct folded *f = arg;
	const char *end = p + n, *eol;

	while (p < end && (eol = memchr(p, '\n', (size_t)(end - p)))) {
		fold_one(f, p, (size_t)(eol + 1 - p));
		p = eol + 1;
	}
	out_bytes(&f->line, p, (size_t)(end - p));
	if (f->line.error)
		return f->line.error;
	out_flush(&f->to);
	return f->to.error;
}

void folded_start(struct folded *f, struct out *o, unsigned int columns)
{
	f->columns = columns;
	out_open(&f->to, o->fd);
	out_memory(&f->line);
	o->through = folded_through;
	o->arg = f;
}

void folded_end(struct folded *f)
{
	if (!f->columns)
		return;
	if (f->line.len)
		fold_one(f, "", 0);
	out_flush(&f->to);
	out_free(&f->to);
	out_free(&f->line);
}
