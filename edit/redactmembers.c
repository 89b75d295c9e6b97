/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "common/array.h"
#include "common/branchrecord.h"
#include "edit/redactmembers.h"

/* A member without a secret. */
#define PLAIN(name, rule) { name, rule, SECRET_CLASSES, NULL }
#define PLAIN_EACH(name, members) { name, EACH, SECRET_CLASSES, members }
#define END PLAIN(NULL, KEEP)

static const struct member machine_members[] = {
	PLAIN("kernel", KEEP),
	PLAIN("kernel_version", KEEP),
	PLAIN("arch", KEEP),
	{ "hostname", TEXT, SECRET_NAMES, NULL },
	PLAIN("cpus", KEEP),
	PLAIN("cpu_model", KEEP),
	PLAIN("memory", KEEP),
	PLAIN("page_size", KEEP),
	{ "boot_id", TEXT, SECRET_IDENTITY, NULL },
	PLAIN("distro", KEEP),
	PLAIN("trawl", KEEP),
	PLAIN("clock_error_ns", KEEP),
	END,
};

static const struct member capture_members[] = {
	{ "argv", COMMAND_LINE, SECRET_COMMANDS, NULL },
	{ "sources", SPECS, SECRET_COMMANDS, NULL },
	PLAIN("start_ns", TIME),
	PLAIN("start_mono_ns", KEEP),
	PLAIN("snaplen", KEEP),
	PLAIN("pid", KEEP),
	{ "uid", DROP, SECRET_NAMES, NULL },
	{ "user", TEXT, SECRET_NAMES, NULL },
	{ "command", WORDS, SECRET_COMMANDS, NULL },
	PLAIN("imported", KEEP),
	{ "from", PATH, SECRET_PATHS, NULL },
	PLAIN("pcap_snaplen", KEEP),
	PLAIN("pcap_header", HEX),
	END,
};

static const struct member source_members[] = {
	{ "source", SOURCE, SECRET_NAMES, NULL },
	PLAIN("events", KEEP),
	PLAIN("lost", KEEP),
	PLAIN("lost_more", KEEP),
	PLAIN("hits", KEEP),
	END,
};
static const struct member end_members[] = {
	PLAIN("why", KEEP),
	{ "trigger", TRIGGER, SECRET_STRINGS, NULL },
	PLAIN("incomplete", KEEP),
	PLAIN("begin_mono_ns", KEEP),
	PLAIN("end_mono_ns", KEEP),
	PLAIN("early", KEEP),
	PLAIN("exit_status", KEEP),
	PLAIN("signal", KEEP),
	PLAIN("command", KEEP), /* how it ended, in words: command_verdict() */
	PLAIN_EACH("sources", source_members),
	END,
};

static const struct member tracing_members[] = {
	PLAIN("eprobe", KEEP),		PLAIN("eprobe_filter", KEEP),
	PLAIN("eprobe_arrays", KEEP),	PLAIN("eprobe_on_synthetic", KEEP),
	PLAIN("eprobe_on_kprobe", KEEP), PLAIN("eprobe_on_uprobe", KEEP),
	PLAIN("eprobe_on_fprobe", KEEP), PLAIN("eprobe_on_eprobe", KEEP),
	PLAIN("synthetic", KEEP),	PLAIN("hist", KEEP),
	END,
};

static const struct member relation_members[] = {
	{ "machine", MACHINE, SECRET_NAMES, NULL },
	PLAIN("by", KEEP),
	PLAIN("moved_ns", KEEP),
	PLAIN("bound_ns", KEEP),
	END,
};

static const struct member task_members[] = {
	PLAIN("tid", KEEP),
	PLAIN("pid", KEEP),
	PLAIN("ppid", KEEP),
	PLAIN("kernel", KEEP),
	PLAIN("time_ns", KEEP),
	{ "comm", TEXT, SECRET_COMMANDS, NULL },
	{ "exe", PATH, SECRET_PATHS, NULL },
	{ "cmdline", WORDS, SECRET_COMMANDS, NULL },
	PLAIN("cmdline_cut", KEEP),
	END,
};

/* ---- probes ------------------------------------------------------------------------------- */

static const struct member window_members[] = {
	PLAIN("base", KEEP),   PLAIN("index", KEEP), PLAIN("scale", KEEP),  PLAIN("disp", KEEP),
	PLAIN("window", KEEP), PLAIN("start", KEEP), PLAIN("length", KEEP), END,
};
static const struct member condition_members[] = {
	PLAIN("arg", KEEP),
	PLAIN("is", KEEP),
	END,
};
/*
 * "why" is a sentence with names of parameters and files. "note" and "fetch" are expressions, which
 * have texts in quotes, and whose slashes are those of bit fields ("+0(%di):b4@0/32"). A member's
 * second rule comes after DROP.
 */
