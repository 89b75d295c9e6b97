/* SPDX-License-Identifier: MIT */
/* A probe and its parts: files, sites, arguments. probe_resolve() (probe.h) fills them in. */
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
	PROBE_CONDITIONS = 16,     /* condition codes of x86 jumps: the low 4 bits of the opcode */
	PROBE_GLOB_LIMIT = 512,    /* default limit of probes that one -i text may match */
};

enum probe_kind { PROBE_UPROBE, PROBE_URETPROBE, PROBE_USDT };

/* The file that holds the probe's code; shared by all probes in the file. */
struct probe_file {
	int fd;           /* O_RDONLY | O_CLOEXEC */
	/*
	 * absolute, without symbolic links; for a deleted file or memfd, the path in /proc/PID/maps
	 */
	char *path;
	char *given;      /* the path that the user's first text led to, perhaps a symbolic link */
	char *build_id;   /* hex; "" if the file has none */
	uint64_t inode;
	unsigned int major, minor; /* of the device */
	uint64_t size;
	bool deleted;     /* the path no longer leads to the file: it was deleted, or is a memfd */
	unsigned int refs;
};

enum probe_arg_state {
	PROBE_ARG_EXACT,       /* the field is the value */
	/* the decoder computes the value: from base, index and window fields, or by its sign bit */
	PROBE_ARG_COMPUTED,
	PROBE_ARG_UNAVAILABLE, /* no value at this site; `why` has the reason */
};

/*
 * How a value is shown, which the kernel's type leaves open: a u8 may be a number, a bool or a
 * character.
 */
enum probe_arg_show {
	PROBE_SHOW_INT,
	PROBE_SHOW_HEX,
	PROBE_SHOW_TEXT,
	PROBE_SHOW_BOOL,
	PROBE_SHOW_CHAR,
	PROBE_SHOW_ADDR,
	PROBE_SHOW_FLOAT, /* the field holds the bits of an IEEE 754 number of its size */
	PROBE_SHOW_VARIANT, /* a tag: only the name that value_names has for the number is shown */
};

/* The program's names for values of a number: enumerators, or the alternatives of a variant. */
struct value_names {
	bool is_signed;
	char *otherwise; /* name of every value that is not in names; or NULL */
	size_t n;
	struct {
		uint64_t value; /* sign-extended to 64 bits if is_signed, else zero-extended */
		char *name;
	} *names;
};

enum { VALUE_NAMES_MAX = 4096 };

/*
 * Where the length of a string that is not NUL-terminated is (text.h). The kernel cannot record a
 * variable length, so it records a window of fixed size together with the pointer and the length;
 * the recorder cuts the window to the length and stores only the resulting string in the file.
 */
enum counted_form {
	COUNTED_NOT,        /* not such a string */
	COUNTED,            /* a pointer and a length; the pointer may be NULL */
	/* a pointer and a length; a NULL pointer means that they could not be read */
	COUNTED_NEVER_NULL,
	/*
	 * libc++'s std::string: 24 bytes that hold a long string's pointer and size, or a short
	 * string itself
	 */
	COUNTED_LIBCXX,
};

/*
 * A value in memory at base + index * scale + disp, an address that tracefs cannot express. Three
 * helper fields are recorded beside the argument's own field, which is 0: the base, the index, and
 * a window of memory that holds the `length` bytes from base + disp + start on. The value's bytes
 * begin at offset index * scale - start of the window; if they are not all inside the window, the
 * value is unavailable.
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
 * An argument at one site. `type` is the type of the value itself: "s32", "u8", "f64", "string",
 * ... It may be narrower than the field's type, because sites differ or because the kernel cannot
 * record the value alone: then the value is the field's low bits, interpreted as `type`.
 */
struct probe_arg_site {
	char *note;  /* the operand in the stapsdt note ("-4@%edi"); for a uprobe, the user's ARG */
	char *fetch; /* a fetch argument without the field's name: "%di:s32" */
	char *why;   /* reason; "" unless state is PROBE_ARG_UNAVAILABLE */
	char type[PROBE_TYPE_MAX];
	enum probe_arg_state state;
	/* COMPUTED: the value is a signed number in so many low bits of the field; 0: sib has it */
	unsigned int bits;
	struct probe_sib sib; /* COMPUTED, with bits == 0 */
};

/* Helper fields that show whether an argument's memory could be read: capture/cli/readable.h. */
enum probe_check {
	PROBE_CHECK_NONE,
	PROBE_CHECK_CONTROL,
	PROBE_CHECK_FIRST,
	PROBE_CHECK_LAST,
	PROBE_CHECK_END,
};

