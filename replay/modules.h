/* SPDX-License-Identifier: MIT */
/* Kernel modules as depmod lists them, and which of them a USB device needs. */
#ifndef TRAWL_REPLAY_MODULES_H
#define TRAWL_REPLAY_MODULES_H

#include "replay/initramfs.h"
#include "replay/tape.h"

struct modules {
	char folder[512];         /* with modules.dep */
	char *dep, *alias, *builtin; /* the files' text; NULL: no modules are wanted */
	char **order;             /* what was chosen, in an order in which it can be loaded:
				   * paths */
	size_t n;
};

/*
 * Finds the modules of a kernel in `folder`: a folder with modules.dep, or one that has such as
 * lib/modules/RELEASE. release: of the kernel, "" if it is not known. 0, or -1 with *err;
 * modules_close() in any case.
 */
int modules_open(struct modules *m, const char *folder, const char *release,
		 struct trawl_error *err);
void modules_close(struct modules *m);

/* The release that a kernel's image says it has; "" if it says none. 0, or -1 with *err: it cannot
 * be read. */
int modules_release(const char *image, char *release, size_t room, struct trawl_error *err);

/* Returns whether the kernel has the module `name`, in the folder or built in. */
bool modules_has(const struct modules *m, const char *name);
/* Chooses the module `name` and what it depends on. 0, also if there is no such module; -1 with
 * *err. */
int modules_choose(struct modules *m, const char *name, struct trawl_error *err);
/* Chooses the modules whose aliases match the device of a tape. 0, or -1 with *err. */
int modules_for(struct modules *m, const struct tape *t, struct trawl_error *err);
/* Chooses FILE.ko, which need not be in the folder. 0, or -1 with *err. */
int modules_add(struct modules *m, const char *path, struct trawl_error *err);

/* Adds the chosen modules to the file system as /modules/000, 001 ..., in the order of loading. 0,
 * or -1 with *err. */
int modules_pack(const struct modules *m, struct initramfs *r, struct trawl_error *err);

#endif
