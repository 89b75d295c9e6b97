/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <string.h>

#include "capture/tracefs/longtext.h"

enum {
	EVENT = 7,
	COMPANION = 8,
	OTHER = 9,
	PREFIX = 64,
	HEAD = 16,
	SIZE = 32,
	COMPANION_SIZE = 112,
	HOLD = 100000000 /* ns */
};
#define ALL UINT64_MAX

/* The emitted record. */
struct given {
	size_t n;
	struct {
		uint64_t ts;
		uint32_t len;
		uint8_t data[4096];
	} events[8];
};

static int take(void *arg, uint32_t cpu, const struct ring_event *ev, struct trawl_error *err)
{
	struct given *g = arg;

	(void)cpu;
	(void)err;
	cr_assert_lt(g->n, 8);
	g->events[g->n].ts = ev->ts;
	g->events[g->n].len = ev->len;
	memcpy(g->events[g->n++].data, ev->data, ev->len);
	return 0;
}

/*
 * Layouts. Event: header, word of the text at 16, number at 20, word of $comm at 24. Companion:
 * address at 16, sample at 24, first bytes at 32, number at 96, word of $comm at 104.
 */
static const struct long_text pair = {
	.id = EVENT, .companion = COMPANION, .size = SIZE, .companion_size = COMPANION_SIZE,
	.head = HEAD, .prefix = PREFIX, .nargs = 3,
	.args = {
		{ .text = true, .at = 16, .size = 4, .from = 32, .address_at = 16 },
		{ .at = 20, .size = 4, .from = 96, .address_at = 96 },
		{ .own = true, .at = 24, .size = 4, .from = 104, .address_at = 104 },
	},
};

struct made {
	uint8_t data[4096];
	uint32_t len;
};

static void put_head(struct made *m, uint16_t id, int32_t tid)
{
	memset(m, 0, sizeof(*m));
	memcpy(m->data, &id, sizeof(id));
	memcpy(m->data + 4, &tid, sizeof(tid));
	m->data[8] = 0x42; /* the address of the hit */
}

static void put_string(struct made *m, uint32_t word_at, const char *text, uint32_t n)
{
	uint32_t word = n << 16 | m->len;

	memcpy(m->data + m->len, text, n);
	memcpy(m->data + word_at, &word, sizeof(word));
	m->len += n;
}

/* n: bytes of the text that the kernel recorded */
static void make_event(struct made *m, int32_t tid, uint32_t number, const char *text, uint32_t n)
{
	put_head(m, EVENT, tid);
	memcpy(m->data + 20, &number, sizeof(number));
	m->len = SIZE;
	put_string(m, 16, text, n);
	put_string(m, 24, "me", 3);
}

static void make_companion(struct made *m, int32_t tid, uint32_t number, const char *text)
{
	put_head(m, COMPANION, tid);
	if (text) {
		size_t n = strnlen(text, PREFIX);

		m->data[16] = 0x10;
		memcpy(m->data + 32, text, n);
	}
	memcpy(m->data + 96, &number, sizeof(number));
	m->len = COMPANION_SIZE;
	put_string(m, 104, "me", 3);
}

static void come_on(uint32_t cpu, struct long_texts *l, struct given *g, const struct made *m,
		    uint64_t ts)
{
	struct ring_event ev = { .ts = ts, .len = m->len, .data = m->data };
	struct trawl_error err;

	cr_assert_eq(long_texts_event(l, cpu, &ev, take, g, &err), 0);
}

static void come(struct long_texts *l, struct given *g, const struct made *m, uint64_t ts)
{
	come_on(0, l, g, m, ts);
}

/* All CPUs have been read up to `until`. */
static void release(struct long_texts *l, struct given *g, uint64_t until)
{
	struct trawl_error err;

	cr_assert_eq(long_texts_release(l, until, take, g, &err), 0);
}

static const char *text_of(const struct given *g, size_t i, uint32_t word_at, uint32_t *n)
{
	uint32_t word;

	memcpy(&word, g->events[i].data + word_at, sizeof(word));
	*n = word >> 16;
	cr_assert_leq((word & 0xffff) + *n, g->events[i].len);
	return (const char *)g->events[i].data + (word & 0xffff);
}

