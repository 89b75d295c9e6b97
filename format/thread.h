/* SPDX-License-Identifier: MIT */
/* The threads of a writer beside a recorder, which may have a real-time priority. */
#ifndef TRAWL_FORMAT_THREAD_H
#define TRAWL_FORMAT_THREAD_H

#include <pthread.h>
#include <stdbool.h>

/*
 * Initialises a mutex with priority inheritance, because threads of different priority wait for it.
 */
void lock_init(pthread_mutex_t *m);

/*
 * Starts a thread with normal priority, even if the caller has a real-time priority: its work can
 * wait, and the recorded program may need the processor. Returns false on failure.
 */
bool thread_start(pthread_t *t, void *(*run)(void *), void *arg);

/*
 * Blocks all signals in the calling thread, so that the program's own threads handle them. Except
 * SIGRTMAX, which the program may send to each thread to drop capabilities (they are per thread),
 * and SIGSYS: a thread that blocks it is killed by a system call filter that should only refuse.
 */
void thread_block_signals(void);

/*
 * Gives a thread the caller's real-time priority while the caller waits for it. False: it has none.
 */
bool thread_lend(pthread_t t);
/* Gives the thread normal priority again; `lent` is the result of thread_lend(). */
void thread_take_back(pthread_t t, bool lent);

#endif
