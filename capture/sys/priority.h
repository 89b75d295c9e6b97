/* SPDX-License-Identifier: MIT */
#ifndef TRAWL_CAPTURE_SYS_PRIORITY_H
#define TRAWL_CAPTURE_SYS_PRIORITY_H

/*
 * Gives the recorder priority, so that its ring buffers do not overrun on a busy machine. Niceness
 * has no effect between sessions (autogroups) and control groups; therefore the draining thread
 * gets the lowest real-time priority. Compression threads run at normal priority unless the
 * recorder waits for them. Above a compression level of 6 their time is not bounded by the number
 * of events: then niceness only.
 *
 * Called after COMMAND and the printer have been forked, which keep their priority. A failure is
 * ignored: the recording then loses events sooner.
 */
void priority_first(int level);

/*
 * Moves the thread to another processor that it may use, if there is one. Called when the recorder
 * runs on the processor of the recorded program. A real-time thread wakes up on the processor where
 * it slept, even if others are idle, so it stays on the new one.
 */
void priority_step_aside(void);

#endif
