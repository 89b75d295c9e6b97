/* SPDX-License-Identifier: MIT */
/* Common parts of the tests of the uprobe interface: TAP, and children to trace. */
#ifndef TRAWL_TESTS_UPROBE_CHILD_H
#define TRAWL_TESTS_UPROBE_CHILD_H

#include <stdbool.h>
#include <sys/types.h>
#include "uprobe/trawl-uprobe.h"

/* number of tests, and of failed ones */
extern int count, bad;
void ok(bool good, const char *what);

/* A child that acts on a byte through a pipe and acknowledges with a byte. */
struct child {
	pid_t pid;
	int go, done;
	volatile long *shared;	/* a page shared by both */
};

struct child start(void (*work)(struct child *, char what));
void tell(struct child *child, char what);
/* is_done() - whether the child acknowledges within ms. */
bool is_done(struct child *child, int ms);
void finish(struct child *child);

/* A copy of sleep made by the test, owned by root and set-uid. */
#define SUID_PROGRAM "/var/tmp/uprobe-suid"

/* work() - actions of most children; the letters are the cases of its switch. */
void work(struct child *child, char what);
extern volatile long sink;
long probed(long value);
long second(long value);
long factorial(long n);
void jumps(long n);
unsigned long library_function(void);

/* Makes a registration for a child. */
struct uprobe at(struct child *child, unsigned long id, long (*where)(long));
struct uprobe event(struct child *child, enum uprobe_event event);

/* Each test runs in its own process and therefore has its own tracer. */
void test_registers(void), test_bases(void), test_return_registers(void),
	test_return_and_calls(void), test_rip(void), test_calls(void), test_moved(void);
void test_khandler(void), test_branches(void), test_module(void);
void test_fatal(void), test_looking(void), test_death(void), test_rights(void), test_gains(void),
	test_namespace(void), test_pointers(void), test_reasons(void), test_bad(void);

#endif
