/* SPDX-License-Identifier: MIT */
/* What a capture may hold that its owner would not publish. */
#ifndef TRAWL_EDIT_CLASSES_H
#define TRAWL_EDIT_CLASSES_H

enum secret_class {
	SECRET_KEYSTROKES, SECRET_POINTER, SECRET_SECTORS, SECRET_PAYLOAD, SECRET_SERIALS,
	SECRET_COMMANDS, SECRET_PATHS, SECRET_NAMES, SECRET_STRINGS, SECRET_ADDRESSES,
	SECRET_IDENTITY, SECRET_DATE,
	SECRET_CLASSES
};

struct secret_kind {
	const char *name, *what;
	int kept; /* unless it is dropped by name */
};

static const struct secret_kind secret_kinds[SECRET_CLASSES] = {
	[SECRET_KEYSTROKES] = { "keystrokes", "what was typed: reports of keyboards", 0 },
	[SECRET_POINTER] = { "pointer", "movement and buttons of mice and tablets", 0 },
	[SECRET_SECTORS] = { "sectors", "data of storage", 0 },
	[SECRET_PAYLOAD] = { "payload", "data of network, serial and all other USB devices", 0 },
	[SECRET_SERIALS] = { "serials", "serial numbers and MAC addresses", 0 },
	[SECRET_COMMANDS] = { "commands", "command lines, environment, names of tasks", 0 },
	[SECRET_PATHS] = { "paths", "paths and names of files", 0 },
	[SECRET_NAMES] = { "names", "names of users and hosts", 0 },
	[SECRET_STRINGS] = { "strings", "texts and bytes in arguments and fields", 0 },
	[SECRET_ADDRESSES] = { "addresses", "addresses of the kernel and of processes", 0 },
	[SECRET_IDENTITY] = { "identity", "the machine's identity: boot id, container ids", 0 },
	[SECRET_DATE] = { "date", "the date and the time of day", 1 },
};

#endif
