/* SPDX-License-Identifier: MIT */
#include "decode/usb/busstatistics.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Source of the PIDs and of what follows what: USB 2.0 specification, tables 8-1 and 8-3. */
enum {
	PID_OUT = 1, PID_ACK = 2, PID_PING = 4, PID_SOF = 5, PID_NYET = 6, PID_SPLIT = 8,
	PID_IN = 9, PID_NAK = 10, PID_SETUP = 13, PID_STALL = 14,
};

enum token { TOKEN_SETUP, TOKEN_OUT, TOKEN_PING, TOKEN_IN, TOKENS };

/* Transactions that begin with one kind of token to one endpoint. */
struct transactions {
	uint64_t tokens, data, bytes, ack, nak, stall, nyet, silent;
	uint64_t refused; /* how many of the last ones moved no data, in a row */
};

struct bus_stats {
	struct transactions of[128][16][TOKENS];
	uint64_t frames, bad;
	/* the transaction that is not complete; NULL: none */
	struct transactions *now;
	bool has_data, has_handshake;
	bool split;   /* the last packet is a start split */
	bool for_hub; /* the transaction follows a start split: its handshake is the hub's */
};

struct bus_stats *busstat_new(void)
{
	return calloc(1, sizeof(struct bus_stats));
}

/*
 * A transaction ends with the next token. Isochronous ones have data and no handshake. What follows
 * a start split is counted with the complete split, but for its data; isochronous data to a device
 * has no complete split.
 */
static void end_transaction(struct bus_stats *s)
{
	struct transactions *t = s->now;

	s->now = NULL;
	if (!t)
		return;
	t->data += s->has_data;
	if (s->has_data && !s->has_handshake && !s->for_hub)
		t->refused = 0;
	t->silent += !s->for_hub && !s->has_data && !s->has_handshake;
}

/* A damaged packet may be data or a handshake, which then is no silence, or the next token. */
static void take_bad(struct bus_stats *s)
{
	s->bad++;
	s->split = false;
	if (s->now && !s->has_handshake)
		s->now->refused = 0;
	s->has_handshake = true;
	end_transaction(s);
}

static void begin_transaction(struct bus_stats *s, const struct busstat_packet *p, enum token token)
{
	end_transaction(s);
	s->for_hub = s->split;
	s->split = false;
	s->now = &s->of[p->address & 127][p->endpoint & 15][token];
	s->has_data = s->has_handshake = false;
	if (s->for_hub)
		return;
	s->now->tokens++;
	s->now->refused++;
}

/* A transaction has to have begun. */
static void count_handshake(struct bus_stats *s, uint8_t pid)
{
	struct transactions *t = s->now;

	s->has_handshake = true;
	if (s->for_hub)
		return;
	switch (pid) {
	case PID_ACK:
		t->ack++;
		t->refused = 0;
		break;
	case PID_NYET: /* data was taken, but there is no room for more; or the hub must wait */
		t->nyet++;
		t->refused = s->has_data ? 0 : t->refused;
		break;
	case PID_NAK:
		t->nak++;
		break;
	case PID_STALL:
		t->stall++;
		break;
	}
}

void busstat_add(struct bus_stats *s, const struct busstat_packet *p)
{
	if (p->bad) {
		take_bad(s);
		return;
	}
	switch (p->pid) {
	case PID_SPLIT:
		end_transaction(s);
		s->split = p->start_split;
		return;
	case PID_SOF:
		s->frames++;
		return;
	case PID_SETUP:
		begin_transaction(s, p, TOKEN_SETUP);
		return;
	case PID_OUT:
		begin_transaction(s, p, TOKEN_OUT);
		return;
	case PID_PING:
		begin_transaction(s, p, TOKEN_PING);
		return;
	case PID_IN:
		begin_transaction(s, p, TOKEN_IN);
		return;
	}
	if (!s->now)
		return;
	if ((p->pid & 3) == 3) {
		s->has_data = true;
		s->now->bytes += p->data_len;
	} else if ((p->pid & 3) == 2) {
		count_handshake(s, p->pid);
	}
}

static void print_transactions(const struct transactions *t, unsigned int address,
			       unsigned int endpoint, const char *token, struct out *o)
{
	char name[24];

	snprintf(name, sizeof(name), "%u ep%u %s", address, endpoint, token);
	out_printf(o, "  %-15s %9" PRIu64 " %9" PRIu64 " %11" PRIu64 " %9" PRIu64 " %9" PRIu64
		   " %6" PRIu64 " %6" PRIu64 " %6" PRIu64 "\n", name, t->tokens, t->data, t->bytes,
		   t->ack, t->nak, t->nyet, t->stall, t->silent);
	if (t->refused > 1)
		out_printf(o, "    the last %" PRIu64 " in a row: no data moved\n", t->refused);
}

void busstat_print(struct bus_stats *s, struct out *o)
{
	static const char *const names[TOKENS] = {"SETUP", "OUT", "PING", "IN"};
	bool any = false;

	end_transaction(s);
	for (unsigned int i = 0; i < 128 * 16 * TOKENS; i++) {
		unsigned int address = i / TOKENS / 16, endpoint = i / TOKENS % 16;
		const struct transactions *t = &s->of[address][endpoint][i % TOKENS];

		if (!t->tokens && !t->data)
			continue;
		if (!any)
			out_printf(o, "USB packets by address, endpoint and token\n  %-15s %9s %9s "
				   "%11s %9s %9s %6s %6s %6s\n", "token", "number", "with data",
				   "bytes", "ACK", "NAK", "NYET", "STALL", "silent");
		any = true;
		print_transactions(t, address, endpoint, names[i % TOKENS], o);
	}
	if (s->frames)
		out_printf(o, "USB start of frame packets: %" PRIu64 "\n", s->frames);
	if (s->bad)
		out_printf(o, "USB packets that are damaged: %" PRIu64 "\n", s->bad);
}
