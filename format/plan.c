/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "format/bucket.h"
#include "format/plan.h"

enum {
	WORTH_A_TRIAL = 64,  /* values */
	CHUNKS = 32,         /* that a plan is believed for */
	BUDGET_SHARE = 16,   /* for so many events one value may be tried on */
	BUDGET_MAX = 1 << 15,
	LITERALS = 1024,     /* of them that ways to write them are tried on */
	CANDIDATES = 10,
	LEVEL = 1,
	OWN_SHARE = 16,      /* contexts with OWN must be so much better */
};

static const uint8_t masks[2][CANDIDATES] = {
	{
		CONTEXT_PID,
		CONTEXT_CLASS,
		CONTEXT_CLASS | CONTEXT_PID,
		CONTEXT_CLASS | CONTEXT_SEQ,
		CONTEXT_CLASS | CONTEXT_PID | CONTEXT_SEQ,
		CONTEXT_CLASS | CONTEXT_OWN,
		CONTEXT_CLASS | CONTEXT_PID | CONTEXT_OWN,
		CONTEXT_REF,
		CONTEXT_CLASS | CONTEXT_REF,
		CONTEXT_CLASS | CONTEXT_PID | CONTEXT_REF,
	}, {
		/* Common fields: there is no pid yet, and the last value of all events counts. */
		0,
		CONTEXT_CLASS,
		CONTEXT_SEQ,
		CONTEXT_CLASS | CONTEXT_SEQ,
		CONTEXT_CLASS | CONTEXT_OWN,
		CONTEXT_SEQ | CONTEXT_OWN,
		CONTEXT_CLASS | CONTEXT_SEQ | CONTEXT_OWN,
		CONTEXT_REF,
		CONTEXT_CLASS | CONTEXT_REF,
		CONTEXT_CLASS | CONTEXT_SEQ | CONTEXT_REF,
	},
};

int planner_init(struct planner *p, ZSTD_CCtx *z, struct predictors *m, unsigned int most)
{
	p->zstd = z;
	p->predictors = m;
	p->most = most;
	p->hits = malloc((size_t)CANDIDATES * EXCERPT_EVENTS);
	p->scratch = malloc(LITERALS * sizeof(*p->scratch));
	p->excerpt = calloc(1, sizeof(*p->excerpt));
	return p->hits && p->scratch && p->excerpt ? 0 : -1;
}

void planner_free(struct planner *p)
{
	free(p->hits);
	free(p->scratch);
	if (p->excerpt)
		excerpt_free(p->excerpt);
	free(p->excerpt);
	buf_free(&p->literals);
	buf_free(&p->codes);
	buf_free(&p->bits);
	buf_free(&p->out);
}

struct column_plan plan_default(const struct layout_column *c, bool common, uint32_t n)
{
	struct column_plan p = { .literal = LITERAL_BYTES };

	if (n < 8)
		return p;
	p.npredictors = 1;
	p.mask[0] = common ? CONTEXT_CLASS | CONTEXT_SEQ : CONTEXT_CLASS | CONTEXT_PID;
	if (c->kind == TRAWL_TIME)
		p.relative = RELATIVE_TIME;
	if (c->kind == TRAWL_SEQ)
		p.relative = RELATIVE_LAST;
	return p;
}

/* ---- which predictors ------------------------------------------------------------------ */

/*
 * Only the second half of each class counts: in the first, contexts are not yet known. What does
 * not count is as good as done. Returns how many do.
 */
static uint32_t mark_cold(const struct table *t, uint8_t *done)
{
	uint32_t i = 0, hot = 0;

	for (uint32_t c = 0; c < t->nclasses; c++) {
		uint32_t n = t->class_count[c];

		memset(done + i, 1, n / 2);
		memset(done + i + n / 2, 0, n - n / 2);
		i += n;
		hot += n - n / 2;
	}
	return hot;
}

static uint32_t count_new(const uint8_t *hit, const uint8_t *done, uint32_t n)
{
	uint32_t k = 0;

	for (uint32_t i = 0; i < n; i++)
		k += hit[i] > done[i];
	return k;
}

