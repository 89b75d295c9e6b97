/* SPDX-License-Identifier: MIT */
#include "decode/base/printcache.h"

static void keep(struct print_cache *c, const char *p, const char *end)
{
	size_t n = (size_t)(end - p);

	c->len = 0;
	if (n > sizeof(c->text))
		return;
	memcpy(c->text, p, n);
	c->len = (uint32_t)n;
}

void print_cache_keep_task(struct print_cache *c, const struct item *it, const char *p,
			   const char *end)
{
	keep(c, p, end);
	c->a = it->tid;
	c->b = it->pid;
	c->cpu = it->cpu;
	c->comm_len = it->comm_len;
	memcpy(c->comm, it->comm, sizeof(c->comm));
	if (it->comm_len > sizeof(c->comm))
		c->len = 0;
}

void print_cache_keep_name(struct print_cache *c, const struct item *it, int32_t a, const char *p,
		    const char *end)
{
	keep(c, p, end);
	c->key = it->name;
	c->a = a;
}
