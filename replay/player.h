/* SPDX-License-Identifier: MIT */
/*
 * Plays the device of a tape to a host.
 *
 * The entries are played per endpoint, in the tape's order. Data from the host is compared with
 * what it sent in the capture and releases the answers that it caused. Control requests are matched
 * by their setup packets. Anything else that the host does is answered as well as the tape allows,
 * and counted.
 */
#ifndef TRAWL_REPLAY_PLAYER_H
#define TRAWL_REPLAY_PLAYER_H

#include <signal.h>

#include "replay/playeroptions.h"
#include "replay/standard.h"
#include "replay/verdict.h"

struct player;

/* t and v must outlive the player. NULL with *err. To be freed with player_free(). */
struct player *player_new(struct tape *t, const struct player_options *o, struct verdict *v,
			  struct trawl_error *err);
void player_free(struct player *p);

const struct standard *player_standard(const struct player *p);
/* Writes the i-th remark about what was guessed of the device; false after the last. */
bool player_note(const struct player *p, unsigned int i, char *text, size_t room);

enum player_end { PLAYER_DONE, PLAYER_UNPLUGGED, PLAYER_SIGNAL, PLAYER_TIMEOUT };

/*
 * Plays until the end of the tape, or as the options say. stop: set by a signal handler, which also
 * calls usbip_stop(): then nothing waits any longer. Returns an enum player_end, or -1 with *err.
 */
int player_run(struct player *p, struct usbip *u, const volatile sig_atomic_t *stop,
	       struct trawl_error *err);

/* Counts what did not happen; to be called after player_run(). */
void player_finish(struct player *p);

#endif
