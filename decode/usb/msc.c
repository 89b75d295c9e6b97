/* SPDX-License-Identifier: MIT */
#include "decode/usb/msc.h"
#include "decode/base/bytes.h"
#include "decode/usb/bitlayout.h"
#include "decode/usb/codename.h"
#include "decode/usb/scsiopcode.h"
#include "decode/usb/scsisense.h"

#define CBW_SIGNATURE 0x43425355 /* "USBC" */
#define CSW_SIGNATURE 0x53425355 /* "USBS" */
#define CBW_SIZE 31
#define CSW_SIZE 13

bool msc_is_cbw(const uint8_t *p, size_t n)
{
	return n == CBW_SIZE && get32(p) == CBW_SIGNATURE && p[14] >= 1 && p[14] <= 16;
}

static bool is_csw(const uint8_t *p, size_t n)
{
	return n == CSW_SIZE && get32(p) == CSW_SIGNATURE;
}

/* ---- which units are optical drives --------------------------------------------------------- */

enum { TYPE_OPTICAL = 5 };

static bool only_optical(uint8_t opcode)
{
	return opcode == SCSI_GET_CONFIGURATION || opcode == SCSI_READ_TOC_PMA_ATIP ||
	       opcode == SCSI_READ_DISC_INFORMATION || opcode == SCSI_READ_TRACK_INFORMATION ||
	       opcode == SCSI_READ_DISC_STRUCTURE;
}

static uint16_t unit_bit(uint8_t lun)
{
	return (uint16_t)(1u << (lun & 15));
}

/* Sets c->optical by what the unit was seen to be. */
static void classify(struct msc *m, uint8_t lun, struct scsi_command *c)
{
	if (only_optical(c->cdb[0]))
		m->optical |= unit_bit(lun);
	c->optical = m->optical & unit_bit(lun);
}

/* The answer to INQUIRY says what the unit is. */
static void learn(struct msc *m, const struct msc_step *s, const struct msc_transfer *t)
{
	if (!s->has_command || !s->in || s->before || !t->n || !scsi_identification(&s->command))
		return;
	if ((t->p[0] & 0x1f) == TYPE_OPTICAL)
		m->optical |= unit_bit(s->lun);
	else
		m->optical &= (uint16_t)~unit_bit(s->lun);
}

/* ---- Bulk-Only Transport -------------------------------------------------------------------- */

static void command_wrapper(struct msc *m, const uint8_t *p, uint64_t begin, struct msc_step *s)
{
	memset(&m->command, 0, sizeof(m->command));
	m->command.length = p[14] & 0x1f;
	memcpy(m->command.cdb, p + 15, m->command.length);
	m->tag = get32(p + 4);
	m->length = get32(p + 8);
	m->in = p[12] & 0x80;
	m->lun = p[13] & 0x0f;
	m->started = begin;
	m->moved = 0;
	m->open = true;
	classify(m, m->lun, &m->command);
	s->phase = MSC_COMMAND;
}

static void status_wrapper(struct msc *m, const uint8_t *p, uint64_t end, struct msc_step *s)
{
	s->phase = MSC_STATUS;
	s->tag = get32(p + 4);
	s->residue = get32(p + 8);
	s->status = p[12];
	s->has_command = m->open;
	s->started = m->started;
	s->tag_differs = m->open && s->tag != m->tag;
	if (m->open && end > m->started)
		s->elapsed = end - m->started;
	m->open = false;
}

/* Whether data can be that of the command. It need not be, if transfers were left out. */
static bool fits_command(const struct msc *m, bool in, const struct msc_transfer *t)
{
	return !t->sparse || (in == m->in && t->n <= m->length - m->moved);
}

