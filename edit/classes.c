/* SPDX-License-Identifier: MIT */
#include "edit/classes.h"

const struct secret_class_text secret_classes[SECRET_CLASSES] = {
	[SECRET_KEYSTROKES] = {"keystrokes", "what was typed: reports of keyboards and unknown input devices", false},
	[SECRET_POINTER] = {"pointer", "movement and buttons of mice and tablets", false},
	[SECRET_SECTORS] = {"sectors", "data of storage, and of unknown bulk endpoints", false},
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
