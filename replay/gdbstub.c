/* SPDX-License-Identifier: MIT */
#include "replay/gdbstub.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "common/array.h"
#include "common/utf8.h"
#include "decode/base/output.h"

#define PACKET 4096
#define RIP 16                 /* gdb's register number */
#define REGISTERS (16 * 8)     /* bytes of the registers before it */
#define BEHIND (4 + 6 * 4 + 8 * 10 + 8 * 4 + 16 * 16 + 4)
#define LIBRARIES "qXfer:libraries-svr4:read::"

struct stub {
	struct walk *walk;
	FILE *in, *out;
	uint64_t *breakpoints;
	size_t n;
	bool no_acks;
	char next[PACKET]; /* a packet that was read ahead, if has_next */
	bool has_next;
	char answer[2 * PACKET];
};

static void send(struct stub *s, const char *text)
{
	unsigned int sum = 0;

	for (const char *p = text; *p; p++)
		sum += (unsigned char)*p;
	fprintf(s->out, "$%s#%02x", text, sum & 255);
	fflush(s->out);
}

/* Reads the rest of a packet, without its frame, into packet[PACKET]. False if gdb is gone. */
static bool read_rest(struct stub *s, char *packet)
{
	int c = 0;
	size_t n = 0;

	while (c != EOF && (c = getc(s->in)) != EOF && c != '#')
		if (n + 1 < PACKET)
			packet[n++] = (char)c;
	packet[n] = '\0';
	return c != EOF && getc(s->in) != EOF && getc(s->in) != EOF;
}

/*
 * Until acknowledgements are off, gdb repeats a packet that is not acknowledged within its
 * remotetimeout. Passes over such repetitions; another packet is kept for receive().
 */
static void skip_repeated(struct stub *s, const char *packet)
{
	struct pollfd p = {.fd = fileno(s->in), .events = POLLIN};
	int c = 0;

	while (!s->no_acks && !s->has_next && c != EOF && poll(&p, 1, 0) > 0) {
		c = getc(s->in);
		s->has_next = c == '$' && read_rest(s, s->next) && strcmp(s->next, packet);
	}
}

/* Reads the next packet, without its frame, into packet[PACKET]. False if gdb is gone. */
static bool receive(struct stub *s, char *packet)
{
	int c = 0;

	if (s->has_next) {
		memcpy(packet, s->next, PACKET);
		s->has_next = false;
	} else {
		while (c != '$' && c != EOF)
			c = getc(s->in);
		if (c == EOF || !read_rest(s, packet))
			return false;
	}
	skip_repeated(s, packet);
	if (!s->no_acks) {
		putc('+', s->out);
		fflush(s->out);
	}
	return true;
}

static char *put_little(char *to, uint64_t v)
{
	for (unsigned int i = 0; i < 8; i++, v >>= 8)
		to += sprintf(to, "%02x", (unsigned int)(v & 255));
	return to;
}

static void registers(struct stub *s)
{
	struct walk_insn i;
	char *to = s->answer;

	walk_here(s->walk, &i);
	memset(to, 'x', 2 * REGISTERS);
	to = put_little(to + 2 * REGISTERS, i.pc);
	memset(to, 'x', 2 * BEHIND);
	to[2 * BEHIND] = '\0';
	send(s, s->answer);
}

static void one_register(struct stub *s, unsigned long number)
{
	struct walk_insn i;

	walk_here(s->walk, &i);
	strcpy(s->answer, "xxxxxxxxxxxxxxxx");
	if (number == RIP)
		*put_little(s->answer, i.pc) = '\0';
	send(s, s->answer);
}

static void memory(struct stub *s, const char *what)
{
	uint8_t bytes[PACKET / 2];
	char *end;
	uint64_t address = strtoull(what, &end, 16);
	size_t n = *end == ',' ? strtoul(end + 1, NULL, 16) : 0;
	const char *why;

	n = walk_code(s->walk, address, bytes, n < sizeof(bytes) ? n : sizeof(bytes), &why);
	for (size_t i = 0; i < n; i++)
		sprintf(s->answer + 2 * i, "%02x", bytes[i]);
	send(s, n ? s->answer : "E01");
}

