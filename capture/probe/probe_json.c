/* SPDX-License-Identifier: MIT */
/*
 * Writes the metadata "probe/SOURCE/NAME" (docs/format.md): all that a reader of the file needs to
 * know about a probe.
 */
#include "config.h"

#include <stdio.h>

#include "capture/sys/alloc.h"
#include "common/json.h"
#include "capture/probe/probe.h"

static const char *const kind_names[] = {
	[PROBE_UPROBE] = "uprobe", [PROBE_URETPROBE] = "uretprobe", [PROBE_USDT] = "usdt",
};

static const char *const state_names[] = {
	[PROBE_ARG_EXACT] = "exact", [PROBE_ARG_COMPUTED] = "computed",
	[PROBE_ARG_UNAVAILABLE] = "unavailable",
};

static const char *const show_names[] = {
	[PROBE_SHOW_INT] = "int", [PROBE_SHOW_HEX] = "hex", [PROBE_SHOW_TEXT] = "text",
	[PROBE_SHOW_BOOL] = "bool", [PROBE_SHOW_CHAR] = "char", [PROBE_SHOW_ADDR] = "addr",
	[PROBE_SHOW_FLOAT] = "float", [PROBE_SHOW_VARIANT] = "variant",
};

static void put_sib(struct json *j, const struct probe_sib *sib)
{
	json_object(j, "sib");
	json_string(j, "base", sib->base);
	json_string(j, "index", sib->index);
	json_int(j, "scale", sib->scale);
	json_int(j, "disp", sib->disp);
	json_string(j, "window", sib->window);
	json_int(j, "start", sib->start);
	json_uint(j, "length", sib->length);
	json_end(j);
}

static void put_arg_site(struct json *j, const struct probe_arg *arg,
			 const struct probe_arg_site *a)
{
	json_object(j, NULL);
	json_string(j, "name", probe_arg_name(arg));
	json_string(j, "note", a->note);
	json_string(j, "fetch", a->fetch);
	json_string(j, "type", a->type);
	json_string(j, "state", state_names[a->state]);
	if (*a->why)
		json_string(j, "why", a->why);
	if (a->state == PROBE_ARG_COMPUTED && a->bits)
		json_uint(j, "bits", a->bits);
	else if (a->state == PROBE_ARG_COMPUTED)
		put_sib(j, &a->sib);
	json_end(j);
}

static void put_site(struct json *j, const struct probe *p, const struct probe_site *site)
{
	json_object(j, NULL);
	json_uint(j, "offset", site->offset);
	json_uint(j, "vaddr", site->vaddr);
	json_uint(j, "semaphore", site->semaphore);
	json_string(j, "symbol", site->symbol);
	json_string(j, "file", site->file);
	json_uint(j, "line", site->line);
	json_string(j, "insn", site->insn);
	if (*site->exit)
		json_string(j, "exit", site->exit);
	if (*site->to)
		json_string(j, "to", site->to);
	json_array(j, "args");
	for (size_t k = 0; k < p->nargs; k++) {
		if (!p->args[k].helper)
			put_arg_site(j, &p->args[k], &site->args[k]);
	}
	json_end(j);
	json_end(j);
}

static void put_values(struct json *j, const struct value_names *values)
{
	json_object(j, "values");
	for (size_t i = 0; i < values->n; i++) {
		if (values->is_signed)
			json_int(j, values->names[i].name, (int64_t)values->names[i].value);
		else
			json_uint(j, values->names[i].name, values->names[i].value);
	}
	json_end(j);
}

static void put_arg(struct json *j, const struct probe *p, const struct probe_arg *arg)
{
	json_object(j, NULL);
	json_string(j, "name", probe_arg_name(arg));
	json_string(j, "type", arg->counted ? "string" : arg->type);
	json_string(j, "ctype", arg->ctype);
	json_string(j, "show", show_names[arg->show]);
	json_bool(j, "helper", arg->helper);
	if (arg->values)
		put_values(j, arg->values);
	if (arg->values && arg->values->otherwise)
		json_string(j, "otherwise", arg->values->otherwise);
	if (arg->only_of) {
		json_object(j, "when");
		json_string(j, "arg", probe_arg_name(&p->args[arg->only_of - 1]));
		json_string(j, "is", arg->only_if);
		json_end(j);
	}
	json_end(j);
}

char *probe_meta_json(const struct probe *p)
{
	struct json j = { 0 };
	char dev[32];

	snprintf(dev, sizeof(dev), "%u:%u", p->file->major, p->file->minor);
	json_object(&j, NULL);
	json_string(&j, "event", p->display_name);
	json_string(&j, "kind", kind_names[p->kind]);
	json_string(&j, "tracefs", p->event);
	json_string(&j, "provider", p->provider);
	json_string(&j, "probe", p->name);
	json_string(&j, "path", p->file->path);
	json_string(&j, "build_id", p->file->build_id);
	json_uint(&j, "inode", p->file->inode);
	json_string(&j, "dev", dev);
	json_uint(&j, "size", p->file->size);
	json_bool(&j, "deleted", p->file->deleted);
	json_string(&j, "remark", p->note);
	json_array(&j, "args");
	for (size_t k = 0; k < p->nargs; k++) {
		if (!p->args[k].spent)
			put_arg(&j, p, &p->args[k]);
	}
	json_end(&j);
	json_array(&j, "sites");
	for (size_t i = 0; i < p->nsites; i++)
		put_site(&j, p, &p->sites[i]);
	json_end(&j);
	json_end(&j);
	return j.text;
}
