/* SPDX-License-Identifier: MIT */
/* Reads depmod's lists of kernel modules and chooses the modules that a USB device needs. */
#ifndef TRAWL_REPLAY_MODULES_H
#define TRAWL_REPLAY_MODULES_H

#include "replay/initramfs.h"
#include "replay/tape.h"

struct modules {
	char folder[512];         /* the folder that contains modules.dep */
	char *dep, *alias, *builtin; /* contents of these files; NULL: no modules are used */
	struct pathlist chosen;      /* in an order in which they can be loaded */
};

/*
 * Finds the modules of a kernel. folder contains modules.dep, or lib/modules/RELEASE with it; NULL:
 * no modules. release: the kernel's, "" if unknown. Returns 0, or -1 with *err; modules_close() is
 * to be called in any case.
 */
int modules_open(struct modules *m, const char *folder, const char *release,
		 struct trawl_error *err);
void modules_close(struct modules *m);

/*
 * Reads the release from a kernel image (bzImage or vmlinux) into release[room]; "" if the image
 * has none. Returns 0, or -1 with *err if it cannot be read.
 */
int modules_release(const char *image, char *release, size_t room, struct trawl_error *err);

/* True if the kernel has the module `name`, as a file or built in. */
bool modules_has(const struct modules *m, const char *name);
/*
 * Chooses the module `name` and its dependencies. Returns 0, also if there is no such module; -1
 * with *err.
 */
int modules_choose(struct modules *m, const char *name, struct trawl_error *err);
/* Chooses the modules whose aliases match the tape's device. Returns 0, or -1 with *err. */
int modules_for(struct modules *m, const struct tape *t, struct trawl_error *err);
/* Chooses the module file at path, which need not be in the folder. Returns 0, or -1 with *err. */
int modules_add(struct modules *m, const char *path, struct trawl_error *err);

/*
 * Adds the chosen modules to the archive as /modules/000, 001, ... in loading order. Returns 0, or
 * -1 with *err.
 */
int modules_pack(const struct modules *m, struct initramfs *r, struct trawl_error *err);

#endif
