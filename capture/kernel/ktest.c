/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "capture/tracefs/gc.h"
#include "capture/sys/meta.h"
#include "capture/sys/clock.h"
#include "common/json.h"
#include "capture/kernel/ktest.h"
#include "capture/tracefs/owner.h"
#include "capture/tracefs/tracefs.h"

/*
 * Defines an event: the first %s of fmt is `group`, our own, the second is `other`. Returns false
 * if the kernel refuses it.
 */
static bool defined(int top, const char *fmt, const char *group, const char *other)
{
	struct trawl_error ignored;
	char text[512];

	snprintf(text, sizeof(text), fmt, group, other);
	return !tracefs_write(top, "dynamic_events", text, &ignored);
}

static bool on_event(int instance, const char *event, const char *file, const char *text)
{
	struct trawl_error ignored;
	char path[256];

	snprintf(path, sizeof(path), "events/%s/%s", event, file);
	return !tracefs_write(instance, path, text, &ignored);
}

/*
 * Tests whether +8($args) reads the second argument of a system call. Kernels before 6.17 read
 * memory at the first argument.
 */
static bool arrays_work(int top, int instance, const char *group)
{
	static const unsigned long marker = 0x7472617775;
	struct trawl_error ignored;
	char path[160], pid[16], wanted[40], *text;
	bool found = false;

	if (!defined(top, "e:%s/array raw_syscalls.sys_enter a=+8($args):x64", group, NULL))
		return false;
	snprintf(pid, sizeof(pid), "%d", gettid());
	snprintf(path, sizeof(path), "%s/array", group);
	if (tracefs_write(instance, "set_event_pid", pid, &ignored) ||
	    !on_event(instance, path, "enable", "1"))
		return false;
	syscall(SYS_lseek, -1, marker, 0);
	on_event(instance, path, "enable", "0");
	text = tracefs_read(instance, "trace", NULL, &ignored);
	snprintf(wanted, sizeof(wanted), " a=0x%lx\n", marker);
	found = text && strstr(text, wanted);
	free(text);
	return found;
}

static void try_all(int top, int instance, const char *group, struct kernel_features *k)
{
	k->eprobe = defined(top, "e:%s/plain sched.sched_switch p=$prev_pid:s32", group, NULL);
	k->filter = defined(top, "e:%s/filter sched.sched_switch p=$prev_pid:s32 if prev_pid == 1",
			    group, NULL);
	k->arrays = k->eprobe && arrays_work(top, instance, group);
	k->synthetic = defined(top, "s:%s_1 u64 value", group, NULL);
	k->on_synthetic = k->synthetic &&
			  defined(top, "e:%s/syn synthetic.%s_1 v=$value:u64", group, group);
	k->hist = on_event(instance, "sched/sched_switch", "trigger",
			   "hist:keys=prev_pid:size=128");
	if (k->hist)
		on_event(instance, "sched/sched_switch", "trigger", "!hist:keys=prev_pid:size=128");
	k->on_eprobe = k->eprobe && defined(top, "e:%s/on_e %s.plain p=$p", group, group);
	k->on_kprobe = defined(top, "p:%s/k vfs_read a=$arg1", group, NULL) &&
		       defined(top, "e:%s/on_k %s.k a=$a", group, group);
	k->on_fprobe = defined(top, "f:%s/f vfs_read a=$arg1", group, NULL) &&
		       defined(top, "e:%s/on_f %s.f a=$a", group, group);
	k->on_uprobe = defined(top, "p:%s/u /proc/self/exe:0x1000 a=%%di", group, NULL) &&
		       defined(top, "e:%s/on_u %s.u a=$a", group, group);
}

static int writable(int top, struct trawl_error *err)
{
	if (tracefs_has(top, "dynamic_events") &&
	    faccessat(top, "dynamic_events", W_OK, AT_EACCESS))
		return trawl_fail(err, TRAWL_CANNOT,
				  "dynamic events: no permission to define any: " TRACEFS_REMEDY);
	return 0;
}

int ktest_run(int top, struct kernel_features *k, struct trawl_error *err)
{
	char group[OWNER_NAME_MAX], path[OWNER_NAME_MAX + 16];
	int instance;

	*k = (struct kernel_features){ 0 };
	if (!tracefs_has(top, "dynamic_events"))
		return 0;
	if (writable(top, err))
		return -1;
	owner_name(group, "test");
	snprintf(path, sizeof(path), "instances/%s", group);
	if (mkdirat(top, path, 0700) && errno != EEXIST)
		return trawl_fail(err, TRAWL_CANNOT, "tracefs: cannot make %s: %s", path,
				  strerror(errno));
	instance = openat(top, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (instance >= 0) {
		flock(instance, LOCK_EX | LOCK_NB);
		try_all(top, instance, group, k);
		close(instance);
	}
	if (gc_remove(top, group, err))
		return -1;
	return instance < 0 ? trawl_fail(err, TRAWL_CANNOT, "tracefs: cannot open %s", path) : 0;
}

int ktest_eprobe(int top, struct trawl_error *err)
{
	char group[OWNER_NAME_MAX];

	owner_name(group, "test");
	if (writable(top, err))
		return -1;
	if (!defined(top, "e:%s/plain sched.sched_switch p=$prev_pid:s32", group, NULL))
		return trawl_fail(err, TRAWL_CANNOT,
				  "eprobe: this kernel refuses them (Linux 5.15 and "
				  "CONFIG_EPROBE_EVENTS, before 6.17 CONFIG_PROBE_EVENTS, are "
				  "needed)");
	return gc_remove(top, group, err);
}

int ktest_synthetic(int top, struct trawl_error *err)
{
	char group[OWNER_NAME_MAX];

	owner_name(group, "test");
	if (writable(top, err))
		return -1;
	if (!tracefs_has(top, "events/sched/sched_switch/hist") ||
	    !defined(top, "s:%s_1 u64 value", group, NULL))
		return trawl_fail(err, TRAWL_CANNOT,
				  "synth: this kernel is built without synthetic events or hist "
				  "triggers (CONFIG_SYNTH_EVENTS, CONFIG_HIST_TRIGGERS)");
	return gc_remove(top, group, err);
}

int ktest_probe(int (*test)(int top, struct trawl_error *err), struct trawl_error *err)
{
	int top = tracefs_open(err), r;

	if (top < 0)
		return -1;
	r = test(top, err);
	close(top);
	return r;
}

int ktest_meta(struct trace *t, struct trawl_error *err)
{
	struct json j = { 0 };
	struct kernel_features k;

	if (ktest_run(t->top, &k, err))
		return -1;
	json_object(&j, NULL);
	json_bool(&j, "eprobe", k.eprobe);
	json_bool(&j, "eprobe_filter", k.filter);
	json_bool(&j, "eprobe_arrays", k.arrays);
	json_bool(&j, "eprobe_on_synthetic", k.on_synthetic);
	json_bool(&j, "eprobe_on_kprobe", k.on_kprobe);
	json_bool(&j, "eprobe_on_fprobe", k.on_fprobe);
	json_bool(&j, "eprobe_on_uprobe", k.on_uprobe);
	json_bool(&j, "eprobe_on_eprobe", k.on_eprobe);
	json_bool(&j, "synthetic", k.synthetic);
	json_bool(&j, "hist", k.hist);
	json_end(&j);
	return meta_write_json(session_writer(t->in->session), "kernel/tracing", mono_now(), &j,
			       err);
}
