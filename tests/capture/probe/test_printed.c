/* SPDX-License-Identifier: MIT */
/*
 * What is found in many programs: those that compilers made of the sources in tests/zoo
 * (tests/printed/objects.py), and damaged ones (from the fuzzers).
 */
#include "config.h"

#include <fcntl.h>
#include <fnmatch.h>
#include <sys/mman.h>
#include <unistd.h>

#include "capture/probe/cxx.h"
#include "capture/probe/fetch.h"
#include "capture/probe/insn.h"
#include "capture/probe/operand.h"
#include "capture/probe/prologue.h"
#include "capture/probe/punycode.h"
#include "capture/probe/reentry.h"
#include "capture/probe/reply.h"
#include "capture/probe/rustv0.h"
#include "capture/probe/trampoline.h"
#include "capture/probe/usdt.h"
#include "common/array.h"
#include "tests/capture/probe/showall.h"
#include "tests/printed/chance.h"
#include "tests/printed/inputs.h"
#include "tests/printed/printed.h"
#include "tests/printed/whole.h"

enum { FILE_FD = 200 };

/* ---- code ------------------------------------------------------------------------------------ */

static void show_frame(FILE *to, struct code *code, uint64_t vaddr)
{
	const struct frame *frame = frames_at(code->frames, vaddr);
	struct frame_call *calls = NULL;
	size_t n = 0;
	bool whole;

	if (!frame)
		return;
	whole = frames_calls(code->frames, frame, &calls, &n);
	fprintf(to, " frame 0x%" PRIx64 "-0x%" PRIx64 " lsda 0x%" PRIx64 " %d\n", frame->start,
		frame->end, frame->lsda, whole);
	for (size_t i = 0; whole && i < n; i++)
		fprintf(to, "  call 0x%" PRIx64 "-0x%" PRIx64 " pad 0x%" PRIx64 "\n", calls[i].start,
			calls[i].end, calls[i].pad);
	free(calls);
}

/* The stack and the instructions at each address of the first part of a function. */
static void show_addresses(FILE *to, struct code *code, uint64_t vaddr, uint64_t size)
{
	for (uint64_t at = vaddr; at < vaddr + size && at < vaddr + 48; at++) {
		struct insn_around around = {0};
		enum insn_boundary where = insn_boundary(code->elf, vaddr, at, &around);
		int64_t offset = 0;
		int reg = 0;
		bool known = frames_cfa(code->frames, at, &reg, &offset);

		fprintf(to, "  +%u stack %d cfa %d %d+%" PRId64 " insn %d", (unsigned int)(at - vaddr),
			frames_stack(code->frames, at), known, reg, offset, where);
		if (where == INSN_INSIDE)
			fprintf(to, " 0x%" PRIx64 "-0x%" PRIx64, around.begin, around.next);
		fprintf(to, " %s\n", where == INSN_AT ? insn_class(code->elf, at) : "");
	}
}

static void show_prologue(FILE *to, const struct elf_file *f, uint64_t vaddr, uint64_t size)
{
	static struct prologue p;

	prologue_read(f, vaddr, size, &p);
	fprintf(to, " prologue %u\n", p.end);
	for (size_t i = 0; i < p.n; i++)
		fprintf(to, "  %d to %d %" PRId64 " %u again=%d end=%u branched=%d %" PRId64
			" %" PRId64 "\n", p.moves[i].from, p.moves[i].to, p.moves[i].slot,
			p.moves[i].bytes, p.moves[i].again, p.moves[i].end, p.moves[i].branched,
			p.moves[i].sp, p.moves[i].bp);
	for (size_t i = 0; i < PROLOGUE_REGISTERS; i++)
		fprintf(to, " %u", p.kept[i]);
	fputc('\n', to);
}

static void show_flow(FILE *to, struct code *code, uint64_t vaddr, uint64_t size)
{
	struct flow flow;
	char why[256] = "";

	if (!flow_read(code, vaddr, size, &flow, why, sizeof(why))) {
		fprintf(to, " no flow: %s\n", why);
		return;
	}
	fprintf(to, " flow passed=%d reenters=%d\n", flow.passed, flow.reenters);
	for (size_t i = 0; i < flow.n; i++)
		fprintf(to, "  exit 0x%" PRIx64 " %d if %d to 0x%" PRIx64 " '%s'\n",
			flow.exits[i].vaddr, flow.exits[i].kind, flow.exits[i].condition,
			flow.exits[i].to, flow.exits[i].name);
	flow_free(&flow);
}