/*
 * An argument of the probe: one field of the event, with the same name and type at every site. An
 * argument without a value at any site has "_na" appended to its name.
 */
struct probe_arg {
	char name[PROBE_ARG_NAME_MAX]; /* the field's name in tracefs: "arg1", a parameter's name */
	/*
	 * the field's name in the file, if the program's own name is no C identifier or is too long
	 * for tracefs; NULL: name
	 */
	char *label;
	/* the kernel's type of the field: "s32", "string", "x64", "u8[16]" */
	char type[PROBE_TYPE_MAX];
	/* the type in the program's language, from DWARF; "" if unknown */
	char ctype[64];
	enum probe_arg_show show;
	bool followed;                 /* the user's ARG dereferences a pointer: +OFFSET(...) */
	bool helper;                   /* serves to compute another argument; hidden by default */
	struct value_names *values;    /* names of the field's values; NULL: none */
	/*
	 * 1 + number of the tag argument; 0: none. This argument has a value only while the tag's
	 * value is named only_if
	 */
	size_t only_of;
	char *only_if;                 /* name of the tag's value that makes this argument valid */
	/* a helper that the recorder consumes: it is not in the file */
	bool spent;
	enum counted_form counted;
	/*
	 * numbers of the two spent arguments that `counted` needs: pointer and length.
	 * COUNTED_LIBCXX: the string's three words, and a string that reads "(fault)" if they could
	 * not be read
	 */
	size_t pointer, length;
	enum probe_check check;        /* not NONE: this argument is a helper with this role */
	size_t of;                     /* FIRST, LAST: number of the argument that is checked */
	/* FIRST, LAST: the checked argument is 0 if it could not be read */
	bool zeroed;
};

/* Returns the name of the argument's field in the file. */
static inline const char *probe_arg_name(const struct probe_arg *arg)
{
	return arg->label ? arg->label : arg->name;
}

struct probe_site {
	uint64_t offset;   /* bytes from the file's beginning */
	uint64_t vaddr;    /* virtual address as linked */
	uint64_t ref_ctr;  /* file offset of the USDT semaphore; 0: none */
	uint64_t semaphore; /* the semaphore's virtual address as linked; 0: none */
	char *symbol;      /* "main+0x12", C++ and Rust names demangled; "" if there is no symbol */
	char *file;        /* source file; "" if unknown */
	unsigned int line; /* 0 if unknown */
	/*
	 * how control leaves the function here: "return", "tail call", "exception", "longjmp"; ""
	 * if the site is not where the function is left
	 */
	const char *exit;
	/* target of a tail call or of the call that leaves, demangled; "" if unknown or a return */
	char *to;
	const char *insn;  /* how the kernel steps over the instruction: insn_class() in insn.h */
	char *fetchargs;   /* all arguments as uprobe_events takes them: "arg1=%di:s32 arg2=..." */
	struct probe_arg_site *args; /* nargs */
};

struct probe {
	enum probe_kind kind;
	char *display_name; /* "provider:probe" or "BASENAME:SYMBOL[%return]"; unique in the list */
	char event[PROBE_NAME_MAX]; /* event name in tracefs; unique in the list */
	char *provider, *name;      /* of a USDT probe; else "" */
	struct probe_file *file;
	size_t nargs;
	struct probe_arg *args;
	size_t nsites;
	struct probe_site *sites;
	/*
	 * the spec matched this function by a pattern. If another spec names the function itself,
	 * that spec's arguments are used
	 */
	bool matched;
	/*
	 * the conditional jumps among the sites: bit N for condition code N, bit PROBE_CONDITIONS
	 * for sites without a condition; 0: no conditional jumps. Such a probe is hit whether or
	 * not the jump is taken: the decoder computes that from the fields jump_if (the condition
	 * code) and jump_flags (EFLAGS)
	 */
	uint32_t conditions;
	bool covered; /* matched is set, and the spec being resolved names the same function */
	char *note; /* remark for the user about this probe; "" for none */
	/*
	 * a pattern matched this function, and its demangled name also means other functions: the
	 * symbol that identifies it. NULL: display_name does
	 */
	char *alone;
};

struct probe_list {
	size_t n;
	struct probe **probes;
	size_t nfiles;
	struct probe_file **files;
	size_t nnotes;
	/* remarks for the user about whole specs, such as matches that were skipped */
	char **notes;
};

#endif