static double bits_of(double part, double whole)
{
	return part > 0 ? part * log2(whole / part) : 0;
}

/*
 * Takes the best candidate, then the one that adds most to it, and so on; marks what is guessed
 * in done. Returns what the codes would cost in bits.
 */
static double choose_masks(struct planner *p, struct table *t, uint32_t column,
			   const uint8_t *candidates, struct column_plan *plan, uint8_t *done)
{
	uint32_t n = t->n, hot, left, enough = 0;
	bool ref = t->layout->columns[column].ref < column;
	double cost = 0;
	int tried;

	hot = left = mark_cold(t, done);
	for (tried = 0; tried < CANDIDATES && enough * 64 < hot * 63; tried++) {
		uint8_t *hit = p->hits + (size_t)tried * EXCERPT_EVENTS;

		if ((candidates[tried] & CONTEXT_REF) && !ref)
			memset(hit, 0, n);
		else
			column_try(t, column, candidates[tried], p->predictors, hit);
		enough = count_new(hit, done, n);
	}
	plan->npredictors = 0;
	while (plan->npredictors < p->most) {
		uint32_t best = 0, most = 0;
		const uint8_t *hit;

		for (int k = 0; k < tried; k++) {
			uint32_t new = count_new(p->hits + (size_t)k * EXCERPT_EVENTS, done, n);

			/* Decoding waits for one residue after the other. */
			if (candidates[k] & CONTEXT_OWN)
				new -= new / OWN_SHARE;
			if (new > most) {
				most = new;
				best = k;
			}
		}
		if (most * 50 < hot || !most)
			break;
		hit = p->hits + (size_t)best * EXCERPT_EVENTS;
		for (uint32_t i = 0; i < n; i++)
			done[i] |= hit[i];
		plan->mask[plan->npredictors++] = candidates[best];
		cost += bits_of(most, hot);
		left -= most;
	}
	return plan->npredictors ? cost + bits_of(left, hot) : 0;
}

/* ---- which literals -------------------------------------------------------------------- */

static double compressed(struct planner *p, const struct buf *b)
{
	size_t n;

	if (!b->len || !buf_reserve(&p->out, ZSTD_compressBound(b->len)))
		return (double)b->len;
	p->out.len = 0;
	n = ZSTD_compressCCtx(p->zstd, p->out.data, p->out.cap, b->data, b->len, LEVEL);
	return ZSTD_isError(n) || n > b->len ? (double)b->len : (double)n;
}

/* The cheapest way to write the n literals in v, in bytes. */
static double choose_literal(struct planner *p, const uint64_t *v, uint32_t n, uint32_t size,
			     struct column_plan *plan)
{
	uint64_t *scratch = p->scratch;
	double best, cost;

	n = n < LITERALS ? n : LITERALS;
	size = column_literal_width(v, n, size);
	p->literals.len = 0;
	for (uint32_t i = 0; i < n; i++)
		buf_put(&p->literals, &v[i], size);
	best = compressed(p, &p->literals);
	plan->literal = LITERAL_BYTES;
	for (int way = LITERAL_PLAIN; way <= LITERAL_DELTA; way++) {
		memcpy(scratch, v, n * sizeof(*v));
		p->codes.len = p->bits.len = 0;
		column_literal_numbers(scratch, n, way);
		bucket_encode(scratch, n, &p->codes, &p->bits);
		cost = compressed(p, &p->codes) + (double)p->bits.len;
		if (cost < best) {
			best = cost;
			plan->literal = way;
		}
	}
	return best;
}

/* ---- both, for each way of making values relative ----------------------------------------- */

static double try_relative(struct planner *p, struct table *t, uint32_t column, unsigned int how,
			   const uint8_t *candidates, struct column_plan *plan)
{
	const struct layout_column *c = &t->layout->columns[column];
	uint64_t *missed = t->literal;
	uint32_t n = 0;
	double cost;

	plan->relative = how;
	plan->literal = LITERAL_BYTES;
	column_relate(t, column, how);
	cost = choose_masks(p, t, column, candidates, plan, t->codes) / 8;
	for (uint32_t i = 0; i < t->n; i++) {
		missed[n] = t->residue[i];
		n += !t->codes[i];
	}
	if (!n)
		return cost;
	return cost + choose_literal(p, missed, n, c->string ? 4 : c->size, plan) * n /
			      (n < LITERALS ? n : LITERALS);
}