static void show_function(FILE *to, struct code *code, const struct elf_symbol *s)
{
	fprintf(to, "%s 0x%" PRIx64 " %" PRIu64 " unit %u order %u %d%d%d\n", s->name, s->vaddr,
		s->size, s->unit, s->order, s->function, s->global, s->chooser);
	if (!s->function)
		return;
	show_frame(to, code, s->vaddr);
	show_addresses(to, code, s->vaddr, s->size);
	show_prologue(to, code->elf, s->vaddr, s->size);
	show_flow(to, code, s->vaddr, s->size);
	show_flow(to, code, s->vaddr, 0);
	fprintf(to, " behind 0x%" PRIx64 " jump %d called %d", reentry_behind_check(code, s->vaddr,
		s->size), reentry_jump(code, s->vaddr, s->size), code_called(code, s->vaddr));
	for (enum ret_proof p = PROOF_NONE; p <= PROOF_PAIR; p++)
		fprintf(to, " %d", code_result_used(code, s->vaddr, p));
	for (size_t i = 0; i < 16; i++) {
		uint64_t at = relocs_pointer(code->relocs, s->vaddr, s->vaddr + s->size, i);

		if (!at)
			break;
		fprintf(to, " pointer 0x%" PRIx64, at);
	}
	fputc('\n', to);
}

/* Names by address, and what the file imports, around all symbols. */
static void show_names(FILE *to, struct code *code)
{
	struct elf_file *f = code->elf;

	for (size_t i = 0; i < f->nsymbols && i < 64; i++) {
		const struct elf_symbol *s = &f->symbols[i];
		bool ambiguous = false;
		const struct elf_symbol *named = elf_symbol_named(f, s->name, s->vaddr, &ambiguous);
		char *at = elf_describe(f, s->vaddr + s->size / 2);
		char *behind = elf_describe(f, s->vaddr + s->size);
		const char *called = code_name(code, s->vaddr);

		fprintf(to, "%s %s %s named 0x%" PRIx64 " %d imports %d exports %d\n", at, behind,
			called ? called : "-", named ? named->vaddr : 0, ambiguous,
			elf_imports(f, s->name), elf_exports(f, s->name));
		free(at);
		free(behind);
	}
	for (size_t i = 0; i < f->nsegments; i++)
		for (uint64_t at = f->segments[i].vaddr & ~7ul, n = 0; n < 512; n++, at += 8) {
			const char *slot = relocs_slot(code->relocs, at);

			if (slot)
				fprintf(to, "slot 0x%" PRIx64 " %s\n", at, slot);
		}
}

static void show_code(FILE *to, char *image, size_t size)
{
	struct trawl_error err = {0};
	struct elf_file *f = elf_open_memory(image, size, "input", &err);
	struct code *code;
	const char *unwinder;

	if (!f) {
		fprintf(to, "%d %s\n", err.status, err.text);
		return;
	}
	elf_read_symbols(f);
	code = code_open(f);
	unwinder = code_unwinder(code);
	fprintf(to, "stripped %d go %d throws %d unwinder %s build id %s\n", elf_stripped(f), code->go,
		code_throws(code), unwinder ? unwinder : "-", f->build_id);
	for (size_t i = 0, n = 0; i < f->nsymbols && n < 64; i++, n++)
		show_function(to, code, &f->symbols[i]);
	show_names(to, code);
	code_close(code);
	elf_free(f);
}

static void show_usdt(FILE *to, char *image, size_t size)
{
	struct trawl_error err = {0};
	struct elf_file *f = elf_open_memory(image, size, "input", &err);
	struct usdt_note *notes;
	size_t n;

	if (!f)
		return;
	n = usdt_read(f, &notes);
	for (size_t i = 0; i < n; i++)
		fprintf(to, "note %s:%s '%s' 0x%" PRIx64 " 0x%" PRIx64 " 0x%" PRIx64 " 0x%" PRIx64
			" %s\n", notes[i].provider, notes[i].name, notes[i].args, notes[i].vaddr,
			notes[i].offset, notes[i].semaphore, notes[i].ref_ctr,
			notes[i].why ? notes[i].why : "-");
	usdt_free(notes, n);
	elf_free(f);
}