static char longest[200];
static struct long_texts *l;
static struct given g;
static struct made event, companion;

static void set_up(void)
{
	memset(longest, 'a', sizeof(longest) - 1);
	memset(&g, 0, sizeof(g));
	l = long_texts_new();
	cr_assert(l);
	cr_assert_eq(long_texts_add(l, &pair), 0);
}

static void tear_down(void)
{
	long_texts_free(l);
}

TestSuite(longtext, .init = set_up, .fini = tear_down);

Test(longtext, a_whole_event_stays_as_it_is)
{
	uint32_t n;

	make_companion(&companion, 5, 1, longest);
	make_event(&event, 5, 1, longest, sizeof(longest));
	come(l, &g, &companion, 10);
	release(l, &g, 10);
	cr_expect_eq(g.n, 0, "held until the next one");
	come(l, &g, &event, 11);
	release(l, &g, 11);
	cr_assert_eq(g.n, 1);
	cr_expect_str_eq(text_of(&g, 0, 16, &n), longest);
	cr_expect_eq(n, sizeof(longest));
}

Test(longtext, a_text_that_the_kernel_left_out_is_its_beginning_without_a_nul)
{
	const char *text;
	uint32_t n;

	make_companion(&companion, 5, 1, longest);
	make_event(&event, 5, 1, "", 0);
	come(l, &g, &companion, 10);
	come(l, &g, &event, 11);
	release(l, &g, ALL);
	cr_assert_eq(g.n, 1);
	text = text_of(&g, 0, 16, &n);
	cr_expect_eq(n, PREFIX);
	cr_expect_arr_eq(text, longest, PREFIX);
	cr_expect_str_eq(text_of(&g, 0, 24, &n), "me");
}

Test(longtext, a_dropped_event_is_made_of_its_companion_before_what_follows)
{
	const char *text;
	uint32_t n, number;
	uint16_t id;

	make_companion(&companion, 5, 77, longest);
	make_event(&event, 6, 2, "short", 6);
	come(l, &g, &companion, 10);
	come(l, &g, &event, 12);
	release(l, &g, ALL);
	cr_assert_eq(g.n, 2);
	cr_expect_eq(g.events[0].ts, 10);
	memcpy(&id, g.events[0].data, sizeof(id));
	memcpy(&number, g.events[0].data + 20, sizeof(number));
	cr_expect_eq(id, EVENT);
	cr_expect_eq(number, 77);
	text = text_of(&g, 0, 16, &n);
	cr_expect_eq(n, PREFIX);
	cr_expect_arr_eq(text, longest, PREFIX);
	cr_expect_str_eq(text_of(&g, 0, 24, &n), "me");
	cr_expect_str_eq(text_of(&g, 1, 16, &n), "short");
}

Test(longtext, another_value_is_another_hit)
{
	make_companion(&companion, 5, 1, longest);
	make_event(&event, 5, 2, longest, sizeof(longest));
	come(l, &g, &companion, 10);
	come(l, &g, &event, 11);
	release(l, &g, ALL);
	cr_expect_eq(g.n, 2, "the first was dropped, this is the second");
}

Test(longtext, an_event_that_comes_late_is_not_there_twice)
{
	make_companion(&companion, 5, 1, longest);
	come(l, &g, &companion, 10);
	release(l, &g, 10 + HOLD);
	cr_assert_eq(g.n, 1);
	make_event(&event, 5, 1, longest, sizeof(longest));
	come(l, &g, &event, 12 + HOLD);
	release(l, &g, ALL);
	cr_expect_eq(g.n, 1);
}

Test(longtext, another_task_on_the_cpu_does_not_come_between)
{
	uint32_t n;

	make_companion(&companion, 5, 1, longest);
	come(l, &g, &companion, 10);
	make_event(&event, 6, 2, "short", 6);
	come(l, &g, &event, 11);
	make_event(&event, 5, 1, longest, sizeof(longest));
	come(l, &g, &event, 12);
	release(l, &g, ALL);
	cr_assert_eq(g.n, 2);
	cr_expect_str_eq(text_of(&g, 0, 16, &n), "short");
	cr_expect_str_eq(text_of(&g, 1, 16, &n), longest);
}