bool msc_bot(struct msc *m, bool in, const struct msc_transfer *t, struct msc_step *s)
{
	memset(s, 0, sizeof(*s));
	if (!in && msc_is_cbw(t->p, t->n)) {
		command_wrapper(m, t->p, t->begin, s);
	} else if (in && is_csw(t->p, t->n)) {
		if (t->sparse && get32(t->p + 4) != m->tag)
			m->open = false; /* the status of a command that was left out */
		s->command = m->command;
		s->lun = m->lun;
		status_wrapper(m, t->p, t->end, s);
		return true;
	} else if (m->open && fits_command(m, in, t)) {
		s->phase = MSC_DATA;
	} else {
		return false;
	}
	s->has_command = true;
	s->command = m->command;
	s->started = m->started;
	s->tag = m->tag;
	s->lun = m->lun;
	s->length = m->length;
	s->in = s->phase == MSC_DATA ? in : m->in;
	if (s->phase == MSC_DATA) {
		s->before = m->moved;
		m->moved += t->n;
		learn(m, s, t);
	}
	return true;
}

/* ---- UAS ------------------------------------------------------------------------------------ */

enum uas_iu {
	UAS_COMMAND = 0x01,
	UAS_SENSE = 0x03,
	UAS_RESPONSE = 0x04,
	UAS_TASK = 0x05,
	UAS_READ_READY = 0x06,
	UAS_WRITE_READY = 0x07,
};

enum uas_pipe { UAS_PIPE_COMMAND = 1, UAS_PIPE_STATUS, UAS_PIPE_DATA_IN, UAS_PIPE_DATA_OUT };

static unsigned int slot(uint16_t tag)
{
	return tag % 64;
}

static bool uas_find(struct msc *m, uint16_t tag, struct msc_step *s)
{
	if (!m->uas[slot(tag)].open || m->uas[slot(tag)].tag != tag)
		return false;
	s->has_command = true;
	s->command = m->uas[slot(tag)].command;
	s->lun = m->uas[slot(tag)].lun;
	s->started = m->uas[slot(tag)].started;
	return true;
}

void msc_uas_submitted(struct msc *m, const uint8_t *p, size_t n, uint64_t begin)
{
	uint16_t tag = n >= 32 && p[0] == UAS_COMMAND ? get_be16(p + 2) : 0;
	unsigned int i = slot(tag);

	if (n < 32 || p[0] != UAS_COMMAND)
		return;
	m->uas[i].open = true;
	m->uas[i].tag = tag;
	m->uas[i].lun = p[9];
	m->uas[i].started = begin;
	m->uas[i].command.length = 16;
	memcpy(m->uas[i].command.cdb, p + 16, 16);
	m->uas[i].moved = 0;
	classify(m, m->uas[i].lun, &m->uas[i].command);
}

static void uas_command(struct msc *m, const struct msc_transfer *t, struct msc_step *s)
{
	unsigned int i = slot((uint16_t)s->tag);

	s->phase = MSC_COMMAND;
	if (t->n < 32)
		return;
	s->lun = t->p[9];
	/*
	 * Data and status may have completed before the command transfer, so the command is
	 * normally registered already.
	 */
	if (m->uas[i].tag != s->tag || m->uas[i].started != t->begin)
		msc_uas_submitted(m, t->p, t->n, t->begin);
	s->has_command = true;
	s->started = t->begin;
	s->command.length = 16;
	memcpy(s->command.cdb, t->p + 16, 16);
	classify(m, s->lun, &s->command);
}

static void uas_sense(struct msc *m, const struct msc_transfer *t, struct msc_step *s)
{
	unsigned int i = slot((uint16_t)s->tag);
	size_t len;

	s->phase = MSC_STATUS;
	if (uas_find(m, (uint16_t)s->tag, s)) {
		m->uas[i].open = false;
		if (t->end > m->uas[i].started)
			s->elapsed = t->end - m->uas[i].started;
	}
	if (t->n < 16)
		return;
	s->status = t->p[6];
	len = get_be16(t->p + 14);
	if (len > t->n - 16)
		len = t->n - 16;
	if (len > MSC_SENSE_MAX)
		len = MSC_SENSE_MAX;
	s->sense_len = (uint8_t)len;
	memcpy(s->sense, t->p + 16, len);
}

/* Data transfers carry no tag; their command is known only if a single command is in flight. */
static void uas_data(struct msc *m, const struct msc_transfer *t, struct msc_step *s)
{
	unsigned int open = 0, at = 0;

	s->phase = MSC_DATA;
	for (unsigned int i = 0; i < 64; i++) {
		if (m->uas[i].open) {
			open++;
			at = i;
		}
	}
	if (open != 1)
		return;
	s->tag = m->uas[at].tag;
	uas_find(m, m->uas[at].tag, s);
	s->before = m->uas[at].moved;
	m->uas[at].moved += t->n;
	learn(m, s, t);
}

