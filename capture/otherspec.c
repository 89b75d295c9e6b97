/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "capture/kernel/event.h"
#include "capture/otherspec.h"
#include "capture/source.h"
#include "capture/tracefs/tracefs.h"
#include "common/array.h"

/* How probes of bpftrace, perf and trace-cmd begin, and the hint that each gets. */
static const struct {
	const char *prefix, *hint;
	bool rest; /* the hint ends with what follows the prefix */
	const char *suffix;
} prefixes[] = {
	{ "tracepoint:", "did you mean event:", true, "?" },
	{ "t:", "did you mean event:", true, "?" },
	{ "rawtracepoint:", "did you mean event:", true, "?" },
	{ "uretprobe:", "did you mean uprobe:", true, "%return?" },
	{ "ur:", "did you mean uprobe:", true, "%return?" },
	{ "u:", "did you mean uprobe:", true, "?" },
	{ "U:", "did you mean usdt:", true, "?" },
	{ "sdt_", "a static probe is usdt:PROGRAM:PROVIDER:NAME", false, "" },
#define NO_KPROBES "trawl has no probes in kernel functions: a trace event near it is " \
		   "event:GROUP:NAME (trawl -D 'event:*WORD*' lists them)"
	{ "kprobe:", NO_KPROBES, false, "" },
	{ "kretprobe:", NO_KPROBES, false, "" },
	{ "k:", NO_KPROBES, false, "" },
	{ "kr:", NO_KPROBES, false, "" },
	{ "kfunc:", NO_KPROBES, false, "" },
	{ "fentry:", NO_KPROBES, false, "" },
	{ "fexit:", NO_KPROBES, false, "" },
#undef NO_KPROBES
	{ "profile:", "trawl records events, it takes no samples", false, "" },
	{ "interval:", "trawl records events, it takes no samples", false, "" },
	{ "hardware:", "trawl records events, it takes no samples", false, "" },
	{ "software:", "trawl records events, it takes no samples", false, "" },
};

static bool by_prefix(const char *text, char *hint, size_t size)
{
	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++) {
		size_t len = strlen(prefixes[i].prefix);

		if (strncmp(text, prefixes[i].prefix, len))
			continue;
		snprintf(hint, size, "%s%s%s", prefixes[i].hint,
			 prefixes[i].rest ? text + len : "", prefixes[i].suffix);
		return true;
	}
	return false;
}

/* tcpdump's interfaces: usbmon0 is all buses. */
static bool by_interface(const char *text, char *hint, size_t size)
{
	size_t digits = strspn(text + strcspn(text, "0123456789"), "0123456789");
	char path[128];

	if (!strncmp(text, "usbmon", 6) && digits && !text[6 + digits]) {
		snprintf(hint, size, "did you mean usb%s%s?", strcmp(text + 6, "0") ? ":" : "",
			 strcmp(text + 6, "0") ? text + 6 : "");
		return true;
	}
	snprintf(path, sizeof(path), "/sys/class/net/%.64s", text);
	if (strcmp(text, "any") && (strchr(text, '/') || !*text || access(path, F_OK)))
		return false;
	snprintf(hint, size,
		 "trawl records no networks, tcpdump does; trawl -D lists what trawl records");
	return true;
}

/* "usb if …", "event sched:sched_switch": a blank stands in place of the colon. */
static bool by_blank(const char *text, char *hint, size_t size)
{
	size_t len = strcspn(text, " \t");

	for (size_t i = 0; text[len] && sources[i]; i++) {
		const struct source *s = sources[i];

		if (s->hidden || strlen(s->name) != len || memcmp(s->name, text, len))
			continue;
		snprintf(hint, size, "what is recorded follows a colon: %s:%s%s", s->name,
			 s->summary, strcmp(s->name, "usb") ? "" : "; which of its transfers "
			 "are shown is for trawl-decode --where");
		return true;
	}
	return false;
}

struct finding {
	const char *name; /* of the event; up to len */
	size_t len;
	char found[160];
};

static int find(void *arg, const char *group, const char *name)
{
	struct finding *f = arg;

	snprintf(f->found, sizeof(f->found), "%s:%s", group, name);
	return 1; /* one is enough */
}

/* sched:sched_switch, sched.sched_switch, sched_switch, openat: is there such an event? */
static bool by_event(const char *text, char *hint, size_t size)
{
	size_t first =
		strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-*?");
	char group[64] = "*", name[96] = "", entry[112];
	const char *rest = text + first;
	struct trawl_error ignored;
	struct finding f = { 0 };
	int top;

	if (first && *rest && strchr(":./", *rest)) {
		snprintf(group, sizeof(group), "%.*s", (int)first, text);
		rest++;
	} else if (!*rest || isspace((unsigned char)*rest)) {
		rest = text;
	} else {
		return false;
	}
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(rest, " \t"), rest);
	snprintf(entry, sizeof(entry), "sys_enter_%s", name);
	top = *name ? tracefs_open(&ignored) : -1;
	if (top < 0)
		return false;
	events_each(top, group, name, find, &f);
	if (!*f.found && !strcmp(group, "*"))
		events_each(top, "syscalls", entry, find, &f);
	close(top);
	if (*f.found && strcmp(group, "*"))
		snprintf(hint, size, "did you mean event:%s:%s?", group, rest);
	else if (*f.found)
		snprintf(hint, size, "did you mean event:%s%s?", f.found, rest + strlen(name));
	return *f.found;
}

/* ./program:main, /usr/bin/x; the file may be missing */
static bool by_path(const char *text, char *hint, size_t size)
{
	char path[4096];

	for (const char *end = text + strcspn(text, ": "); strchr(text, '/');
	     end += 1 + strcspn(end + 1, ": ")) {
		snprintf(path, sizeof(path), "%.*s", (int)(end - text), text);
		if (!access(path, F_OK)) {
			snprintf(hint, size, *end ? "did you mean uprobe:%.200s or usdt:%.200s?" :
				 "a function in it is uprobe:%.200s:FUNCTION, a static probe "
				 "usdt:%.200s:NAME", text, text);
			return true;
		}
		if (!*end)
			break;
	}
	if (*text != '/' && *text != '.')
		return false;
	snprintf(hint, size, "there is no file %.*s; a function is uprobe:PROGRAM:FUNCTION",
		 (int)strcspn(text, ": "), text);
	return true;
}

/* main.c:19 */
static bool by_line(const char *text, char *hint, size_t size)
{
	const char *colon = strchr(text, ':');
	const char *dot = colon ? memchr(text, '.', (size_t)(colon - text)) : NULL;
	size_t digits = colon ? strspn(colon + 1, "0123456789") : 0;

	if (!dot || !digits || colon[1 + digits])
		return false;
	snprintf(hint, size, "a source line is not supported; give a function: "
		 "uprobe:PROGRAM:FUNCTION (gdb -batch -ex 'info line %.200s' PROGRAM shows it)", text);
	return true;
}

bool otherspec_hint(const char *text, char *hint, size_t size)
{
	return by_prefix(text, hint, size) || by_interface(text, hint, size) ||
	       by_blank(text, hint, size) || by_path(text, hint, size) ||
	       by_line(text, hint, size) || by_event(text, hint, size);
}