/* ---- probes ---------------------------------------------------------------------------------- */

/* The probes as they come out of the process that reads programs. */
static void show_reply(FILE *to, const struct probe_list *list)
{
	struct probe_list none = {0}, again = {.nfiles = list->nfiles, .files = list->files};
	struct reply_before before = reply_before(&none);
	struct trawl_error err = {0};
	size_t n;
	void *bytes = reply_write(list, &before, 0, &err, &n);
	int got = reply_read(bytes, n, &again, &err);

	fprintf(to, "reply %zu %016" PRIx64 " %d %zu\n", n, (uint64_t)XXH64(bytes, n, 0), got,
		again.n);
	for (size_t i = 0; i < again.n; i++)
		show_probe(to, again.probes[i]);
	probe_drop(&again, 0);
	for (size_t i = 0; i < again.nnotes; i++)
		free(again.notes[i]);
	free(again.notes);
	free(again.probes);
	free(before.probes);
	free(bytes);
}

/* Adds what a spec means; %s in it is the file. */
static void show_spec(FILE *to, const char *kind, const char *rest, struct probe_list *list)
{
	struct trawl_error err = {0};
	struct spec spec;
	char text[1024];
	int ret;

	snprintf(text, sizeof(text), "%s/proc/self/fd/%d:%s", kind, FILE_FD, rest);
	fprintf(to, "=== %s %s\n", kind, rest);
	ret = spec_parse(text, &spec, &err);
	if (!ret)
		ret = probe_resolve_here(&spec, 0, list, &err);
	if (ret)
		fprintf(to, "%d %s\n", err.status, err.text);
	spec_free(&spec);
}

static void show_one(FILE *to, const char *kind, const char *rest)
{
	struct probe_list list = {0};

	show_spec(to, kind, rest, &list);
	show_list(to, &list);
	probe_list_free(&list);
}

/* A file of these bytes with the number FILE_FD. */
static void put_file(const char *name, const void *bytes, size_t size)
{
	int fd = memfd_create(name, 0);

	cr_assert_eq(write(fd, bytes, size), (ssize_t)size);
	cr_assert_eq(dup2(fd, FILE_FD), FILE_FD);
	close(fd);
}

static const char *const damaged[][2] = {
	{"uprobe:", "* $params"}, {"uprobe:", "*%return $retval"}, {"uprobe:", "* arg1"},
	{"usdt:", "*:* extra=+8(%di):x64"}, {"uprobe:", "0x1000"}};

static void show_damaged(FILE *to, const struct inputs *in)
{
	fprintf(to, "##### %s\n", in->name);
	put_file("input", in->data, in->size);
	show_code(to, in->data, in->size);
	show_usdt(to, in->data, in->size);
	for (size_t i = 0; i < ARRAY_SIZE(damaged); i++)
		show_one(to, damaged[i][0], damaged[i][1]);
	close(FILE_FD);
}

/* The specs for a program: the lines of a text that begin with a glob of its name. */
static void show_specs(FILE *to, const char *specs, const char *program)
{
	char glob[64], rest[512];
	int used;

	for (; *specs; specs += used + (specs[used] == '\n')) {
		used = (int)strcspn(specs, "\n");
		if (*specs != '#' && sscanf(specs, "%63s %511[^\n]", glob, rest) == 2 &&
		    !fnmatch(glob, program, 0))
			show_one(to, "uprobe:", rest);
	}
}

static char *read_text(const char *name)
{
	static char text[1 << 16];
	FILE *f = printed_file(getenv("TRAWL_SRC"), name, "", "r");

	text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
	fclose(f);
	return text;
}

/* Several texts for one list: what they name again, and in other words. */
static void show_together(FILE *to)
{
	struct probe_list list = {0};

	show_spec(to, "uprobe:", "*", &list);
	show_spec(to, "uprobe:", "m* $params", &list);
	show_spec(to, "uprobe:", "main", &list);
	show_spec(to, "uprobe:", "main arg1", &list);
	show_spec(to, "uprobe:own=", "main $params", &list);
	show_spec(to, "uprobe:", "*%return", &list);
	show_list(to, &list);
	show_reply(to, &list);
	probe_list_free(&list);
}

/* ---- the tests ------------------------------------------------------------------------------- */