static const struct member argument_members[] = {
	PLAIN("name", KEEP),
	PLAIN("type", KEEP),
	PLAIN("show", KEEP),
	PLAIN("helper", KEEP),
	PLAIN("state", KEEP),
	PLAIN("values", NAMED),
	PLAIN("otherwise", KEEP),
	PLAIN_EACH("when", condition_members),
	PLAIN_EACH("sib", window_members),
	PLAIN("bits", KEEP),
	{ "ctype", DROP, SECRET_SYMBOLS, NULL },
	{ "why", DROP, SECRET_SYMBOLS, NULL },
	{ "note", DROP, SECRET_SYMBOLS, NULL },
	{ "why", NOTE, SECRET_STRINGS, NULL },
	{ "note", EXPRESSION, SECRET_STRINGS, NULL },
	{ "fetch", EXPRESSION, SECRET_STRINGS, NULL },
	END,
};
static const struct member site_members[] = {
	PLAIN("offset", KEEP),
	PLAIN("vaddr", KEEP),
	PLAIN("semaphore", KEEP),
	{ "symbol", TEXT, SECRET_SYMBOLS, NULL },
	{ "file", PATH, SECRET_PATHS, NULL },
	PLAIN("line", KEEP),
	PLAIN("insn", KEEP),
	PLAIN("exit", KEEP),
	{ "to", TEXT, SECRET_SYMBOLS, NULL },
	PLAIN_EACH("args", argument_members),
	END,
};
static const struct member probe_members[] = {
	PLAIN("event", EVENT),
	PLAIN("kind", KEEP),
	{ "tracefs", DROP, SECRET_PATHS, NULL },
	PLAIN("provider", KEEP),
	PLAIN("probe", KEEP),
	{ "path", PATH, SECRET_PATHS, NULL },
	PLAIN("build_id", HEX),
	{ "inode", DROP, SECRET_IDENTITY, NULL },
	{ "dev", DROP, SECRET_IDENTITY, NULL },
	PLAIN("size", KEEP),
	PLAIN("deleted", KEEP),
	{ "remark", DROP, SECRET_STRINGS, NULL },
	PLAIN_EACH("args", argument_members),
	PLAIN_EACH("sites", site_members),
	END,
};
static const struct member eprobe_members[] = {
	PLAIN("event", EVENT),
	PLAIN("kind", KEEP),
	{ "spec", DROP, SECRET_STRINGS, NULL },
	PLAIN("on", KEEP),
	PLAIN("on_event", KEEP),
	PLAIN("args", KEEP),
	{ "filter", FILTER, SECRET_STRINGS, NULL },
	END,
};

static const struct member module_members[] = {
	{ "path", PATH, SECRET_PATHS, NULL },
	PLAIN("build_id", HEX),
	PLAIN("deleted", KEEP),
	{ "why", NOTE, SECRET_STRINGS, NULL },
	PLAIN("whole", KEEP),
	PLAIN("segments", NUMBERS),
	{ "functions", ROWS, SECRET_SYMBOLS, NULL },
	{ "files", PATHS, SECRET_PATHS, NULL },
	PLAIN("first_file", KEEP),
	PLAIN("lines", NUMBERS),
	PLAIN("branches", NUMBERS),
	END,
};

/* ---- USB ---------------------------------------------------------------------------------- */

static const struct member interface_members[] = {
	PLAIN("number", KEEP),
	PLAIN("alternate", KEEP),
	PLAIN("class", KEEP),
	PLAIN("subclass", KEEP),
	PLAIN("protocol", KEEP),
	{ "name", TEXT, SECRET_SERIALS, NULL }, /* as this string in the transfers */
	PLAIN("driver", KEEP),
	PLAIN("hid_report", HEX),
	END,
};
static const struct member device_members[] = {
	PLAIN("path", KEEP),
	PLAIN("busnum", KEEP),
	PLAIN("devnum", KEEP),
	PLAIN("gone", KEEP),
	PLAIN("vid", KEEP),
	PLAIN("pid", KEEP),
	PLAIN("speed_mbps", KEEP),
	PLAIN("version", KEEP),
	PLAIN("manufacturer", KEEP),
	PLAIN("product", KEEP),
	{ "serial", TEXT, SECRET_SERIALS, NULL },
	PLAIN("configuration", KEEP),
	PLAIN("max_power", KEEP),
	PLAIN("quirks", KEEP),
	PLAIN("removable", KEEP),
	PLAIN("power_control", KEEP),
	PLAIN("power_status", KEEP),
	PLAIN("autosuspend_ms", KEEP),
	PLAIN("lpm", KEEP),
	PLAIN("persist", KEEP),
	PLAIN("wakeup", KEEP),
	PLAIN("driver", KEEP),
	PLAIN("descriptors", HEX),
	PLAIN("bos", BOS),
	PLAIN_EACH("interfaces", interface_members),
	END,
};