/* The task moves between the two, and the CPU that it moves to is read first. */
Test(longtext, an_event_that_is_read_before_its_companion_is_not_there_twice)
{
	make_event(&event, 5, 1, longest, sizeof(longest));
	come_on(0, l, &g, &event, 11);
	release(l, &g, 9);
	cr_expect_eq(g.n, 0, "the other CPU has not been read yet");
	make_companion(&companion, 5, 1, longest);
	come_on(1, l, &g, &companion, 10);
	release(l, &g, ALL);
	cr_assert_eq(g.n, 1);
	cr_expect_eq(g.events[0].ts, 11);
}

Test(longtext, an_event_that_is_read_before_its_companion_gets_its_text)
{
	const char *text;
	uint32_t n;

	make_event(&event, 5, 1, "", 0);
	come_on(0, l, &g, &event, 11);
	make_companion(&companion, 5, 1, longest);
	come_on(1, l, &g, &companion, 10);
	release(l, &g, ALL);
	cr_assert_eq(g.n, 1);
	text = text_of(&g, 0, 16, &n);
	cr_expect_eq(n, PREFIX);
	cr_expect_arr_eq(text, longest, PREFIX);
}

Test(longtext, a_held_companion_holds_what_came_after_it)
{
	make_companion(&companion, 5, 77, longest);
	make_event(&event, 6, 2, "short", 6);
	come(l, &g, &companion, 10);
	come(l, &g, &event, 12);
	release(l, &g, 20);
	cr_expect_eq(g.n, 0, "its own event may still come");
	cr_expect_eq(long_texts_held(l), 9);
	release(l, &g, 12 + HOLD);
	cr_assert_eq(g.n, 2);
	cr_expect_eq(g.events[0].ts, 10, "in order of time");
	cr_expect_eq(long_texts_held(l), UINT64_MAX);
}

Test(longtext, a_short_text_whose_event_is_not_there_is_none)
{
	make_companion(&companion, 5, 1, "short");
	come(l, &g, &companion, 10);
	make_event(&event, 6, 2, "other", 6);
	come(l, &g, &event, 11);
	release(l, &g, ALL);
	cr_expect_eq(g.n, 1, "it cannot have been dropped for its length: it is lost with others");
}

Test(longtext, a_null_pointer_is_two_nuls)
{
	uint32_t n;

	make_companion(&companion, 5, 1, NULL);
	make_event(&event, 5, 1, "", 0);
	come(l, &g, &companion, 10);
	come(l, &g, &event, 11);
	release(l, &g, ALL);
	cr_assert_eq(g.n, 1);
	cr_expect_arr_eq(text_of(&g, 0, 16, &n), "\0", 2);
	cr_expect_eq(n, 2);
}

Test(longtext, what_is_held_comes_when_its_time_is_over)
{
	make_companion(&companion, 5, 1, longest);
	come(l, &g, &companion, 10);
	release(l, &g, 9 + HOLD);
	cr_expect_eq(g.n, 0);
	release(l, &g, 10 + HOLD);
	cr_expect_eq(g.n, 1);
	release(l, &g, ALL);
	cr_expect_eq(g.n, 1);
}

/* A record with a word that refers to bytes beyond its end. */
Test(longtext, a_word_that_is_wrong_is_no_text)
{
	static const uint32_t wrong = 0xffffu << 16 | 0xfff0;

	make_companion(&companion, 5, 1, longest);
	memcpy(companion.data + 104, &wrong, sizeof(wrong));
	come(l, &g, &companion, 10);
	make_event(&event, 6, 2, "short", 6);
	memcpy(event.data + 16, &wrong, sizeof(wrong));
	come(l, &g, &event, 11);
	release(l, &g, ALL);
	cr_expect_eq(g.n, 2);
}