static void take_objects(struct printed *p, const char *set, const char *specs)
{
	struct inputs in;
	char *text;
	size_t len;

	inputs_open(&in, set);
	while (inputs_next(&in)) {
		FILE *to = open_memstream(&text, &len);

		put_file(in.name, in.data, in.size);
		show_code(to, in.data, in.size);
		show_specs(to, specs, in.name);
		show_together(to);
		close(FILE_FD);
		fclose(to);
		printed_take(p, in.name, text, len);
		free(text);
	}
	inputs_close(&in);
}

Test(printed, programs)
{
	const char *specs = read_text("tests/printed/probe-specs");
	struct printed p;

	whole_build();
	printed_open(&p, "probe-programs");
	take_objects(&p, "objects-c", specs);
	take_objects(&p, "objects-cxx", specs);
	take_objects(&p, "objects-rust", specs);
	take_objects(&p, "objects-go", specs);
	take_objects(&p, "objects-strings", specs);
	printed_close(&p);
}

/* ---- texts ----------------------------------------------------------------------------------- */

static void show_fetch(FILE *to, const struct spec *spec, const struct spec_arg *arg)
{
	struct trawl_error err = {0};
	struct fetch_expr e = {0};
	struct fetch_type type = {0};
	const char *why = "-";
	char *name = NULL, *part;

	if (fetch_parse(spec, arg, &e, &err)) {
		fprintf(to, " %d %s\n", err.status, err.text);
	} else {
		name = fetch_field_name(arg, &e);
		part = fetch_part_field(arg->expr + e.at, e.len);
		fprintf(to, " %d %zu %zu %u field %s part %d %s\n", e.inner, e.at, e.len, e.depth,
			name, fetch_is_part(arg->expr + e.at, e.len), part);
		free(part);
	}
	free(name);
	fprintf(to, " type %d", fetch_type_parse(arg->type, &type, &why));
	fprintf(to, " %s %d %d %d %u %u\n", why, type.is_string, type.is_bitfield, type.sign,
		type.bits, type.count);
}

static void show_operands(FILE *to, const char *text)
{
	struct operand op;
	const char *arg;
	size_t len;

	while ((arg = operand_next(&text, &len))) {
		operand_parse(arg, len, &op);
		fprintf(to, " operand %d %u %d%d %s %u %u, %s %u %u %d %" PRId64 " '%s' '%s'\n",
			op.form, op.size, op.is_signed, op.is_float, op.reg.pt ? op.reg.pt : "-",
			op.reg.bits, op.reg.shift, op.index.pt ? op.index.pt : "-", op.index.bits,
			op.index.shift, op.scale, op.disp, op.symbol, op.why);
	}
}

/* The first line is a text of -i, the second the arguments of a note. */
static void show_texts(FILE *to, const struct inputs *in)
{
	char *text = strndup(in->data, in->size), *second = strchr(text, '\n');
	struct trawl_error err = {0};
	struct spec spec;

	if (second)
		*second++ = '\0';
	if (!spec_parse(text, &spec, &err))
		for (size_t i = 0; i < spec.nargs; i++)
			show_fetch(to, &spec, &spec.args[i]);
	spec_free(&spec);
	if (second)
		show_operands(to, second);
	free(text);
}

/* Only names of Rust's: those of C++ are demangled by the machine's libstdc++. */
static void show_name(FILE *to, const struct inputs *in)
{
	char *symbol = strndup(in->data, in->size);
	struct cxx_name n;

	if (!strncmp(symbol, "_R", 2)) {
		if (cxx_demangle(symbol, &n)) {
			fprintf(to, "%s\n %s\n %s\n %s %d\n", n.full, n.call, n.name, n.bare,
				cxx_named(&n, n.name, true));
			cxx_free(&n);
		} else {
			fprintf(to, "-\n");
		}
	}
	free(symbol);
}

