/* SPDX-License-Identifier: MIT */
/* Classes of data in a capture that its owner may not want to publish. */
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

extern const struct secret_class_text secret_classes[SECRET_CLASSES];

#endif
