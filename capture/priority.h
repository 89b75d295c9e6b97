/* SPDX-License-Identifier: MIT */
#ifndef TRAWL_CAPTURE_PRIORITY_H
#define TRAWL_CAPTURE_PRIORITY_H

/*
 * A recorder that waits for a processor while its buffers run over records nothing, so on a busy
 * machine it goes first. Niceness counts for nothing between sessions (autogroups) and control
 * groups: so all threads get the lowest real-time priority, those that compress too, for which the
 * emptying of the buffers waits when they fall behind. What they use is in proportion to what
 * happens; not so at a high level of compression.
 *
 * Done once COMMAND and the printer have been forked, which keep what they had, and before the
 * writer's threads are made, which inherit it. Where it is not allowed the recording is only less
 * safe.
 */
void priority_first(int level);

#endif
