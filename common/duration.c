/* SPDX-License-Identifier: MIT */
#include "common/duration.h"
#include "common/array.h"

#include <stddef.h>
#include <string.h>

#include "common/caret.h"

static const uint64_t SECOND = 1000000000;

static bool digit(char c)
{
	return c >= '0' && c <= '9';
}

uint64_t duration_fraction(const char **p)
{
	uint64_t scale = SECOND / 10, ns = 0;

	if (**p != '.' || !digit((*p)[1]))
		return 0;
	for (++*p; digit(**p); ++*p, scale /= 10)
		ns += (uint64_t)(**p - '0') * scale;
	return ns;
}

/* Returns the ns of the unit at *p and skips it; seconds if there is none. */
static uint64_t unit(const char **p)
{
	/* "ms" and "min" must precede "m" */
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = {
		{ "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 },
		{ "min", 60000000000 }, { "m", 60000000000 }, { "h", 3600000000000 },
		{ "d", 86400000000000 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		size_t n = strlen(units[i].name);

		if (!strncmp(*p, units[i].name, n)) {
			*p += n;
			return units[i].ns;
		}
	}
	return SECOND;
}

bool duration_read(const char **p, uint64_t *ns)
{
	uint64_t whole = 0, part, scale;

	if (!digit(**p))
		return false;
	for (; digit(**p); ++*p)
		if (__builtin_mul_overflow(whole, 10, &whole) ||
		    __builtin_add_overflow(whole, (uint64_t)(**p - '0'), &whole))
			return false;
	part = duration_fraction(p);
	scale = unit(p);
	part = (uint64_t)((unsigned __int128)part * scale / SECOND);
	return !__builtin_mul_overflow(whole, scale, ns) && !__builtin_add_overflow(*ns, part, ns);
}

int duration_parse(const char *option, const char *text, uint64_t *ns, struct trawl_error *err)
{
	const char *p = text;

	if (duration_read(&p, ns) && !*p)
		return 0;
	return caret_fail(err, TRAWL_USAGE, text, strspn(text, "0123456789."),
			  "%s: not a duration: 200us, 5ms, 1.5s, 2m, 1h; without a unit it is "
			  "seconds", option);
}
