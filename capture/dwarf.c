/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "alloc.h"
#include "dwarf.h"

struct dwarf {
	int unused;
};

struct dwarf *dwarf_open(struct elf_file *f, const char **why)
{
	*why = "trawl was built without libdw";
	return xcalloc(1, sizeof(struct dwarf));
}

void dwarf_close(struct dwarf *d)
{
	free(d);
}

bool dwarf_function_at(struct dwarf *d, uint64_t vaddr, struct dwarf_function *fn)
{
	*fn = (struct dwarf_function){ 0 };
	return false;
}

void dwarf_function_free(struct dwarf_function *fn)
{
}

bool dwarf_line_at(struct dwarf *d, uint64_t vaddr, char **file, unsigned int *line)
{
	return false;
}
