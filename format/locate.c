/* SPDX-License-Identifier: MIT */
/*
 * Finds the sections of a file. Goes backwards from the end of the file: a section's end block says
 * where the section begins and where its index is. When a section has no valid end block or index,
 * everything before it is scanned block by block: the whole file, if it is cut.
 */
#include <errno.h>

#include "format/intake.h"
#include "format/memory.h"
#include "format/locate.h"
#include "format/rule.h"

/* ---- is it a trawl file? ----------------------------------------------------------------- */

enum { FRONT_SEARCH = 1 << 20 };

static const char pcap[] =
	"a pcap file: trawl-edit import makes a trawl file of it, if it holds USB";

static const char swapped[] = "a pcapng file of a big-endian machine; open it with Wireshark; if "
			      "it holds USB, trawl-edit import makes a trawl file of it";

static const char *foreign_name(const uint8_t *p, size_t n)
{
	static const struct {
		const char *magic, *name;
	} known[] = {
		{ "\xd4\xc3\xb2\xa1", pcap }, { "\xa1\xb2\xc3\xd4", pcap },
		{ "\x4d\x3c\xb2\xa1", pcap }, { "\xa1\xb2\x3c\x4d", pcap }, /* ns */
		{ "\x34\xcd\xb2\xa1", pcap }, { "\xa1\xb2\xcd\x34", pcap }, /* modified */
		{ "\x28\xb5\x2f\xfd", "compressed with zstd: unpack it with zstd -d" },
		{ "\x1f\x8b\x08", "compressed with gzip: unpack it with gunzip" },
		{ "\x7f" "ELF", "an ELF file: trawl -i uprobe: records what it does" },
		{ "\x17\x08\x44t", "a trace-cmd file: trace-cmd report shows it" },
		{ "PERF", "a perf.data file: perf script shows it" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		size_t len = strlen(known[i].magic);

		if (n >= len && !memcmp(p, known[i].magic, len))
			return known[i].name;
	}
	if (n >= 12 && get32(p) == PCAPNG_SHB && be32toh(get32(p + 8)) == PCAPNG_BOM)
		return swapped;
	return NULL;
}

int probe_front(struct trawl_reader *r, struct trawl_error *err)
{
	static const uint8_t shb[4] = { 0x0a, 0x0d, 0x0d, 0x0a };
	const char *name;
	const uint8_t *p;
	size_t got;

	p = input_at(&r->in, 0, 12, &got);
	if (r->in.error)
		return reader_unread(r, err);
	if (!got)
		return trawl_fail(err, TRAWL_CANNOT, "%s: is empty: no capture was written to it; "
				  "give another file", r->name);
	if (!memcmp(p, shb, got < 4 ? got : 4) && (got < 12 || get32(p + 8) == PCAPNG_BOM))
		return 0;
	/*
	 * Checked before the search: an archive may contain the first bytes of a file uncompressed.
	 */
	name = foreign_name(p, got);
	p = input_at(&r->in, 0, FRONT_SEARCH, &got);
	if (!name && memmem(p, got, block_uuid, sizeof(block_uuid)))
		return 0;
	if (name)
		return trawl_fail(err, TRAWL_CANNOT, "%s: is not a trawl file but %s", r->name,
				  name);
	return trawl_fail(err, TRAWL_CANNOT, "%s: is not a trawl file; give one, or a pcap, "
			  "pcapng or usbmon text file with USB", r->name);
}

int walk_fault(struct trawl_reader *r, enum walk step, const struct walked *f,
	       struct trawl_error *err)
{
	if (step == WALK_NEWER)
		return trawl_fail(err, TRAWL_CANNOT, "%s: is of format version %d, newer than the "
				  "%d that this program reads; use a newer trawl", r->name,
				  f->b.version, FORMAT_VERSION);
	if (step == WALK_ERROR)
		return reader_unread(r, err);
	/* The unreadable part precedes sections that can be read. */
	if (r->index_used)
		return 0;
	if (!r->ours && !r->damage.cut &&
	    (f->b.type == PCAPNG_SHB || f->b.type == PCAPNG_JOURNAL)) {
		r->damage.cut = true; /* the file ends after its first pcapng blocks */
		r->damage.cut_at = f->at + f->b.len;
	}
	if (!r->ours && r->damage.ours)
		return trawl_fail(err, TRAWL_BAD_DATA,
				  "%s: is a trawl file of which nothing can be read: %s; get "
				  "another copy of it",
				  r->name,
				  r->damage.blocks == 1 ? "its one block, which holds all of it, "
							  "is damaged"
							: "none of its blocks is whole");
	if (!r->ours && r->damage.cut && !r->catalog.sections.n)
		return trawl_fail(err, TRAWL_BAD_DATA, "%s: is cut within its first block, so "
				  "nothing of it can be read; get another copy of it", r->name);
	if (!r->ours && !r->damage.cut)
		return trawl_fail(err, TRAWL_CANNOT, "%s: is a pcapng file that trawl did not "
				  "write; open it with Wireshark; if it holds USB, trawl-edit "
				  "import makes a trawl file of it", r->name);
	return 0;
}

bool trawl_is_ours(int fd)
{
	struct input in;
	bool ours;

	input_fd(&in, fd);
	/* after a read error the file counts as ours, so that trawl_open() reports the error */
	ours = in.seekable && (walk_finds_own(&in, 0) || in.error);
	input_release(&in);
	return ours;
}

/* ---- by the index ------------------------------------------------------------------------ */

struct located {
	uint64_t start, end; /* offsets of the section in the file; end: after its end block */
	struct end_mark mark;
	uint64_t *index;     /* offsets of its index blocks, newest first */
	size_t nindex;
	uint64_t events, chunks;
};

/* Whether the listed chunks lie in the section and do not overlap; *after: end of the last one. */
static bool refs_ok(struct view refs, struct located *l, uint64_t *first, uint64_t *after)
{
	struct chunk_ref c;

	while (index_ref_get(&refs, &c)) {
		if (c.at < *after || c.at > l->mark.section || c.len > l->mark.section - c.at ||
		    c.len < BLOCK_OVERHEAD + CHUNK_HEAD || c.source >= SOURCES_MAX ||
		    c.first > c.last)
			return false;
		*first = *after ? *first : c.at;
		*after = c.at + c.len;
		l->events += c.count;
		l->chunks++;
	}
	return !view_left(&refs);
}

/* Whether an index block is plausible: its chunks precede those of the next index block. */
static bool index_ok(struct view body, struct located *l, uint64_t *before)
{
	uint64_t first = *before, after = 0, at;
	enum block_kind kind;
	struct view item;

	while (index_next(&body, &kind, &at, &item))
		if (kind == BLOCK_REFS && !refs_ok(item, l, &first, &after))
			return false;
	if (body.bad || after > *before)
		return false;
	*before = first;
	return true;
}

/* Follows the chain of index blocks backwards from the end block; false if it is not plausible. */
static bool index_chain(struct trawl_reader *r, struct located *l)
{
	uint64_t at = l->mark.section - l->mark.index, back, before = l->mark.section;
	struct buf chain = { 0 };
	struct view body;
	bool ok = false;

	if (!l->mark.index || l->mark.index > l->mark.section)
		return false;
	for (;;) {
		if (!reader_index(r, l->start + at, &body))
			goto out;
		buf_u64(&chain, at);
		back = view_u64(&body);
		if (body.bad || chain.failed || back > at || !index_ok(body, l, &before))
			goto out;
		if (!back)
			break;
		at -= back;
	}
	ok = l->events == l->mark.events && l->chunks == l->mark.chunks;
out:
	l->index = (uint64_t *)chain.data;
	l->nindex = chain.len / sizeof(uint64_t);
	return ok;
}

/* Adds the copies in an index block to the catalog, and its chunks as a segment. */
static bool index_take_up(struct trawl_reader *r, struct section *s, uint64_t index)
{
	enum block_kind kind;
	struct view body, item;
	uint32_t chunks = 0;
	uint64_t at;

	if (!reader_index(r, s->start + index, &body))
		return false;
	view_u64(&body);
	while (index_next(&body, &kind, &at, &item)) {
		if (kind == BLOCK_REFS)
			chunks += (uint32_t)(view_left(&item) / INDEX_REF);
		else if (!catalog_add(&r->catalog, s, kind, at, &item))
			damage_add(&r->damage, s->start + at, RULE_BODY); /* or memory ran out */
	}
	if (budget_failed(&r->catalog.budget))
		return false;
	catalog_thin(&r->catalog, s, 0);
	errno = 0;
	if (catalog_segment(s, index, chunks))
		return true;
	r->catalog.budget.exhausted |= errno == ENOMEM;
	return false;
}

/*
 * Whether the section at `start` has a start block of a newer version. Then even its blocks of a
 * known version may have another meaning.
 */
static bool is_newer(struct trawl_reader *r, uint64_t start, uint64_t end)
{
	struct damage ignored = { 0 };
	struct walked f;
	struct walker w;
	enum walk step;

	walk_init(&w, &r->in, &ignored, start, end);
	while ((step = walk_next(&w, &f)) == WALK_BLOCK)
		if (f.b.kind != BLOCK_FOREIGN)
			return false;
	return step == WALK_NEWER;
}

/*
 * Finds the section whose end block ends at `end`. Returns false for a newer one: scan() refuses
 * it.
 */
static bool locate_one(struct trawl_reader *r, uint64_t end, struct located *l)
{
	struct view body;
	uint32_t len;
	const uint8_t *p;
	struct block b;
	size_t got;

	memset(l, 0, sizeof(*l));
	l->end = end;
	if (end < END_BLOCK ||
	    !reader_own_body(r, end - END_BLOCK, BLOCK_END, &body, &len) || len != END_BLOCK ||
	    !end_get(&body, &l->mark) || l->mark.section > end - END_BLOCK)
		return false;
	l->start = end - END_BLOCK - l->mark.section;
	p = input_at(&r->in, l->start, 12, &got);
	if (got < 12 || block_head(p, got, &b) != BLOCK_OK || b.type != PCAPNG_SHB)
		return false;
	return !is_newer(r, l->start, end) && index_chain(r, l);
}

static int add_located(struct trawl_reader *r, struct located *l, struct trawl_error *err)
{
	struct section *s = catalog_section(&r->catalog, l->start);

	if (!s)
		return reader_no_memory(r, err);
	s->end = l->end;
	s->ended = s->indexed = true;
	r->ours = true;
	r->events += l->events;
	r->chunks += l->chunks;
	for (size_t i = l->nindex; i-- > 0;)
		if (!index_take_up(r, s, le64toh(l->index[i]))) {
			if (budget_failed(&r->catalog.budget))
				return reader_no_memory(r, err);
			if (!r->in.error)
				r->in.error = ESTALE;
			return reader_unread(r, err);
		}
	catalog_settle(&r->catalog, s);
	return 0;
}

/* ---- by scanning ------------------------------------------------------------------------- */

static int scan(struct trawl_reader *r, uint64_t end, struct trawl_error *err)
{
	struct walked f = { 0 };
	enum walk step;

	walk_init(&r->walk, &r->in, &r->damage, 0, end);
	while ((step = walk_next(&r->walk, &f)) == WALK_BLOCK) {
		if (!r->ours && block_is_packet(&f.b)) {
			if (!r->index_used && !walk_finds_own(&r->in, f.at))
				return walk_fault(r, WALK_END, &f, err);
			r->ours = true; /* a section of trawl follows a foreign one */
			damage_add(&r->damage, f.at, RULE("Damage", "packets precede the sections"));
		}
		if (!reader_take(r, &f))
			return reader_no_memory(r, err);
	}
	for (size_t i = 0; i < r->catalog.sections.n; i++)
		catalog_settle(&r->catalog, r->catalog.sections.p[i]);
	return walk_fault(r, step, &f, err);
}

int locate(struct trawl_reader *r, struct trawl_error *err)
{
	uint64_t end = r->in.size;
	struct located *l = NULL;
	size_t n = 0, cap = 0;
	int ret = -1;

	for (;;) {
		if (!array_reserve(l, cap, n + 1)) {
			reader_no_memory(r, err);
			goto out;
		}
		if (!end)
			break;
		if (!locate_one(r, end, &l[n])) {
			free(l[n].index);
			break;
		}
		end = l[n++].start;
	}
	r->index_used = n > 0;
	if (end && scan(r, end, err))
		goto out;
	ret = 0;
	for (size_t i = n; !ret && i-- > 0;)
		ret = add_located(r, &l[i], err);
out:
	while (n)
		free(l[--n].index);
	free(l);
	return ret;
}

int locate_check(struct trawl_reader *r, struct trawl_error *err)
{
	struct walked f = { 0 };
	struct view body;
	enum walk step;

	for (size_t i = 0; i < r->catalog.sections.n; i++) {
		struct section *s = r->catalog.sections.p[i];

		if (!s->indexed)
			continue;
		walk_init(&r->walk, &r->in, &r->damage, s->start, s->end);
		while ((step = walk_next(&r->walk, &f)) == WALK_BLOCK)
			if (f.b.kind == BLOCK_SOURCE &&
			    (!reader_body(r, f.p, &f.b, &body) || view_left(&body) < 16 ||
			     get64(body.p + 8) != f.interface))
				damage_add(&r->damage, f.at, RULE_INTERFACE);
		if (step == WALK_ERROR)
			return walk_fault(r, step, &f, err);
	}
	if (budget_failed(&r->catalog.budget))
		return reader_no_memory(r, err);
	return 0;
}
