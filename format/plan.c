/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "format/bucket.h"
#include "format/plan.h"

enum {
	WORTH_A_TRIAL = 64,  /* fewest values of a column for which plans are tried */
	BUDGET_SHARE = 16,   /* trials may process one value for this many events */
	BUDGET_MAX = 1 << 15,
	OWN_SHARE = 16,      /* contexts with OWN must be better by 1/OWN_SHARE */
	REFS = 8,            /* number of earlier columns that are tried as ref */
};

/*
 * How much is tried at a level. A recorder has little time. Where all is tried, a reader's time
 * limits what is taken: each predictor costs it a lookup for every value, so one that guesses fewer
 * than a tenth of them is left out. That makes files of scheduler events 1 % larger or smaller, and
 * keeps reading as fast as that of the recorder's file (`make compact-check`).
 */
struct effort {
	bool refs;             /* also tries which column to refer to */
	unsigned int most;     /* most predictors of a column */
	uint32_t events;       /* of an excerpt */
	uint32_t literals;     /* on how many literals their encodings are tried */
	int level;             /* zstd's, in such a trial */
	uint32_t chunks;       /* after how many chunks a plan is tried again */
	uint32_t least;        /* a predictor must guess at least one of so many values */
	uint32_t small;        /* a column that takes a byte for so many events is not improved */
	double hopeful, gain;  /* another way must need at most this share of bits, of bytes */
	const uint8_t *masks[2]; /* for own and for common fields, in the order of trial */
	uint32_t nmasks[2];
};

static const uint8_t quick_masks[] = {
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
};

/* For common fields: they have no pid context, and OWN is the last value of all events. */
static const uint8_t quick_common_masks[] = {
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
};

/* Those of plan_default() and those that decode fastest first: the first of equal ones is taken. */
static const uint8_t all_masks[] = {
	0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
	16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
};

static const uint8_t all_common_masks[] = {
	0, 1, 4, 5, 8, 9, 12, 13, 16, 17, 20, 21, 24, 25, 28, 29,
};

enum { QUICK = 4, HARD = 20 }; /* zstd levels: least effort up to QUICK, most from HARD on */

static const struct effort efforts[] = {
	{ .most = 2, .events = 2048, .literals = 1024, .level = 1, .chunks = 32, .least = 50,
	  .small = 16, .hopeful = 0.75, .gain = 0.95,
	  .masks = { quick_masks, quick_common_masks },
	  .nmasks = { sizeof(quick_masks), sizeof(quick_common_masks) } },
	{ .most = 3, .events = 2048, .literals = 1024, .level = 1, .chunks = 32, .least = 50,
	  .small = 16, .hopeful = 0.75, .gain = 0.95,
	  .masks = { quick_masks, quick_common_masks },
	  .nmasks = { sizeof(quick_masks), sizeof(quick_common_masks) } },
	{ .refs = true, .most = 3, .events = 1 << 16, .literals = 1 << 14, .level = 12,
	  .chunks = 1, .least = 10, .small = 400, .hopeful = 0.98, .gain = 0.97,
	  .masks = { all_masks, all_common_masks },
	  .nmasks = { sizeof(all_masks), sizeof(all_common_masks) } },
};

bool planner_init(struct planner *p, ZSTD_CCtx *z, struct predictors *m, int level)
{
	const struct effort *e = &efforts[level <= QUICK ? 0 : level < HARD ? 1 : 2];

	p->zstd = z;
	p->predictors = m;
	p->effort = e;
	p->hits = malloc((size_t)CONTEXT_MASKS * e->events);
	p->scratch = malloc(e->literals * sizeof(*p->scratch));
	return p->hits && p->scratch && excerpt_init(&p->excerpt, e->events);
}

void planner_free(struct planner *p)
{
	free(p->hits);
	free(p->scratch);
	excerpt_free(&p->excerpt);
	buf_free(&p->literals);
	buf_free(&p->codes);
	buf_free(&p->bits);
	buf_free(&p->out);
}

bool plan_refers_to_any(const struct planner *p)
{
	return p->effort->refs;
}

