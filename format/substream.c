/* SPDX-License-Identifier: MIT */
#include "format/substream.h"

enum {
	MARK_DISTANCE = 4096, /* least bytes of a block: its statistics take about 100 */
	SAMPLE = 4096,
	SAMPLES = 4,
	WINDOW_LOG = 26, /* that of zstd's highest levels */
	SEARCH_LOG = 9,
	TARGET = 999,
	PATIENT_LEVEL = 10, /* from this level on, for offline programs, all is tried */
};

/*
 * Whether the bytes are incompressible: a sample of at most an eighth of them compresses by less
 * than 3 %.
 */
static bool is_noise(ZSTD_CCtx *z, const uint8_t *p, size_t len)
{
	uint8_t out[SAMPLE + SAMPLE / 4];
	size_t total = 0;

	if (len < (size_t)SAMPLES * SAMPLE * 8)
		return false;
	for (int i = 0; i < SAMPLES; i++) {
		size_t n = ZSTD_compressCCtx(z, out, sizeof(out),
					     p + (len - SAMPLE) / (SAMPLES - 1) * i, SAMPLE, 1);

		total += ZSTD_isError(n) ? SAMPLE : n;
	}
	return total > (size_t)SAMPLE * SAMPLES * 97 / 100;
}

/* Whether all parts of the data are incompressible. */
static bool is_all_noise(ZSTD_CCtx *z, const uint8_t *p, size_t len)
{
	for (size_t at = 0; at < len; at += SUBSTREAM_PIECE)
		if (!is_noise(z, p + at, len - at < SUBSTREAM_PIECE ? len - at : SUBSTREAM_PIECE))
			return false;
	return true;
}

/*
 * Writes a frame at o. Returns its length, or 0 if it would not be smaller than the data. base: the
 * offset of data in the substream.
 */
static size_t compress(ZSTD_CCtx *z, const struct substream_way *way, ZSTD_outBuffer o,
		       struct view data, size_t base, const struct marks *marks)
{
	ZSTD_inBuffer in = { data.p, 0, 0 };
	size_t rest, last = 0, len = view_left(&data);

	ZSTD_CCtx_reset(z, ZSTD_reset_session_and_parameters);
	ZSTD_CCtx_setParameter(z, ZSTD_c_compressionLevel, way->level);
	ZSTD_CCtx_setParameter(z, ZSTD_c_minMatch, way->min_match);
	ZSTD_CCtx_setParameter(z, ZSTD_c_hashLog, way->hash_log);
	ZSTD_CCtx_setParameter(z, ZSTD_c_contentSizeFlag, 0);
	if (way->hard) {
		ZSTD_CCtx_setParameter(z, ZSTD_c_windowLog, WINDOW_LOG);
		ZSTD_CCtx_setParameter(z, ZSTD_c_strategy, ZSTD_btultra2);
		ZSTD_CCtx_setParameter(z, ZSTD_c_searchLog, SEARCH_LOG);
		ZSTD_CCtx_setParameter(z, ZSTD_c_targetLength, TARGET);
	}
	ZSTD_CCtx_setPledgedSrcSize(z, len);
	for (size_t i = 0; marks && i < marks->n; i++) {
		size_t at = marks->at[i] - base;

		if (marks->at[i] <= base || at >= len || at - last < MARK_DISTANCE ||
		    len - at < MARK_DISTANCE)
			continue;
		in.size = last = at;
		rest = ZSTD_compressStream2(z, &o, &in, ZSTD_e_flush);
		if (ZSTD_isError(rest) || rest)
			return 0;
	}
	in.size = len;
	rest = ZSTD_compressStream2(z, &o, &in, ZSTD_e_end);
	return ZSTD_isError(rest) || rest || o.pos >= len ? 0 : o.pos;
}

static bool put_piece(struct buf *out, ZSTD_CCtx *z, const struct substream_way *way,
		      struct view data, size_t base, const struct marks *marks)
{
	enum { HEAD = 24 }; /* room for both lengths, which are written at the end */
	size_t at = out->len, n = 0, len = view_left(&data);
	ZSTD_outBuffer room;

	if (!buf_reserve(out, HEAD + ZSTD_compressBound(len)))
		return false;
	/* with a destination of the largest possible size zstd makes no copies */
	room = (ZSTD_outBuffer){ out->data + at + HEAD, ZSTD_compressBound(len), 0 };
	if (way && !is_all_noise(z, data.p, len))
		n = compress(z, way, room, data, base, marks);
	buf_varint(out, len);
	buf_varint(out, n);
	if (n)
		memmove(out->data + out->len, out->data + at + HEAD, n);
	else
		memcpy(out->data + out->len, data.p, n = len);
	out->len += n;
	return true;
}

bool substream_put(struct buf *out, ZSTD_CCtx *z, const struct substream_way *way,
		   struct view data, const struct marks *marks)
{
	bool whole = way && (way->hard || way->level >= PATIENT_LEVEL);
	size_t most = whole ? SUBSTREAM_WHOLE : SUBSTREAM_PIECE, len = view_left(&data);

	for (size_t at = 0; at < len; at += most) {
		size_t n = len - at < most ? len - at : most;
		struct view piece = { data.p + at, data.p + at + n, false };

		if (!put_piece(out, z, way, piece, at, marks))
			return false;
	}
	buf_varint(out, 0);
	return !out->failed;
}

/* Adds up the lengths of all pieces, to check them before anything is allocated. */
static bool measure(struct view in, size_t max, size_t *total)
{
	*total = 0;
	for (;;) {
		size_t raw = view_varint_max(&in, max - *total);
		size_t stored;

		if (in.bad)
			return false;
		if (!raw)
			return true;
		stored = view_varint_max(&in, max);
		view_bytes(&in, stored ? stored : raw);
		*total += raw;
	}
}

bool substream_get(struct view *in, ZSTD_DCtx *z, size_t max, struct room *room,
		 struct view *out)
{
	size_t total, at = 0, raw, stored;
	uint8_t *data;

	in->bad = !measure(*in, max, &total);
	if (in->bad)
		return false;
	data = room_for(room, total + SUBSTREAM_PAD);
	if (!data)
		return false;
	while ((raw = view_varint(in)) != 0) {
		const uint8_t *p;

		stored = view_varint(in);
		p = view_bytes(in, stored ? stored : raw);
		if (!stored)
			memcpy(data + at, p, raw);
		else if ((in->bad = ZSTD_decompressDCtx(z, data + at, raw, p, stored) != raw))
			return false;
		at += raw;
	}
	memset(data + total, 0, SUBSTREAM_PAD);
	*out = (struct view){ data, data + total, false };
	return true;
}