/* The mean length in bits of the sample's numbers, made relative in t->residue. */
static double mean_bits(const struct table *t)
{
	uint64_t total = 0;

	for (uint32_t i = 0; i < t->n; i++) {
		uint64_t z = zigzag(t->residue[i]);

		total += z ? 64 - __builtin_clzll(z) : 0;
	}
	return (double)total / t->n;
}

/* A trial is expensive: an encoding that does not make numbers much shorter is not tried. */
static bool is_hopeful(struct table *t, uint32_t column, unsigned int how, double bits)
{
	const struct layout_column *c = &t->layout->columns[column];

	if (how == RELATIVE_REF && c->ref >= column)
		return false;
	if (how == RELATIVE_TIME && c->size != 8)
		return false;
	column_relate(t, column, how);
	return mean_bits(t) < bits * 0.75;
}

static void choose(struct planner *p, struct table *t, uint32_t column, bool common,
		   struct column_plan *plan)
{
	struct column_plan other;
	double best = try_relative(p, t, column, RELATIVE_ZERO, masks[common], plan), cost, bits;

	if (t->layout->columns[column].string || best < t->n / 16.0)
		return;
	column_relate(t, column, RELATIVE_ZERO);
	bits = mean_bits(t);
	for (int how = RELATIVE_REF; how <= RELATIVE_LAST; how++) {
		if (!is_hopeful(t, column, how, bits))
			continue;
		cost = try_relative(p, t, column, how, masks[common], &other);
		if (cost < best * 0.95) {
			best = cost;
			*plan = other;
		}
	}
}

void plan_chunk(struct planner *p, uint32_t events)
{
	p->budget += events / BUDGET_SHARE;
	if (p->budget > BUDGET_MAX)
		p->budget = BUDGET_MAX;
}

void plan_result(struct plan *p, uint32_t literals, uint32_t n)
{
	uint32_t share = (uint32_t)((uint64_t)literals * 1024 / (n ? n : 1));

	if (!p->chunks)
		p->literals = share;
	p->stale |= n >= WORTH_A_TRIAL && share > p->literals + p->literals / 4 + 16;
}

static bool is_due(const struct planner *p, const struct plan *plan, uint32_t n)
{
	if (n < WORTH_A_TRIAL)
		return false;
	if (!plan->events)
		return true;
	if (n > EXCERPT_EVENTS)
		n = EXCERPT_EVENTS;
	return (plan->stale || plan->chunks >= CHUNKS || plan->events < n / 4) && p->budget > 0;
}

void plan_table(struct planner *p)
{
	p->excerpted = false;
}

/* The table that a column is tried on: all or part of its own. NULL: no memory. */
static struct table *trial_table(struct planner *p, struct table *t, uint32_t column)
{
	uint32_t ref = t->layout->columns[column].ref;

	if (t->n <= EXCERPT_EVENTS)
		return t;
	if (!p->excerpted && excerpt_take(p->excerpt, t))
		return NULL;
	p->excerpted = true;
	excerpt_column(p->excerpt, t, column);
	if (ref < column)
		excerpt_column(p->excerpt, t, ref);
	return &p->excerpt->table;
}

void plan_column(struct planner *p, struct table *t, struct plan *plan, uint32_t column,
		 bool common)
{
	const uint64_t *v = t->value[column];
	struct table *trial;

	plan->chunks++;
	if (!plan->events)
		plan->plan = plan_default(&t->layout->columns[column], common, t->n);
	if (!is_due(p, plan, t->n) || !memcmp(v, v + 1, (t->n - 1) * sizeof(*v)))
		return;
	trial = trial_table(p, t, column);
	if (!trial)
		return;
	choose(p, trial, column, common, &plan->plan);
	if (plan->events)
		p->budget -= trial->n; /* first trials are free */
	plan->events = trial->n;
	plan->chunks = 0;
	plan->stale = false;
}