/*
 * Z0,ADDRESS,KIND sets a breakpoint and z0 removes it; hardware breakpoints (1) are treated alike.
 */
static void breakpoint(struct stub *s, const char *packet)
{
	const char *comma = strchr(packet, ',');
	uint64_t address = comma ? strtoull(comma + 1, NULL, 16) : 0;
	size_t i = 0;

	if (!comma || (packet[1] != '0' && packet[1] != '1')) {
		send(s, comma ? "" : "E01");
		return;
	}
	while (i < s->n && s->breakpoints[i] != address)
		i++;
	if (*packet == 'z' && i < s->n)
		s->breakpoints[i] = s->breakpoints[--s->n];
	if (*packet == 'Z' && i == s->n) {
		if (!array_grow(s->breakpoints, s->n)) {
			send(s, "E0c"); /* ENOMEM */
			return;
		}
		s->breakpoints[s->n++] = address;
	}
	send(s, "OK");
}

static bool at_breakpoint(struct stub *s)
{
	struct walk_insn i;

	walk_here(s->walk, &i);
	for (size_t k = 0; k < s->n; k++)
		if (s->breakpoints[k] == i.pc)
			return true;
	return false;
}

/* Steps once or (on) up to a breakpoint; stops at an end of the recording and at a gap in it. */
static void go(struct stub *s, bool back, bool on)
{
	enum walk_end end;

	do
		end = back ? walk_back(s->walk) : walk_step(s->walk);
	while (on && end == WALK_OK && !at_breakpoint(s));
	send(s,
	     end == WALK_BEGIN	       ? "T05replaylog:begin;"
		     : end == WALK_END ? "T05replaylog:end;"
				       : "S05");
}

/*
 * Whether XML can hold a text: UTF-8, without control characters other than those of layout, not
 * even by their numbers.
 */
static bool fits_xml(const char *text)
{
	const unsigned char *p = (const unsigned char *)text;
	size_t left = strlen(text), run, bad;

	for (; left; p += run, left -= run) {
		run = utf8_length(p, left, &bad);
		if (!run || (*p < ' ' && !strchr("\t\n\r", *p)))
			return false;
	}
	return true;
}

/* Appends a text as the value of an attribute in XML. */
static void put_attribute(struct out *o, const char *text)
{
	for (; *text; text++)
		if (strchr("&<>\"'", *text) || (unsigned char)*text < ' ')
			out_printf(o, "&#%d;", *text);
		else
			out_printf(o, "%c", *text);
}

/*
 * Sends the part OFFSET,LENGTH (hex) of the list of libraries, from which gdb reads their symbols
 * (gdb's manual, "Library List Format for SVR4 Targets"). The stub has no link maps: their
 * addresses, lm, are only numbers that differ.
 */
static void libraries(struct stub *s, const char *part)
{
	char *end, *to = s->answer;
	size_t from = strtoul(part, &end, 16);
	size_t n = *end == ',' ? strtoul(end + 1, NULL, 16) : 0;
	struct walk_library l;
	struct out xml;

	out_memory(&xml);
	out_printf(&xml, "<library-list-svr4 version=\"1.0\">");
	for (size_t i = 0; walk_library(s->walk, i, &l); i++) {
		if (!fits_xml(l.path)) /* gdb would take none of the list */
			continue;
		out_printf(&xml, "<library name=\"");
		put_attribute(&xml, l.path);
		out_printf(&xml,
			   "\" lmid=\"0x0\" lm=\"%#zx\" l_addr=\"%#" PRIx64 "\" l_ld=\"%#" PRIx64
			   "\"/>",
			   i + 1, l.moved, l.dynamic);
	}
	out_printf(&xml, "</library-list-svr4>");
	from = from < xml.len ? from : xml.len;
	n = n < PACKET - 16 ? n : PACKET - 16;
	n = n < xml.len - from ? n : xml.len - from;
	*to++ = from + n < xml.len ? 'm' : 'l';
	for (size_t i = from; i < from + n; i++) {
		char c = xml.data[i];

		if (strchr("#$}*", c)) { /* means something else in a packet */
			*to++ = '}';
			c ^= 0x20;
		}
		*to++ = c;
	}
	*to = '\0';
	send(s, xml.error ? "E0c" /* ENOMEM */ : s->answer);
	out_free(&xml);
}

