/* SPDX-License-Identifier: MIT */
/* What a capture may hold that its owner would not publish. */
#ifndef TRAWL_EDIT_CLASSES_H
#define TRAWL_EDIT_CLASSES_H

#include <stdbool.h>

enum secret_class {
	SECRET_KEYSTROKES, SECRET_POINTER, SECRET_SECTORS, SECRET_PAYLOAD, SECRET_SERIALS,
	SECRET_COMMANDS, SECRET_PATHS, SECRET_NAMES, SECRET_STRINGS, SECRET_ADDRESSES,
	SECRET_IDENTITY, SECRET_SYMBOLS, SECRET_DATE,
	SECRET_CLASSES
};

struct secret_class_text {
	const char *name, *what;
	bool kept_by_default;
};

static const struct secret_class_text secret_classes[SECRET_CLASSES] = {
	[SECRET_KEYSTROKES] = {"keystrokes", "what was typed: reports of keyboards", false},
	[SECRET_POINTER] = {"pointer", "movement and buttons of mice and tablets", false},
	[SECRET_SECTORS] = {"sectors", "data of storage", false},
	[SECRET_PAYLOAD] = {"payload", "data of network, serial and all other USB devices", false},
	[SECRET_SERIALS] = {"serials", "serial numbers and MAC addresses", false},
	[SECRET_COMMANDS] = {"commands", "command lines, environment, names of tasks", false},
	[SECRET_PATHS] = {"paths", "paths and names of files", false},
	[SECRET_NAMES] = {"names", "names of users and hosts", false},
	[SECRET_STRINGS] = {"strings", "texts and bytes in arguments and fields", false},
	[SECRET_ADDRESSES] = {"addresses", "addresses of the kernel and of processes", false},
	[SECRET_IDENTITY] = {"identity", "the machine's identity: boot id, container ids, inodes", false},
	[SECRET_SYMBOLS] = {"symbols", "names of programs' functions", true},
	[SECRET_DATE] = {"date", "the date and the time of day", true},
};

#endif
