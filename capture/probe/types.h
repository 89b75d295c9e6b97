/* SPDX-License-Identifier: MIT */
/* A probe and its parts: files, sites, arguments. probe.h makes them. */
#ifndef TRAWL_CAPTURE_PROBE_TYPES_H
#define TRAWL_CAPTURE_PROBE_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	PROBE_NAME_MAX = 64,       /* kernel: MAX_EVENT_NAME_LEN, with the NUL */
	PROBE_ARG_NAME_MAX = 32,   /* kernel: MAX_ARG_NAME_LEN, with the NUL */
	PROBE_LABEL_MAX = 128,
	PROBE_TYPE_MAX = 24,
	PROBE_ARG_MAX = 63,        /* kernel: MAX_ARGSTR_LEN, "name=expr:type" */
	PROBE_ARGS_MAX = 128,      /* kernel: MAX_TRACE_ARGS */
	PROBE_DEFINITION_MAX = 4095, /* kernel: WRITE_BUFSIZE - 1; one line with its newline */
	PROBE_CONDITIONS = 16,     /* of jumps, as x86 numbers them */
	PROBE_GLOB_LIMIT = 512,    /* probes from one spec, unless probe_options says otherwise */
};

enum probe_kind { PROBE_UPROBE, PROBE_URETPROBE, PROBE_USDT };

/* The file that holds the probe; shared by all probes in it. */
struct probe_file {
	int fd;           /* O_RDONLY | O_CLOEXEC */
	char *path;       /* absolute, real; of a deleted file or memfd what the kernel shows */
	char *build_id;   /* hex; "" if the file has none */
	uint64_t inode;
	unsigned int major, minor; /* of the device */
	uint64_t size;
	bool deleted;     /* no longer at path: deleted, or a memfd */
	unsigned int refs;
};

enum probe_arg_state {
	PROBE_ARG_EXACT,       /* the field is the value */
	PROBE_ARG_COMPUTED,    /* the decoder computes it from base, index and window fields */
	PROBE_ARG_UNAVAILABLE, /* no value at this site; why says so */
};

/* How a value is best shown; the type alone does not tell. */
enum probe_arg_show {
	PROBE_SHOW_INT,
	PROBE_SHOW_HEX,
	PROBE_SHOW_TEXT,
	PROBE_SHOW_BOOL,
	PROBE_SHOW_CHAR,
	PROBE_SHOW_ADDR,
	PROBE_SHOW_FLOAT, /* the field holds the bits of an IEEE 754 number of its size */
	PROBE_SHOW_VARIANT, /* only the name of the number has a meaning */
};

/* What the program calls values of a number. */
struct value_names {
	bool is_signed;
	char *otherwise; /* that of all other numbers; or NULL */
	size_t n;
	struct {
		uint64_t value; /* with 64 bits, extended as its type is */
		char *name;
	} *names;
};

enum { VALUE_NAMES_MAX = 4096 };

/*
 * How a text tells its length. The kernel records a window of its bytes, and beside it what the
 * recorder cuts that by: then the window's field is a text, and the others are not in the file.
 */
enum counted_form {
	COUNTED_NOT,        /* it is no such text */
	COUNTED,            /* a pointer and a length */
	COUNTED_NEVER_NULL, /* likewise: a pointer of 0 could not be read */
	COUNTED_LIBCXX,     /* three words: those of a long one, or the bytes of a short one */
};

/*
 * A value at base + index * scale + disp in memory, which tracefs cannot express. Three helper
 * fields are recorded beside the argument's own, which is 0: base, index, and a window of memory,
 * `length` bytes from base + disp + start on. The value's bytes are at window[index * scale -
 * start] if they are all in the window, else the value is not known.
 */
struct probe_sib {
	char base[PROBE_ARG_NAME_MAX];
	char index[PROBE_ARG_NAME_MAX];
	char window[PROBE_ARG_NAME_MAX];
	int scale;
	int64_t disp;
	int64_t start;       /* bytes */
	unsigned int length; /* bytes */
};

/*
 * An argument at one site. `type` is that of the value itself: "s32", "u8", "f64", "string", ...
 * If it is narrower than the field's type (sites differ, or the kernel has no better way), the
 * value is the field's low bits, to be taken as that type.
 */