static void query(struct stub *s, const char *packet)
{
	uint64_t by;

	if (!strncmp(packet, "qSupported", 10)) {
		sprintf(s->answer,
			"PacketSize=%x;ReverseStep+;ReverseContinue+;QStartNoAckMode+;"
			"qXfer:libraries-svr4:read+",
			PACKET - 16);
		send(s, s->answer);
	} else if (!strncmp(packet, LIBRARIES, strlen(LIBRARIES))) {
		libraries(s, packet + strlen(LIBRARIES));
	} else if (!strcmp(packet, "qOffsets") && walk_moved(s->walk, &by)) {
		sprintf(s->answer, "Text=%" PRIx64 ";Data=%" PRIx64 ";Bss=%" PRIx64, by, by, by);
		send(s, s->answer);
	} else if (!strcmp(packet, "qC")) {
		sprintf(s->answer, "QC%x", (unsigned int)walk_tid(s->walk));
		send(s, s->answer);
	} else if (!strcmp(packet, "qfThreadInfo")) {
		sprintf(s->answer, "m%x", (unsigned int)walk_tid(s->walk));
		send(s, s->answer);
	} else if (!strcmp(packet, "qsThreadInfo")) {
		send(s, "l");
	} else if (!strcmp(packet, "qAttached")) {
		send(s, "1");
	} else if (!strcmp(packet, "QStartNoAckMode")) {
		send(s, "OK");
		s->no_acks = true;
	} else {
		send(s, "");
	}
}

/* Handles one packet. False if gdb detaches. */
static bool handle(struct stub *s, const char *p)
{
	switch (*p) {
	case '?':
		send(s, "S05");
		return true;
	case 'g':
		registers(s);
		return true;
	case 'p':
		one_register(s, strtoul(p + 1, NULL, 16));
		return true;
	case 'm':
		memory(s, p + 1);
		return true;
	case 's':
	case 'c':
		go(s, false, *p == 'c');
		return true;
	case 'b':
		go(s, true, p[1] == 'c');
		return true;
	case 'Z':
	case 'z':
		breakpoint(s, p);
		return true;
	case 'H':
	case 'T':
		send(s, "OK");
		return true;
	case 'q':
	case 'Q':
		query(s, p);
		return true;
	case 'D':
		send(s, "OK");
		return false;
	case 'k':
		return false;
	case 'G':
	case 'P':
	case 'M':
	case 'X':
		send(s, "E01"); /* registers and memory cannot be written */
		return true;
	default:
		send(s, "");
		return true;
	}
}

/* ---- until the walk is ready ----------------------------------------------------------------- */

#define LOADING "%loading:#18" /* a notification with its checksum: gdb ignores unknown ones */
#define LOADING_US 500000      /* less than a remotetimeout, which is at least 1 s */

static void notify(int signal)
{
	int kept = errno;

	/* If it fails, gdb is gone, which receive() will see. */
	if (write(STDOUT_FILENO, LOADING, sizeof(LOADING) - 1) < 0)
		errno = kept;
}

void gdbstub_loading(void)
{
	const struct timeval often = {.tv_usec = LOADING_US};
	struct sigaction a = {.sa_handler = notify, .sa_flags = SA_RESTART};

	sigaction(SIGALRM, &a, NULL);
	setitimer(ITIMER_REAL, &(struct itimerval){often, often}, NULL);
}

/* The timer goes on, but the sandbox permits nothing more than to ignore it. */
static void end_loading(void)
{
	signal(SIGALRM, SIG_IGN);
}

int gdbstub_run(struct walk *w, FILE *in, FILE *out, struct trawl_error *err)
{
	struct stub *s = calloc(1, sizeof(*s));
	char packet[PACKET];

	if (!s)
		return trawl_fail(err, TRAWL_CANNOT, "out of memory");
	*s = (struct stub){.walk = w, .in = in, .out = out};
	setvbuf(in, NULL, _IONBF, 0); /* so that poll() sees whether there is more */
	end_loading();
	while (receive(s, packet) && handle(s, packet))
		;
	free(s->breakpoints);
	free(s);
	return 0;
}
