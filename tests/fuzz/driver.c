/* SPDX-License-Identifier: MIT */
/*
 * Runs a libFuzzer harness without libFuzzer, so that every parser is fuzzed in `make check` with
 * any compiler: first each corpus file as it is, then mutations of them from a fixed seed.
 *
 *	fuzz_NAME CORPUS_DIRECTORY [MUTATIONS [SEED]]
 *
 * A real campaign: configure with CC=clang --enable-fuzzing, then make fuzz-long HOURS=1.
 */
#include "config.h"
#include "common/array.h"

#ifndef HAVE_LIBFUZZER /* libFuzzer provides all of this itself */

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
/* A harness can define the custom mutator, and use the other function for parts of an input. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned int seed)
	__attribute__((weak));
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);

#define LARGEST (1u << 20)

struct input {
	uint8_t *data;
	size_t size;
};

static uint64_t random_next(uint64_t *s)
{
	*s ^= *s << 13;
	*s ^= *s >> 7;
	*s ^= *s << 17;
	return *s;
}

static int load(const char *path, struct input *in)
{
	FILE *f = fopen(path, "rb");

	if (!f)
		return -1;
	in->data = malloc(LARGEST);
	if (!in->data)
		abort();
	in->size = fread(in->data, 1, LARGEST, f);
	fclose(f);
	return 0;
}

static size_t load_all(const char *directory, struct input **inputs)
{
	struct dirent **names;
	int n = scandir(directory, &names, NULL, alphasort);
	size_t count = 0;

	*inputs = calloc(n > 0 ? n : 1, sizeof(**inputs));
	if (!*inputs)
		abort();
	for (int i = 0; i < n; i++) {
		char path[4096];
		struct stat st;

		snprintf(path, sizeof(path), "%s/%s", directory, names[i]->d_name);
		if (!stat(path, &st) && S_ISREG(st.st_mode) && !load(path, &(*inputs)[count]))
			count++;
		free(names[i]);
	}
	if (n >= 0)
		free(names);
	return count;
}

/* Values at the limits of length checks. */
static uint64_t edge(uint64_t *s)
{
	static const uint64_t edges[] = { 0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff,
					  0x7fffffff, 0x80000000, 0xfffffff0, 0xffffffff,
					  0x7fffffffffffffff, UINT64_MAX };

	return edges[random_next(s) % ARRAY_SIZE(edges)];
}

static size_t mutate_once(uint8_t *buf, size_t size, const struct input *other, uint64_t *s)
{
	size_t at = size ? random_next(s) % size : 0;
	size_t n = 1 + random_next(s) % 16;
	uint64_t v = edge(s);

	switch (random_next(s) % 6) {
	case 0:
		if (size)
			buf[at] ^= 1u << (random_next(s) % 8);
		return size;
	case 1: /* an edge value of 1 to 8 bytes */
		n = 1u << (random_next(s) % 4);
		if (at + n <= size)
			memcpy(buf + at, &v, n);
		return size;
	case 2: /* cut */
		return at;
	case 3: /* remove some bytes */
		if (at + n > size)
			return size;
		memmove(buf + at, buf + at + n, size - at - n);
		return size - n;
	case 4: /* repeat some bytes */
		if (at + n > size || size + n > LARGEST)
			return size;
		memmove(buf + at + n, buf + at, size - at);
		return size + n;
	default: /* splice with another input */
		if (!other->size)
			return size;
		n = random_next(s) % other->size;
		if (at + (other->size - n) > LARGEST)
			return size;
		memcpy(buf + at, other->data + n, other->size - n);
		return at + (other->size - n);
	}
}

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max)
{
	static const struct input none;
	static uint64_t s = 0x9e3779b97f4a7c15;
	uint8_t *copy = malloc(LARGEST + 16);
	size_t n = size < LARGEST ? size : LARGEST;

	if (!copy)
		abort();
	memcpy(copy, data, n);
	n = mutate_once(copy, n, &none, &s);
	n = n < max ? n : max;
	memcpy(data, copy, n);
	free(copy);
	return n;
}

/* Runs each input in a block of its exact size, so that ASan detects any read past the end. */
static void run(const uint8_t *data, size_t size)
{
	uint8_t *exact = malloc(size ? size : 1);

	if (!exact)
		abort();
	memcpy(exact, data, size);
	LLVMFuzzerTestOneInput(exact, size);
	free(exact);
}

int main(int argc, char **argv)
{
	uint64_t mutations = argc > 2 ? strtoull(argv[2], NULL, 0) : 2000;
	uint64_t s = argc > 3 ? strtoull(argv[3], NULL, 0) : 0x9e3779b97f4a7c15;
	static uint8_t buf[LARGEST];
	struct input *inputs;
	size_t count;

	if (argc < 2) {
		fprintf(stderr, "usage: %s CORPUS_DIRECTORY [MUTATIONS [SEED]]\n", argv[0]);
		return 2;
	}
	count = load_all(argv[1], &inputs);
	printf("1..2\n%s 1 - corpus of %zu inputs\n", count ? "ok" : "not ok", count);
	if (!count)
		return 1;
	for (size_t i = 0; i < count; i++)
		run(inputs[i].data, inputs[i].size);
	for (uint64_t i = 0; i < mutations; i++) {
		const struct input *in = &inputs[random_next(&s) % count];
		const struct input *other = &inputs[random_next(&s) % count];
		size_t size = in->size;

		memcpy(buf, in->data, size);
		for (unsigned k = 1 + random_next(&s) % 4; k; k--)
			size = LLVMFuzzerCustomMutator ?
			       LLVMFuzzerCustomMutator(buf, size, LARGEST,
						       (unsigned int)random_next(&s)) :
			       mutate_once(buf, size, other, &s);
		run(buf, size);
	}
	printf("ok 2 - %llu mutations\n", (unsigned long long)mutations);
	for (size_t i = 0; i < count; i++)
		free(inputs[i].data);
	free(inputs);
	return 0;
}

#endif
