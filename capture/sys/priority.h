/* SPDX-License-Identifier: MIT */
#ifndef TRAWL_CAPTURE_SYS_PRIORITY_H
#define TRAWL_CAPTURE_SYS_PRIORITY_H

/*
 * A recorder that waits for a processor while its buffers run over records nothing, so on a busy
 * machine it goes first. Niceness counts for nothing between sessions (autogroups) and control
 * groups: so the thread that empties the buffers gets the lowest real-time priority, and lends it
 * to those that compress while it waits for them. What they use is in proportion to what happens;
 * not so at a high level of compression.
 *
 * Done once COMMAND and the printer have been forked, which keep what they had. Where it is not
 * allowed the recording is only less safe.
 */
void priority_first(int level);

/*
 * The thread leaves the processor that it is on for another that it may use, if there is one. It
 * stays there: a real-time thread wakes up where it slept, whoever runs there and however idle
 * others are. For a recorder that finds itself in the place of the program that it records.
 */
void priority_step_aside(void);

#endif
