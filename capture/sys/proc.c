/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "capture/sys/proc.h"

enum { FIRST_PID_NAMESPACE = 0xEFFFFFFC }; /* its inode: PROC_PID_INIT_INO of the kernel */

static bool ids_each(const char *path, void (*found)(void *arg, pid_t id), void *arg)
{
	DIR *dir = opendir(path);
	struct dirent *entry;

	if (!dir)
		return false;
	while ((entry = readdir(dir))) {
		if (atoi(entry->d_name) > 0)
			found(arg, atoi(entry->d_name));
	}
	closedir(dir);
	return true;
}

bool threads_each(pid_t tid, void (*found)(void *arg, pid_t tid), void *arg)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task", tid);
	return ids_each(path, found, arg);
}

bool processes_each(void (*found)(void *arg, pid_t pid), void *arg)
{
	return ids_each("/proc", found, arg); /* which lists no threads */
}

bool proc_is_nested(void)
{
	struct stat st;

	return !stat("/proc/self/ns/pid", &st) && st.st_ino != FIRST_PID_NAMESPACE;
}

/* Copies what stands after `key` in /proc/TID/status; "": it is not there. */
static void status_text(pid_t tid, const char *key, char *text, size_t size)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/status", tid);
	proc_value(path, key, text, size);
}

/* The number after `key` in /proc/TID/status; 0: there is none. */
static pid_t status_number(pid_t tid, const char *key)
{
	char text[64];

	status_text(tid, key, text, sizeof(text));
	return atoi(text);
}

pid_t proc_process(pid_t tid)
{
	return status_number(tid, "Tgid:");
}

pid_t proc_tracer(pid_t tid)
{
	return status_number(tid, "TracerPid:");
}

static void note_memory(void *any, pid_t tid)
{
	*(bool *)any |= status_number(tid, "VmSize:") > 0;
}

bool proc_has_memory(pid_t pid)
{
	bool any = false;

	return threads_each(pid, note_memory, &any) && any;
}

bool proc_is_runnable(pid_t tid)
{
	char text[64];

	status_text(tid, "State:", text, sizeof(text));
	return *text == 'R';
}

static void note_running(void *any, pid_t tid)
{
	char text[64] = "";

	status_text(tid, "State:", text, sizeof(text));
	*(bool *)any |= *text != 'Z' && *text != 'X';
}

bool proc_is_zombie(pid_t pid)
{
	bool any = false;

	return threads_each(pid, note_running, &any) && !any;
}

void proc_value(const char *path, const char *key, char *value, size_t size)
{
	size_t len = strlen(key), room = 0;
	FILE *f = fopen(path, "re");
	char *line = NULL;

	value[0] = '\0';
	while (f && getline(&line, &room, f) > 0) {
		char *at = line + len;

		if (strncmp(line, key, len))
			continue;
		at += strspn(at, "\t =:\"");
		snprintf(value, size, "%.*s", (int)strcspn(at, "\"\n"), at);
		break;
	}
	free(line);
	if (f)
		fclose(f);
}

long proc_number(const char *path, long other)
{
	FILE *f = fopen(path, "re");
	long n;

	if (!f || fscanf(f, "%ld", &n) != 1)
		n = other;
	if (f)
		fclose(f);
	return n;
}