/* Names of Rust that are nested so deep, in every way; some are refused from a depth on. */
static void show_deep(FILE *to, size_t depth)
{
	static const char *const forms[][4] = { /* before, again and again, inside, after each */
		{"_RINvC1a1f", "R", "hE", ""},	 {"_RINvC1a1f", "S", "hE", ""},
		{"_RINvC1a1f", "T", "h", "E"},	 {"_RINvC1a1f", "A", "h", "j1_"},
		{"_RINvC1a1f", "FE", "hE", ""},	 {"_R", "Nv", "C1a", "1b"},
		{"_RINvC1a1f", "INtC1a1S", "h", "E"}, {"_RNvMC1a", "P", "h1f", ""},
		{"_RNvXC1a", "INtC1a1S", "hC1b1f", "E"}, {"_RINvC1a1f", "DINtC1a1TINtC1a1S", "h", "EEL_"},
		{"_RNvYINtC1a1S", "INtC1a1S", "hENtC1b1T1f", "E"},
		{"_RNvY", "R", "hNtC1b1T1f", ""}};

	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		char symbol[16384], *plain, *full;
		size_t n = (size_t)sprintf(symbol, "%s", forms[i][0]);

		for (size_t k = 0; k < depth; k++)
			n += (size_t)sprintf(symbol + n, "%s", forms[i][1]);
		n += (size_t)sprintf(symbol + n, "%s", forms[i][2]);
		for (size_t k = 0; k < depth; k++)
			n += (size_t)sprintf(symbol + n, "%s", forms[i][3]);
		for (unsigned int closing = 0; closing < 2; closing++, strcat(symbol, "E")) {
			plain = rust_v0_name(symbol, false);
			full = rust_v0_name(symbol, true);
			fprintf(to, "%zu: %s\n%s\n", i, plain ? plain : "-", full ? full : "-");
			free(plain);
			free(full);
		}
	}
}

/* Bytes as the answer of the process that reads programs, for a list of two files. */
static void show_answer(FILE *to, const struct inputs *in)
{
	struct probe_file a = {.path = strdup("/bin/a"), .size = 1 << 20, .refs = 1}, b = a;
	struct probe_file *files[] = {&a, &b};
	struct probe_list list = {.nfiles = 2, .files = files};
	struct trawl_error err = {0};
	int got;

	b.path = strdup("/bin/b");
	got = reply_read(in->data, in->size, &list, &err);
	fprintf(to, "%d %d %s\n", got, err.status, err.text);
	show_list(to, &list);
	probe_drop(&list, 0);
	for (size_t i = 0; i < list.nnotes; i++)
		free(list.notes[i]);
	free(list.notes);
	free(list.probes);
	for (size_t i = 0; i < 2; i++) {
		free(files[i]->path);
		free(files[i]->build_id);
	}
}

/* Identifiers of a few letters, whose encoded part mostly has small numbers. */
static void show_punycode(FILE *to, struct chance *c)
{
	static const char digits[] = "abcdefghijklmnopqrstuvwxyz0123456789";

	for (unsigned int i = 0; i < 6000; i++) {
		char ascii[600] = "", puny[16] = "", out[PUNYCODE_MOST] = "";
		size_t nascii = chance(c, 20) ? chance(c, 12) : PUNYCODE_MOST - 3 + chance(c, 6);
		size_t npuny = 1 + chance(c, 12);

		memset(ascii, 'x', nascii);
		for (size_t k = 0; k < npuny; k++)
			puny[k] = digits[chance(c, chance(c, 2) ? 36 : 12)];
		if (!chance(c, 30))
			puny[chance(c, (uint32_t)npuny)] = "A_-\x80"[i % 4];
		fprintf(to, "%zu %s %d", nascii, puny, punycode(ascii, nascii, puny, npuny, out));
		fprintf(to, " %s\n", out);
	}
}

static void take_deep(struct printed *p)
{
	char *text;
	size_t len;
	FILE *to = open_memstream(&text, &len);

	for (size_t depth = 0; depth < 260; depth++)
		show_deep(to, depth);
	fclose(to);
	printed_take(p, "deep", text, len);
	free(text);
}

Test(printed, texts)
{
	struct printed p;

	printed_open(&p, "probe-texts");
	take_deep(&p);
	chance_take(&p, "punycode", show_punycode);
	inputs_take(&p, "spec", show_texts);
	inputs_take(&p, "names", show_name);
	inputs_take(&p, "reply", show_answer);
	printed_close(&p);
}

Test(printed, damaged_programs)
{
	struct printed p;

	whole_build_and_same_libdw();
	printed_open(&p, "probe-damaged");
	inputs_take(&p, "functions", show_damaged);
	inputs_take(&p, "notes", show_damaged);
	printed_close(&p);
}
