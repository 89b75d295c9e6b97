/* SPDX-License-Identifier: MIT */
#include "decode/base/ctype.h"
#include "common/array.h"

#include <string.h>

/* Narrow types in the declarations of system calls (<linux/types.h>, <linux/syscalls.h>). */
static const struct narrow {
	const char *name;
	uint8_t size;
	bool is_signed;
} narrow_types[] = {
	{"int", 4, true}, {"unsigned int", 4, false}, {"unsigned", 4, false},
	{"pid_t", 4, true}, {"uid_t", 4, false}, {"gid_t", 4, false}, {"umode_t", 2, false},
	{"s32", 4, true}, {"u32", 4, false}, {"s16", 2, true}, {"u16", 2, false},
	{"s8", 1, true}, {"u8", 1, false}, {"int32_t", 4, true}, {"uint32_t", 4, false},
	{"short", 2, true}, {"unsigned short", 2, false}, {"unsigned char", 1, false},
	{"old_uid_t", 2, false}, {"old_gid_t", 2, false}, {"dev_t", 4, false},
	{"clockid_t", 4, true}, {"timer_t", 4, true}, {"mqd_t", 4, true}, {"key_t", 4, true},
	{"key_serial_t", 4, true}, {"rwf_t", 4, true}, {"qid_t", 4, false},
};

static const struct narrow *narrow_of(const char *ctype)
{
	static const struct narrow enumeration = {"enum", 4, false};

	if (!strncmp(ctype, "const ", 6))
		ctype += 6;
	if (!strncmp(ctype, "enum ", 5))
		return strchr(ctype, '*') ? NULL : &enumeration;
	if (!strncmp(ctype, "__", 2))
		ctype += 2;
	for (size_t i = 0; i < ARRAY_SIZE(narrow_types); i++)
		if (!strcmp(ctype, narrow_types[i].name))
			return &narrow_types[i];
	return NULL;
}

/*
 * Whether the event is a user probe: its types are those of the program, where Go's int has 8
 * bytes.
 */
static bool of_probe(const struct trawl_event_type *type)
{
	for (uint32_t i = 0; i < type->nfields; i++)
		if (!strncmp(type->fields[i].name, "__probe_", 8))
			return true;
	return false;
}

struct trawl_field ctype_field(const struct trawl_event_type *type, const struct trawl_field *f)
{
	struct trawl_field field = *f;
	bool number = f->kind == TRAWL_UINT || f->kind == TRAWL_INT || f->kind == TRAWL_HEX ||
		      f->kind == TRAWL_ENUM || f->kind == TRAWL_ADDR;
	const struct narrow *narrow;

	if (f->place != TRAWL_FIXED || f->size != 8 || f->count != 1 || !number ||
	    !type->format || !type->format[0] || !f->ctype)
		return field;
	narrow = narrow_of(f->ctype);
	if (!narrow || of_probe(type))
		return field;
	field.size = narrow->size;
	if (f->kind == TRAWL_UINT && narrow->is_signed)
		field.kind = TRAWL_INT;
	return field;
}
