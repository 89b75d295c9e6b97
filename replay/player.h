/* SPDX-License-Identifier: MIT */
/*
 * Plays the device of a tape to a host.
 *
 * Endpoint by endpoint, in the order of the tape. What the host sends is compared with what it sent
 * then; that releases the answers which it caused. Requests are found again by their setup packets.
 * What the host does besides is answered as well as the tape allows, and noted.
 */
#ifndef TRAWL_REPLAY_PLAYER_H
#define TRAWL_REPLAY_PLAYER_H

#include "replay/playeroptions.h"
#include "replay/standard.h"
#include "replay/verdict.h"

struct player;

/* t and v live as long as the player. NULL with *err. */
struct player *player_new(struct tape *t, const struct player_options *o, struct verdict *v,
			  struct trawl_error *err);
void player_free(struct player *p);

const struct standard *player_standard(const struct player *p);
/* What is guessed of the device, one line at a time; false after the last. */
bool player_note(const struct player *p, unsigned int i, char *text, size_t room);

enum player_end { PLAYER_DONE, PLAYER_UNPLUGGED, PLAYER_SIGNAL, PLAYER_TIMEOUT };

/*
 * Until the tape has been played (or as the options say). stop: a descriptor that is readable when
 * a signal came. enum player_end, or -1 with *err.
 */
int player_run(struct player *p, struct usbip *u, int stop, struct trawl_error *err);

/* After player_run(): counts what did not happen. */
void player_finish(struct player *p);

#endif
