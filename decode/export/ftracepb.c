/* SPDX-License-Identifier: MIT */
#include "decode/export/ftracepb.h"
#include "common/array.h"
#include "decode/export/protobuf.h"

enum {
	BUNDLE_CPU = 1, BUNDLE_EVENT = 2, BUNDLE_LOST_EVENTS = 3,
	EVENT_TIMESTAMP = 1, EVENT_PID = 2,
};

/* The messages of sched.proto and task.proto: the number of each in FtraceEvent, and its fields. */
static const struct message {
	const char *name;
	uint32_t number;
	const char *fields[8]; /* in order of their numbers, from 1; "": not used */
} messages[] = {
	{"sched:sched_switch", 4,
	 {"prev_comm", "prev_pid", "prev_prio", "prev_state", "next_comm", "next_pid",
	  "next_prio"}},
	{"sched:sched_wakeup", 17, {"comm", "pid", "prio", "success", "target_cpu"}},
	{"sched:sched_waking", 20, {"comm", "pid", "prio", "success", "target_cpu"}},
	{"sched:sched_wakeup_new", 114, {"comm", "pid", "prio", "success", "target_cpu"}},
	{"task:task_newtask", 235, {"pid", "comm", "clone_flags", "oom_score_adj"}},
	{"task:task_rename", 236, {"pid", "oldcomm", "newcomm", "oom_score_adj"}},
	{"sched:sched_process_exec", 237, {"filename", "pid", "old_pid"}},
	{"sched:sched_process_exit", 238, {"comm", "pid", "tgid", "prio"}},
	{"sched:sched_process_fork", 239,
	 {"parent_comm", "parent_pid", "child_comm", "child_pid"}},
	{"sched:sched_process_free", 240, {"comm", "pid", "prio"}},
	{"sched:sched_process_hang", 241, {"comm", "pid"}},
	{"sched:sched_process_wait", 242, {"comm", "pid", "prio"}},
};

static const struct message *message_of(const struct item *it)
{
	for (size_t i = 0; i < ARRAY_SIZE(messages); i++)
		if (strlen(messages[i].name) == it->name_len &&
		    !memcmp(messages[i].name, it->name, it->name_len))
			return &messages[i];
	return NULL;
}

static void field(struct out *o, uint32_t number, const struct value *v)
{
	if (v->type == VALUE_UINT) {
		pb_uint(o, number, v->u);
	} else if (v->type == VALUE_INT) {
		pb_int(o, number, v->i);
	} else if (v->type == VALUE_TEXT) {
		pb_safe(o, number, v->text, v->len);
	}
}

bool ftracepb_event(struct out *o, const struct decoder *d, void *state, const struct item *it,
		    uint64_t boot)
{
	const struct message *m = message_of(it);
	size_t event, fields;
	struct value v;

	if (!m || it->cpu == ITEM_NO_CPU || it->tid < 0)
		return false;
	pb_uint(o, BUNDLE_CPU, it->cpu);
	event = pb_begin(o, BUNDLE_EVENT);
	pb_uint(o, EVENT_TIMESTAMP, boot);
	pb_uint(o, EVENT_PID, (uint32_t)it->tid);
	fields = pb_begin(o, m->number);
	for (uint32_t i = 0; i < 8 && m->fields[i]; i++)
		if (d->value(state, it, m->fields[i], &v))
			field(o, i + 1, &v);
	pb_end(o, fields);
	pb_end(o, event);
	return true;
}

void ftracepb_loss(struct out *o, uint32_t cpu)
{
	pb_uint(o, BUNDLE_CPU, cpu);
	pb_uint(o, BUNDLE_LOST_EVENTS, 1);
}
