/* SPDX-License-Identifier: MIT */
/* Parts of parameters and results, also behind pointers, for tests/zoo/parts.py. */
#include <stddef.h>
#include <string.h>

#define KEEP __attribute__((noinline))
#define NOT_EMPTY __asm__ volatile("" ::: "memory")

struct pos { int x, y; };
struct item {
	const char *name;
	int n;
	unsigned kind:3, flags:5;
	struct pos at;
	double d;
};
/* passed by value: one in memory, the other in a register */
struct label {
	char name[12];
	int n[2];
	struct { short at[2]; } in;
	long id:50;
};
struct few {
	short n[2];
	signed char sign:4;
	int big:20;
};
enum colour { RED, BLUE };
struct order {
	long a[10];
	char tag[16], text[100];
	struct item *first, items[3];
	struct order *next;
	union { int i; float f; };
	int num[4], table[2][2];
	enum colour colour;
	void *anything;
};

KEEP int look(struct order *o, struct pos p, int *nums, struct item *none)
{
	NOT_EMPTY;
	return o->items[1].n + p.x + nums[2] + !none;
}

KEEP struct order *find(struct order *o)
{
	NOT_EMPTY;
	return o;
}

KEEP struct pos half(int x)
{
	NOT_EMPTY;
	return (struct pos){ x, -x };
}

KEEP struct order whole(struct order *o)
{
	struct order copy = *o;

	NOT_EMPTY;
	return copy;
}

KEEP int given(struct label l, struct few f, struct few *p)
{
	NOT_EMPTY;
	return l.name[0] + l.n[1] + l.in.at[1] + (int)l.id + f.n[1] + f.sign + f.big + p->sign;
}

KEEP int longest(struct order *o)
{
	NOT_EMPTY;
	return o->first->n;
}

KEEP void nothing(int x)
{
	NOT_EMPTY;
}

int main(void)
{
	static char huge[6000];
	struct item first = { "first", 42, 5, 17, { 3, -4 }, 1.5 };
	struct order b = { .tag = "sixteen letters!", .text = "a text of many", .first = &first,
			   .items = { { "i0" }, { "i1", 11, 1, 2, { 7, 8 } } }, .i = 99,
			   .num = { 1, -2, 3, 4 }, .colour = BLUE };
	struct order c = { .tag = "c", .items = { { "c0", -1 } }, .next = &b };
	int nums[] = { 5, 6, 7 };
	struct item long_item = { .name = huge };
	struct order d = { .first = &long_item };

	memset(huge, 'h', sizeof(huge) - 1);
	b.next = &c;
	for (int i = 0; i < 2; i++) {
		look(i ? &c : &b, (struct pos){ i, -i }, nums, NULL);
		longest(&d);
		given((struct label){ "by value", { i, -7 }, { { 8, -9 } }, -10 - i },
		      (struct few){ { 11, -12 }, -3 + i, -100000 }, &(struct few){ .sign = -1 });
		nothing(find(&b)->i + half(5).y + whole(&c).i);
	}
	return 0;
}
