/* SPDX-License-Identifier: MIT */
/* The threads of a writer beside a recorder, which may have a real-time priority. */
#ifndef TRAWL_FORMAT_THREAD_H
#define TRAWL_FORMAT_THREAD_H

#include <pthread.h>
#include <stdbool.h>

/* Initialises a mutex with priority inheritance: whoever waits may have a higher priority. */
void lock_init(pthread_mutex_t *m);

/*
 * Starts a thread with the ordinary priority, whatever the caller's is: its work can wait, and the
 * program that is recorded may need the processor. False without memory.
 */
bool thread_start(pthread_t *t, void *(*run)(void *), void *arg);

/*
 * For a thread: signals are for the program's own threads. SIGRTMAX is left to the program, which
 * may have something to say to each of its threads (Linux' capabilities are a thread's own),
 * and SIGSYS: a thread that blocks it is killed where a filter of system calls would only refuse.
 */
void thread_block_signals(void);

/* Gives a thread for which the caller waits the caller's real-time priority; false: it has none. */
bool thread_lend(pthread_t t);
/* Gives the thread the ordinary priority again; `lent` is what thread_lend() returned. */
void thread_take_back(pthread_t t, bool lent);

#endif
