/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timex.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "common/json.h"
#include "capture/output/machine.h"
#include "capture/sys/clock.h"
#include "capture/sys/meta.h"
#include "capture/sys/proc.h"

/* The kernel's bound of the wall clock's error, if a daemon such as chrony synchronises it. */
static void put_clock_error(struct json *j)
{
	struct timex tx = { 0 };
	int state = clock_adjtime(CLOCK_REALTIME, &tx);

	if (state >= 0 && state != TIME_ERROR && !(tx.status & STA_UNSYNC) && tx.maxerror >= 0)
		json_uint(j, "clock_error_ns", (uint64_t)tx.maxerror * 1000);
}

int machine_write(struct trawl_writer *w, struct trawl_error *err)
{
	struct utsname un = { 0 };
	struct json j = { 0 };
	char text[256];

	uname(&un);
	json_object(&j, NULL);
	json_string(&j, "kernel", un.release);
	json_string(&j, "kernel_version", un.version);
	json_string(&j, "arch", un.machine);
	json_string(&j, "hostname", un.nodename);
	json_uint(&j, "cpus", (uint64_t)sysconf(_SC_NPROCESSORS_CONF));
	proc_value("/proc/cpuinfo", "model name", text, sizeof(text));
	json_string(&j, "cpu_model", text);
	json_uint(&j, "memory",
		  (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE));
	json_uint(&j, "page_size", (uint64_t)sysconf(_SC_PAGESIZE));
	proc_value("/proc/sys/kernel/random/boot_id", "", text, sizeof(text));
	json_string(&j, "boot_id", text);
	proc_value("/etc/os-release", "PRETTY_NAME", text, sizeof(text));
	json_string(&j, "distro", text);
	put_clock_error(&j);
	json_string(&j, "trawl", PACKAGE_VERSION);
	json_end(&j);
	return meta_write_json(w, "machine", mono_now(), &j, err);
}

int machine_write_capture(struct trawl_writer *w, const struct options *o, const char *user,
			  struct trawl_error *err)
{
	struct json j = { 0 };

	json_object(&j, NULL);
	json_array(&j, "argv");
	for (int i = 0; i < o->argc; i++)
		json_string(&j, NULL, o->argv[i]);
	json_end(&j);
	json_array(&j, "sources");
	for (size_t i = 0; i < o->ninterfaces; i++)
		json_string(&j, NULL, o->interfaces[i]);
	json_end(&j);
	json_uint(&j, "start_ns", clock_ns(CLOCK_REALTIME));
	json_uint(&j, "start_mono_ns", mono_now());
	if (o->snaplen)
		json_uint(&j, "snaplen", o->snaplen);
	json_uint(&j, "pid", (uint64_t)getpid());
	json_uint(&j, "uid", getuid());
	json_string(&j, "user", user ? user : "");
	if (o->command) {
		json_array(&j, "command");
		for (char **arg = o->command; *arg; arg++)
			json_string(&j, NULL, *arg);
		json_end(&j);
	}
	json_end(&j);
	return meta_write_json(w, "capture", mono_now(), &j, err);
}
