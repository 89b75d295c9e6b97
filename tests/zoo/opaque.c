/* SPDX-License-Identifier: MIT */
/* Units with types of the same name, for tests/zoo/parts.py: UNIT is 1, 2 or 3. */
struct both; /* alike in two units */
struct one;  /* defined in one unit */
struct differ;
struct holds;

int look(struct both *b, struct one *o, struct differ *d, struct holds *h);

#if UNIT < 3
struct both {
	char text[8];
	struct { int x, y; } at;
	struct one *next;
};
#endif
#if UNIT == 1
struct one { int before, n; };
struct differ { int n, other; };
struct inner { short a, b; };
struct holds { struct inner in; long end; };

int main(void)
{
	struct one one = { 1, 2 };
	struct both both = { "both", { 3, 4 }, &one };
	struct differ differ = { 5, 6 };
	struct holds holds = { { 7, 8 }, 9 };

	look(&both, &one, &differ, &holds);
	look(&both, &one, &differ, &holds);
	return 0;
}
#elif UNIT == 2
struct differ { int other, n; };
struct inner { int b; };
struct holds { struct inner in; long end; };

int elsewhere(struct both *b, struct differ *d, struct holds *h)
{
	return b->at.x + d->n + h->in.b;
}
#else
int look(struct both *b, struct one *o, struct differ *d, struct holds *h)
{
	__asm__ volatile("" ::: "memory");
	return !b + !o + !d + !h;
}
#endif
