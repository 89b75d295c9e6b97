/* SPDX-License-Identifier: MIT */
/* Classes of data in a capture that its owner may not want to publish. */
#ifndef TRAWL_EDIT_CLASSES_H
#define TRAWL_EDIT_CLASSES_H

#include <stdbool.h>

/* CLASS(CONSTANT, NAME, KEPT_BY_DEFAULT, WHAT) of each. */
#define SECRET_CLASS_LIST(CLASS) \
	CLASS(KEYSTROKES, "keystrokes", false, \
	      "what was typed: reports of keyboards and unknown input devices") \
	CLASS(POINTER, "pointer", false, \
	      "movement and buttons of mice and tablets") \
	CLASS(SECTORS, "sectors", false, \
	      "data of storage, and of unknown bulk endpoints") \
	CLASS(PAYLOAD, "payload", false, \
	      "data of network, serial and all other USB devices") \
	CLASS(SERIALS, "serials", false, \
	      "serial numbers and MAC addresses") \
	CLASS(COMMANDS, "commands", false, \
	      "command lines, environment, names of tasks") \
	CLASS(PATHS, "paths", false, \
	      "paths and names of files") \
	CLASS(NAMES, "names", false, \
	      "names of users and hosts") \
	CLASS(STRINGS, "strings", false, \
	      "texts and bytes in arguments and fields") \
	CLASS(ADDRESSES, "addresses", false, \
	      "addresses of the kernel and of processes") \
	CLASS(IDENTITY, "identity", false, \
	      "the machine's identity: boot id, container ids, inodes") \
	CLASS(SYMBOLS, "symbols", true, \
	      "names of programs' functions") \
	CLASS(DATE, "date", true, \
	      "the date and the time of day")

enum secret_class {
#define SECRET_CLASS_CONSTANT(constant, name, kept, what) SECRET_##constant,
	SECRET_CLASS_LIST(SECRET_CLASS_CONSTANT)
	SECRET_CLASSES
};

struct secret_class_text {
	const char *name, *what;
	bool kept_by_default;
};

extern const struct secret_class_text secret_classes[SECRET_CLASSES];

#endif