/* Returns the plan of a column before anything was tried. */
static struct column_plan plan_default(const struct layout_column *c, bool common, uint32_t n)
{
	struct column_plan p = { .ref = c->ref, .literal = LITERAL_BYTES };

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
 * Only the second half of each class counts, because contexts are empty at first: marks the first
 * half as done. Returns how many values count.
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
 * Takes the best candidate, then the one that adds most to it, and so on; sets done[i] for each
 * value that is guessed. Returns the size of the codes in bits.
 */
static double choose_masks(struct planner *p, struct table *t, uint32_t column, bool common,
			   struct column_plan *plan, uint8_t *done)
{
	const uint8_t *candidates = p->effort->masks[common];
	uint32_t n = t->n, hot, left, enough = 0, tried;
	bool ref = table_can_refer(t, column, plan->ref);
	double cost = 0;

	hot = left = mark_cold(t, done);
	for (tried = 0; tried < p->effort->nmasks[common] && enough * 64 < hot * 63; tried++) {
		uint8_t *hit = p->hits + (size_t)tried * p->effort->events;

		if ((candidates[tried] & CONTEXT_REF) && !ref)
			memset(hit, 0, n);
		else
			column_try(t, plan->ref, candidates[tried], p->predictors, hit);
		enough = count_new(hit, done, n);
	}
	plan->npredictors = 0;
	while (plan->npredictors < p->effort->most) {
		uint32_t best = 0, most = 0;
		const uint8_t *hit;

		for (uint32_t k = 0; k < tried; k++) {
			const uint8_t *guess = p->hits + (size_t)k * p->effort->events;
			uint32_t new = count_new(guess, done, n);

			/* OWN decodes slowly: each context depends on the residue before it. */
			if (candidates[k] & CONTEXT_OWN)
				new -= new / OWN_SHARE;
			if (new > most) {
				most = new;
				best = k;
			}
		}
		if (most * p->effort->least < hot || !most)
			break;
		hit = p->hits + (size_t)best * p->effort->events;
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
	n = ZSTD_compressCCtx(p->zstd, p->out.data, p->out.cap, b->data, b->len,
			      p->effort->level);
	return ZSTD_isError(n) || n > b->len ? (double)b->len : (double)n;
}

/* Chooses the smallest encoding of the n literals in v. Returns its size in bytes. */
static double choose_literal(struct planner *p, const uint64_t *v, uint32_t n, uint32_t size,
			     struct column_plan *plan)
{
	uint64_t *scratch = p->scratch;
	double best, cost;

	n = n < p->effort->literals ? n : p->effort->literals;
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

/* The choice of one column's plan. */
struct choice {
	struct table *table; /* that is tried: the column's own, or the excerpt of it */
	uint32_t column;
	bool common;         /* the table is that of the common fields */
};

static double try_relative(struct planner *p, const struct choice *of, unsigned int how,
			   struct column_plan *plan)
{
	struct table *t = of->table;
	const struct layout_column *c = &t->layout->columns[of->column];
	uint64_t *missed = t->literal;
	uint32_t n = 0, most = p->effort->literals;
	double cost;

