/* SPDX-License-Identifier: MIT */
/*
 * Which change of the sources is active. The first line of each source that has changes in the copy
 * of the tree (switch.py) includes this.
 */
#ifndef TRAWL_TESTS_MUTANTS_MUTANT_H
#define TRAWL_TESTS_MUTANTS_MUTANT_H

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static int mutant_chosen;
static unsigned char *mutant_reached;

/*
 * MUTANT is the number of the active change. MUTANT_REACHED is a file with a byte for each number,
 * which becomes 1 when a function with that change runs. Both are read before main(), because a
 * program in its sandbox opens no file.
 */
__attribute__((constructor)) static void mutant_setup(void)
{
	const char *number = getenv("MUTANT"), *path = getenv("MUTANT_REACHED");
	if (number)
		mutant_chosen = atoi(number);
	int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
	struct stat st;
	if (fd >= 0 && !fstat(fd, &st)) {
		void *p = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		if (p != MAP_FAILED)
			mutant_reached = p;
	}
	if (fd >= 0)
		close(fd);
}

static int mutant(int number)
{
	if (mutant_reached)
		mutant_reached[number] = 1;
	return number == mutant_chosen;
}

#endif
