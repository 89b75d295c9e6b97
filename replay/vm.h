/* SPDX-License-Identifier: MIT */
/*
 * The virtual machine's two sides. Here: vm.c makes its initial file system and its plan, qemu.c
 * runs it.
 * There: vmguest.c is its first process, carries out the plan, and tells in lines "WORD TEXT" on
 * the second serial line what comes of it.
 */
#ifndef TRAWL_REPLAY_VM_H
#define TRAWL_REPLAY_VM_H

#include <stdbool.h>
#include <stdint.h>

#include "format/trawl.h"

/* git bisect run: the revision cannot be tested. */
enum { VM_GOOD = 0, VM_BAD = 1, VM_UNTESTABLE = 125 };

/* Words of the guest. */
#define VM_READY "ready"           /* modules are loaded, and vhci_hcd is there */
#define VM_SAY "say"               /* for the user */
#define VM_RUN "run"               /* number of the run that begins */
#define VM_FINDING "finding"       /* the kernel complained in this run */
#define VM_STATUS  "status" /* VM_GOOD, VM_BAD or VM_UNTESTABLE: the run of the machine is over */

/* Where things are in the guest's file system. */
#define VM_PLAN "/plan"            /* lines "WORD TEXT", as follows */
#define VM_CAPTURE "/capture"
#define VM_MODULES "/modules"
/*
 * device WORD: of the command line of trawl-replay device; check WORD: of CHECK's; settle NS;
 * mutate SEED FIRST RUNS
 */

/* The first process of the guest. Does not return. */
void vm_guest(void) __attribute__((noreturn));

/* ---- running it ------------------------------------------------------------------------------ */

struct vm_machine {
	const char *kernel, *accelerator; /* NULL: kvm if it is there, else tcg */
	int initramfs;                    /* a descriptor */
	unsigned int memory;              /* MB */
	uint64_t limit;                   /* ns that the guest may say nothing */
	bool verbose;                     /* print the kernel's console */
	bool quiet;                       /* do not print what the guest says */
};

struct vm_result {
	bool ready;
	int status;            /* -1: the guest said none */
	uint64_t run;          /* the last that began */
	char finding[300];     /* "": none */
	char why[200];         /* where there is no status: what happened to the machine */
	char complaint[2000];  /* of the kernel's log: an error of the kernel's; "": none */
};

/* Boots, and prints what the guest says, until it is over. 0, or -1 with *err: there is no
 * machine. */
int vm_run(const struct vm_machine *m, struct vm_result *r, struct trawl_error *err);

/* Whether a line of a kernel's log begins the report of an error in the kernel. */
bool vm_is_complaint(const char *line);

#endif