	plan->relative = how;
	plan->literal = LITERAL_BYTES;
	column_relate(t, of->column, how, plan->ref);
	cost = choose_masks(p, t, of->column, of->common, plan, t->codes) / 8;
	for (uint32_t i = 0; i < t->n; i++) {
		missed[n] = t->residue[i];
		n += !t->codes[i];
	}
	if (!n)
		return cost;
	return cost + choose_literal(p, missed, n, c->string ? 4 : c->size, plan) * n /
			      (n < most ? n : most);
}

/* Returns the mean length in bits of the residues in t->residue. */
static double mean_bits(const struct table *t)
{
	uint64_t total = 0;

	for (uint32_t i = 0; i < t->n; i++) {
		uint64_t z = zigzag(t->residue[i]);

		total += z ? 64 - __builtin_clzll(z) : 0;
	}
	return (double)total / t->n;
}

/* Trials are expensive: a base is tried only if it makes the residues much shorter. */
static bool is_hopeful(const struct planner *p, const struct choice *of, unsigned int how,
		       uint32_t ref, double bits)
{
	struct table *t = of->table;
	const struct layout_column *c = &t->layout->columns[of->column];

	if (how == RELATIVE_REF && !table_can_refer(t, of->column, ref))
		return false;
	if (how == RELATIVE_TIME && c->size != 8)
		return false;
	column_relate(t, of->column, how, ref);
	return mean_bits(t) < bits * p->effort->hopeful;
}

/* Chooses the best plan with the ref column plan->ref. Returns its size in bytes. */
static double choose(struct planner *p, const struct choice *of, struct column_plan *plan)
{
	struct table *t = of->table;
	struct column_plan other = { .ref = plan->ref };
	double best = try_relative(p, of, RELATIVE_ZERO, plan), cost, bits;

	if (t->layout->columns[of->column].string || best < (double)t->n / p->effort->small)
		return best;
	column_relate(t, of->column, RELATIVE_ZERO, plan->ref);
	bits = mean_bits(t);
	for (int how = RELATIVE_REF; how <= RELATIVE_LAST; how++) {
		if (!is_hopeful(p, of, how, plan->ref, bits))
			continue;
		cost = try_relative(p, of, how, &other);
		if (cost < best * p->effort->gain) {
			best = cost;
			*plan = other;
		}
	}
	return best;
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
	if (p->budget <= 0 && !p->effort->refs)
		return false;
	if (n > p->effort->events)
		n = p->effort->events;
	return plan->stale || plan->chunks >= p->effort->chunks || plan->events < n / 4;
}

void plan_table(struct planner *p)
{
	p->excerpted = false;
}

/* Copies a column of t into the excerpt, if trials use one. */
static void on_trial(struct planner *p, const struct table *trial, const struct table *t,
		     uint32_t column)
{
	if (trial != t)
		excerpt_column(&p->excerpt, t, column);
}

/* Returns the table for trials of a column: t or an excerpt of it. NULL: out of memory. */
static struct table *trial_table(struct planner *p, struct table *t, uint32_t column)
{
	uint32_t ref = t->layout->columns[column].ref;
	struct table *trial = t;

	if (t->n > p->effort->events) {
		if (!p->excerpted && !excerpt_take(&p->excerpt, t))
			return NULL;
		p->excerpted = true;
		trial = &p->excerpt.table;
	}
	on_trial(p, trial, t, column);
	if (ref < column)
		on_trial(p, trial, t, ref);
	return trial;
}

/* Tries plans with ref column `ref`; keeps the better plan. Returns its size in bytes. */
static double try_ref(struct planner *p, const struct choice *of, const struct table *t,
		      uint32_t ref, struct column_plan *plan, double best)
{
	struct column_plan other = { .ref = ref };
	const uint64_t *v = t->value[ref];
	double cost;

	if (best * p->effort->small < t->n || !memcmp(v, v + 1, (t->n - 1) * sizeof(*v)))
		return best;
	on_trial(p, of->table, t, ref);
	cost = choose(p, of, &other);
	if (cost >= best * p->effort->gain)
		return best;
	*plan = other;
	return cost;
}

/* Tries earlier columns and derived numbers as ref, instead of the column that the layout names. */
static void choose_ref(struct planner *p, const struct choice *of, struct table *t,
		       struct column_plan *plan, double best)
{
	uint32_t column = of->column, from = column > REFS ? column - REFS : 0;
	uint32_t numbers = t->layout->nnumbers, columns = t->layout->ncolumns;

	for (uint32_t ref = from; ref < column && ref < numbers; ref++)
		if (ref != t->layout->columns[column].ref)
			best = try_ref(p, of, t, ref, plan, best);
	for (uint32_t ref = columns; ref < columns + REFS_DERIVED; ref++) {
		if (t->layout->columns[column].string || !table_can_refer(t, column, ref))
			continue;
		table_derive(t, ref);
		best = try_ref(p, of, t, ref, plan, best);
	}
}

void plan_column(struct planner *p, struct table *t, struct plan *plan, uint32_t column,
		 bool common)
{
	struct choice of = { .column = column, .common = common };
	const uint64_t *v = t->value[column];
	double cost;

	plan->chunks++;
	if (!plan->events)
		plan->plan = plan_default(&t->layout->columns[column], common, t->n);
	if (!is_due(p, plan, t->n) || !memcmp(v, v + 1, (t->n - 1) * sizeof(*v)))
		return;
	of.table = trial_table(p, t, column);
	if (!of.table)
		return;
	plan->plan.ref = t->layout->columns[column].ref;
	cost = choose(p, &of, &plan->plan);
	if (p->effort->refs)
		choose_ref(p, &of, t, &plan->plan, cost);
	if (plan->events)
		p->budget -= of.table->n; /* the first trial of a column is free */
	plan->events = of.table->n;
	plan->chunks = 0;
	plan->stale = false;
}
