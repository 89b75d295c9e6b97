/* SPDX-License-Identifier: MIT */
/*
 * The two sides of the virtual machine. On the host, vm.c makes the initial file system and the
 * plan, and qemu.c runs the machine. In the guest, vmguest.c is the first process: it carries out
 * the plan and reports by lines "WORD TEXT" on the second serial port.
 */
#ifndef TRAWL_REPLAY_VM_H
#define TRAWL_REPLAY_VM_H

#include <stdbool.h>
#include <stdint.h>

#include "format/trawl.h"

/* Exit statuses for git bisect run. */
enum { VM_GOOD = 0, VM_BAD = 1, VM_UNTESTABLE = 125 };

/* Words of the guest's lines. */
#define VM_READY "ready"           /* the modules are loaded and vhci_hcd is there */
#define VM_SAY "say"               /* text for the user */
#define VM_RUN "run"               /* a run begins; its number */
#define VM_FINDING "finding"       /* the kernel complained in this run; its first line */
#define VM_STATUS  "status" /* VM_GOOD, VM_BAD or VM_UNTESTABLE: the guest is done */

/* Paths in the guest's file system. */
#define VM_PLAN "/plan"            /* lines "WORD TEXT"; the words follow */
#define VM_CAPTURE "/capture"
#define VM_MODULES "/modules"
/*
 * The plan's lines: "device WORD", a word of trawl-replay device's command line; "check WORD", a
 * word of CHECK; "settle NS"; "mutate SEED FIRST RUNS".
 */

/* The first process of the guest. Does not return. */
void vm_guest(void) __attribute__((noreturn));

/* ---- running it ------------------------------------------------------------------------------ */

struct vm_machine {
	const char *kernel, *accelerator; /* accelerator NULL: kvm if available, else tcg */
	int initramfs;                    /* descriptor of the archive */
	unsigned int memory;              /* MB */
	uint64_t limit;                   /* longest silence of the guest, ns */
	bool verbose;                     /* print the kernel's console */
	bool quiet;                       /* do not print what the guest says */
};

struct vm_result {
	bool ready;
	int status;            /* the guest's; -1: it reported none */
	uint64_t run;          /* number of the last run that began */
	char finding[300];     /* first line of the kernel's complaint; "": none */
	char why[200];         /* if status is -1: what happened to the machine */
	char complaint[2000];  /* the kernel's log from its first error on; "": no error */
};

/*
 * Boots the machine and prints what the guest reports, until it is done. Returns 0, or -1 with *err
 * if there is no machine.
 */
int vm_run(const struct vm_machine *m, struct vm_result *r, struct trawl_error *err);
/* Its parts. Reads the guest's lines from fd until it is done, or silent for too long. */
void vm_listen(const struct vm_machine *m, int fd, struct vm_result *r);
/* Copies the kernel's log from its first error on; closes console. verbose: prints all of it. */
void vm_read_console(int console, struct vm_result *r, bool verbose);

/* True if a line of a kernel's log begins the report of a kernel error. */
bool vm_is_complaint(const char *line);

#endif
