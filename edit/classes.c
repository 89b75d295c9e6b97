/* SPDX-License-Identifier: MIT */
#include "edit/classes.h"

#define TEXTS(constant, name, kept, what) [SECRET_##constant] = {name, what, kept},

const struct secret_class_text secret_classes[SECRET_CLASSES] = {SECRET_CLASS_LIST(TEXTS)};