bool msc_uas(struct msc *m, unsigned int pipe, const struct msc_transfer *t, struct msc_step *s)
{
	memset(s, 0, sizeof(*s));
	s->uas = true;
	if (pipe == UAS_PIPE_DATA_IN || pipe == UAS_PIPE_DATA_OUT) {
		s->in = pipe == UAS_PIPE_DATA_IN;
		uas_data(m, t, s);
		return true;
	}
	if (t->n < 4 || (pipe != UAS_PIPE_COMMAND && pipe != UAS_PIPE_STATUS))
		return false;
	s->iu = t->p[0];
	s->tag = get_be16(t->p + 2);
	switch (s->iu) {
	case UAS_COMMAND:
		uas_command(m, t, s);
		return true;
	case UAS_SENSE:
		uas_sense(m, t, s);
		return true;
	/* the answer to a task management IU, or in place of a command's status */
	case UAS_RESPONSE:
		if (uas_find(m, (uint16_t)s->tag, s))
			m->uas[slot((uint16_t)s->tag)].open = false;
		s->phase = MSC_RESPONSE;
		s->status = t->n >= 8 ? t->p[7] : 0xff;
		return true;
	case UAS_TASK:
		s->phase = MSC_TASK;
		s->status = t->n >= 5 ? t->p[4] : 0;
		return true;
	case UAS_READ_READY:
	case UAS_WRITE_READY:
		s->phase = MSC_READY;
		uas_find(m, (uint16_t)s->tag, s);
		return true;
	default:
		return false;
	}
}

/* ---- printing ------------------------------------------------------------------------------- */

static const char *csw_status(uint8_t status)
{
	static const char *const names[] = {"passed", "failed", "phase error"};

	return status < 3 ? names[status] : "reserved";
}

static const char *uas_response(uint8_t code)
{
	switch (code) {
	case 0x00:
		return "task management complete";
	case 0x02:
		return "invalid information unit";
	case 0x04:
		return "task management not supported";
	case 0x05:
		return "task management failed";
	case 0x08:
		return "task management succeeded";
	case 0x09:
		return "incorrect logical unit";
	case 0x0a:
		return "overlapped tag";
	default:
		return "reserved";
	}
}

static const char *uas_task(uint8_t function)
{
	switch (function) {
	case 0x01:
		return "abort task";
	case 0x02:
		return "abort task set";
	case 0x04:
		return "clear task set";
	case 0x08:
		return "logical unit reset";
	case 0x10:
		return "I_T nexus reset";
	case 0x80:
		return "query task";
	case 0x81:
		return "query task set";
	case 0x82:
		return "query asynchronous event";
	default:
		return "reserved";
	}
}

/* Of information units, what is in none of the other members (UAS-2, 6.2). */
static const struct bit_field command_unit[] = {
	{"command_priority", 4, 3, 4}, {"task_attribute", 4, 0, 3},
	{"additional_cdb_length", 6, 2, 6}, {0},
};
static const struct bit_field sense_unit[] = {
	{"status_qualifier", 4, 0, 16}, {"sense_length", 14, 0, 16}, {0},
};
static const struct bit_field task_unit[] = {{"task_tag", 6, 0, 16}, {0}};

static bit_layout uas_fields(unsigned int phase)
{
	switch (phase) {
	case MSC_COMMAND:
		return command_unit;
	case MSC_STATUS:
		return sense_unit;
	case MSC_TASK:
		return task_unit;
	default:
		return NULL;
	}
}

bool msc_has_name(const char *name, size_t n)
{
	return bit_layout_has(command_unit, name, n) || bit_layout_has(sense_unit, name, n) ||
	       bit_layout_has(task_unit, name, n) || scsi_has_name(name, n);
}

const char *const msc_phases[] = {
	"none", "command", "data", "status", "response", "task management", "ready", NULL,
};

const char *const msc_transports[] = {"bulk-only", "UAS", NULL};

