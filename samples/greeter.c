/* SPDX-License-Identifier: MIT */
/* greeter [TIMES]: loads libgreet.so from its own folder and calls it. */
#include <dlfcn.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	char self[PATH_MAX], library[PATH_MAX + 16];
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);
	int (*greet)(const char *who, int times);
	void *handle;

	if (len < 0)
		return 1;
	self[len] = '\0';
	snprintf(library, sizeof(library), "%s/libgreet.so", dirname(self));
	handle = dlopen(library, RTLD_NOW);
	greet = handle ? (int (*)(const char *, int))dlsym(handle, "greet") : NULL;
	if (!greet) {
		fprintf(stderr, "%s\n", dlerror());
		return 1;
	}
	printf("%d listened\n", greet("world", argc > 1 ? atoi(argv[1]) : 3));
	return 0;
}