static const struct member half_members[] = {
	PLAIN("bus", KEEP), PLAIN("dev", KEEP), PLAIN("endpoint", KEEP), PLAIN("xfer", KEEP), END,
};
static const struct member halves_members[] = {
	PLAIN_EACH("submissions_only", half_members),
	END,
};

static const struct member reason_members[] = {
	PLAIN("reason", KEEP), PLAIN("text", KEEP), PLAIN("count", KEEP), END,
};
static const struct member verdict_members[] = {
	PLAIN("replayable", KEEP), PLAIN("events", KEEP), PLAIN("filtered", KEEP),
	PLAIN("devices", KEEP), PLAIN("unplugged", KEEP), PLAIN("ring_bytes", KEEP),
	PLAIN("ring_mapped", KEEP), PLAIN_EACH("because", reason_members), END,
};

/* ---- edits -------------------------------------------------------------------------------- */

static const struct member count_members[] = { PLAIN("count", KEEP), END };
#define REMOVED(constant, name, kept, what) PLAIN_EACH(name, count_members),
/* Of edit/N: how much each class lost. */
static const struct member removed_members[] = {
	SECRET_CLASS_LIST(REMOVED)
	END,
};

static const struct member edit_members[] = {
	PLAIN("operation", KEEP),
	PLAIN("original_sha256", HEX),
	PLAIN_EACH("removed", removed_members),
	PLAIN("kept", LIST),
	PLAIN("checked_all", KEEP),
	PLAIN("left_out", KEEP),
	PLAIN("from_ns", TIME),
	PLAIN("until_ns", TIME),
	PLAIN("chosen", KEEP),
	PLAIN("every", KEEP),
	PLAIN("max_size", KEEP),
	PLAIN("max_events", KEEP),
	PLAIN("found", KEEP),
	PLAIN("lost", KEEP),
	PLAIN("more_lost", KEEP),
	END,
};

/* ---- documents ---------------------------------------------------------------------------- */

#define DIGITS "0123456789"

static const struct document documents[] = {
	{ "machine", NULL, DOCUMENT_JSON, machine_members },
	{ "capture", NULL, DOCUMENT_JSON, capture_members },
	{ "end", NULL, DOCUMENT_JSON, end_members },
	{ "task/", DIGITS, DOCUMENT_JSON, task_members },
	{ "maps/", DIGITS, DOCUMENT_MAPS, NULL },
	{ "probe/eprobe/", NULL, DOCUMENT_JSON, eprobe_members },
	{ "probe/eprobe@", NULL, DOCUMENT_JSON, eprobe_members },
	{ "probe/", NULL, DOCUMENT_JSON, probe_members },
	{ "kernel/kallsyms", NULL, DOCUMENT_SYMBOLS, NULL },
	{ "kernel/printk_formats", NULL, DOCUMENT_SYMBOLS, NULL },
	{ "kernel/tracing", NULL, DOCUMENT_JSON, tracing_members },
	{ BRANCH_MAPS_NAME, DIGITS, DOCUMENT_MAPS, NULL },
	{ BRANCH_MODULE_NAME, DIGITS "abcdef:vdso", DOCUMENT_JSON, module_members },
	{ "import/halves", NULL, DOCUMENT_JSON, halves_members },
	{ "usb/verdict", NULL, DOCUMENT_JSON, verdict_members },
	{ "usb/", DIGITS "usb-.:", DOCUMENT_JSON, device_members },
	{ "timeline", NULL, DOCUMENT_ARITHMETIC, NULL },
	{ "timeline/how", NULL, DOCUMENT_JSON, relation_members },
	{ "edit/", DIGITS, DOCUMENT_JSON, edit_members },
};

const struct document *redact_document(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(documents); i++) {
		const struct document *d = &documents[i];
		size_t n = strlen(d->name);
		bool is_prefix = strchr("/@", d->name[n - 1]);

		if (is_prefix ? strncmp(name, d->name, n) != 0 : strcmp(name, d->name) != 0)
			continue;
		return !d->rest || !name[n + strspn(name + n, d->rest)] ? d : NULL;
	}
	return NULL;
}

static void names_of(const struct member *m, void (*name)(void *arg, const char *name), void *arg)
{
	for (; m && m->name; m++) {
		name(arg, m->name);
		names_of(m->inside, name, arg);
	}
}

void redact_member_names(void (*name)(void *arg, const char *name), void *arg)
{
	for (size_t i = 0; i < ARRAY_SIZE(documents); i++)
		names_of(documents[i].members, name, arg);
}