static void status_tree(const struct msc_step *s, struct tree *t)
{
	tree_uint(t, "status", s->status);
	if (s->uas) {
		tree_str(t, "status_name", scsi_status_name(s->status));
		if (s->sense_len) {
			tree_object(t, "sense");
			scsi_sense_tree(s->sense, s->sense_len, t);
			tree_close(t);
		}
	} else {
		tree_str(t, "status_name", csw_status(s->status));
		tree_uint(t, "residue", s->residue);
	}
	if (s->elapsed)
		tree_uint(t, "elapsed_ns", s->elapsed);
}

void msc_tree(const struct msc_step *s, const uint8_t *p, size_t n, struct tree *t)
{
	tree_object(t, "storage");
	tree_str(t, "transport", msc_transports[s->uas]);
	tree_str(t, "phase", msc_phases[s->phase]);
	if (s->phase != MSC_DATA || s->has_command)
		tree_uint(t, "tag", s->tag);
	if (!s->uas || s->has_command)
		tree_uint(t, "lun", s->lun);
	if (s->phase == MSC_COMMAND && !s->uas) {
		tree_uint(t, "data_length", s->length);
		tree_str(t, "data_direction", s->in ? "in" : "out");
	}
	if (s->has_command) {
		tree_object(t, "scsi");
		scsi_command_tree(&s->command, t);
		tree_close(t);
	}
	if (s->phase == MSC_DATA && s->has_command && n && !s->before &&
	    s->in != scsi_sends_parameters(&s->command)) {
		tree_object(t, s->in ? "answer" : "parameter_list");
		scsi_data_tree(&s->command, p, n, t);
		tree_close(t);
	}
	if (s->phase == MSC_STATUS)
		status_tree(s, t);
	if (s->phase == MSC_RESPONSE) {
		tree_uint(t, "response", s->status);
		tree_str(t, "response_name", uas_response(s->status));
	}
	if (s->phase == MSC_TASK)
		tree_str(t, "function", uas_task(s->status));
	if (s->uas && uas_fields(s->phase))
		bit_layout_tree(uas_fields(s->phase), p, n, t);
	if (s->tag_differs)
		tree_bool(t, "tag_differs", true);
	tree_close(t);
}

static void brief_status(const struct msc_step *s, struct out *o)
{
	const char *name = scsi_status_name(s->status);

	if (!s->uas) {
		out_str(o, csw_status(s->status));
		if (s->residue)
			out_printf(o, ", residue %u", s->residue);
	} else {
		out_str(o, name ? name : "reserved status");
		if (s->sense_len) {
			out_str(o, ", ");
			scsi_sense_brief(s->sense, s->sense_len, o);
		}
	}
	if (s->elapsed)
		out_printf(o, " after %.3f ms", (double)s->elapsed / 1e6);
}

bool msc_brief(const struct msc_step *s, const uint8_t *p, size_t n, struct out *o)
{
	bool shown = true;

	if (s->has_command) {
		scsi_command_brief(&s->command, o);
		out_char(o, ' ');
	}
	switch ((enum msc_phase)s->phase) {
	case MSC_DATA:
		out_str(o, "data");
		shown = s->has_command && !s->before && scsi_data_brief(&s->command, p, n, o);
		break;
	case MSC_STATUS:
		brief_status(s, o);
		break;
	case MSC_RESPONSE:
		out_str(o, uas_response(s->status));
		break;
	case MSC_TASK:
		out_str(o, uas_task(s->status));
		break;
	case MSC_COMMAND:
		out_printf(o, "tag 0x%x", s->tag);
		break;
	case MSC_READY:
	case MSC_NONE:
		out_str(o, msc_phases[s->phase]);
		break;
	}
	if (s->tag_differs)
		out_str(o, " (tag is not that of the command)");
	return shown;
}

bool msc_is_problem(const struct msc_step *s)
{
	return s->tag_differs || (s->phase == MSC_STATUS && s->status != 0);
}

void msc_words(const char *member, decoder_name_fn *fn, void *arg)
{
	if (!strcmp(member, "status_name"))
		CODE_PROBE(csw_status, UINT8_MAX, fn, arg);
	else if (!strcmp(member, "response_name"))
		CODE_PROBE(uas_response, UINT8_MAX, fn, arg);
	scsi_words(member, fn, arg);
}