struct probe_arg_site {
	char *note;  /* as the note has it ("-4@%edi"); uprobe: what the user wrote */
	char *fetch; /* in uprobe_events' words: "arg1=%di:s32" */
	char *why;   /* "" unless unavailable */
	char type[PROBE_TYPE_MAX];
	enum probe_arg_state state;
	struct probe_sib sib; /* of a computed argument */
};

/* Helpers that tell whether an argument's memory could be read: capture/cli/readable.h. */
enum probe_check {
	PROBE_CHECK_NONE,
	PROBE_CHECK_CONTROL,
	PROBE_CHECK_FIRST,
	PROBE_CHECK_LAST,
	PROBE_CHECK_END,
};

/*
 * An argument of the probe: one field of the event, with the same name and type at every site.
 * One that is available nowhere is called NAME_na.
 */
struct probe_arg {
	char name[PROBE_ARG_NAME_MAX]; /* the field in tracefs: "arg1", a parameter's name */
	char *label;                   /* the field in the file, where the program's name for it is
					  no C identifier or too long; or NULL: name */
	char type[PROBE_TYPE_MAX];     /* the field's: "s32", "string", "x64", "u8[16]" */
	char ctype[64];                /* the type in the program's words, if DWARF tells; or "" */
	enum probe_arg_show show;
	bool followed;                 /* the user follows a pointer to it */
	bool helper;                   /* only there to compute another: hidden by default */
	struct value_names *values;    /* or NULL */
	size_t only_of; /* 1 + the argument whose value has a name; 0: none. There is a
			   value only */
	char *only_if;                 /* where that name is this one */
	bool spent;                    /* a helper that the recorder uses up: not in the file */
	enum counted_form counted;
	size_t pointer, length;        /* counted: arguments that are spent. COUNTED_LIBCXX: the
				        * three words, and a string that is "(fault)" if they
				        * cannot be read */
	enum probe_check check;        /* a helper too; */
	size_t of;                     /* of FIRST and LAST: the argument that is checked, */
	bool zeroed;                   /* and is 0 where it could not be read */
};

struct probe_site {
	uint64_t offset;   /* in the file */
	uint64_t vaddr;    /* as linked */
	uint64_t ref_ctr;  /* file offset of the semaphore; 0 for none */
	uint64_t semaphore; /* its address as linked; 0 for none */
	char *symbol;      /* "main+0x12", of C++ readable; "" if there is no symbol */
	char *file;        /* source file; "" if unknown */
	unsigned int line; /* 0 if unknown */
	const char *exit;  /* how the function is left here: "return", "tail call", "exception", */
			   /* "longjmp"; "" if it is not */
	char *to;          /* what it is left to, of C++ readable; "" if unknown or a return */
	const char *insn;  /* "nop", "push", "step", ...; see insn.h; "" if unknown */
	char *fetchargs;   /* all arguments, ready for uprobe_events: "arg1=%di:s32 arg2=..." */
	struct probe_arg_site *args; /* nargs */
};

struct probe {
	enum probe_kind kind;
	char *display_name; /* "provider:probe", "BASENAME:SYMBOL[%return]"; unique in its list */
	char event[PROBE_NAME_MAX]; /* tracefs event name, unique in its list */
	char *provider, *name;      /* usdt; else "" */
	struct probe_file *file;
	size_t nargs;
	struct probe_arg *args;
	size_t nsites;
	struct probe_site *sites;
	bool matched; /* by a pattern: where a spec names it, that one's arguments count */
	uint32_t conditions; /* of the jumps that its sites are: 1 << their number, 1 <<
			      * PROBE_CONDITIONS of those without; 0: none has one. The fields
			      * jump_if, that number, and jump_flags tell whether one jumped */
	bool covered; /* it is matched and the spec that is being resolved names it */
	char *note; /* a remark for the user (slow instruction, skipped argument); "" for none */
	char *alone; /* of a function that a pattern matched and whose readable name means others,
		      * too: its symbol. NULL: display_name tells */
};

struct probe_list {
	size_t n;
	struct probe **probes;
	size_t nfiles;
	struct probe_file **files;
	size_t nnotes;
	char **notes; /* remarks for the user on whole specs: what a pattern passed over */
};

#endif
