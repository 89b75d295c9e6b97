/* SPDX-License-Identifier: MIT */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "capture/usb/node.h"
#include "capture/usb/sysfs.h"
#include "common/array.h"

/* Runs modprobe. Returns false if there is none. */
static bool load_module(void)
{
	static const char *const names[] = { "/sbin/modprobe", "/usr/sbin/modprobe" };
	char *argv[] = { (char *)"modprobe", (char *)"-q", (char *)"usbmon", NULL };
	char *envp[] = { NULL };
	int status;
	size_t i;
	pid_t pid;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		if (posix_spawn(&pid, names[i], NULL, NULL, argv, envp) != 0)
			continue;
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
		return true;
	}
	return false;
}

/* Returns the major number of usbmon's nodes; 0 if usbmon is not loaded. */
static unsigned int node_major(void)
{
	FILE *f = fopen("/sys/class/usbmon/usbmon0/dev", "re");
	unsigned int major = 0;

	if (f) {
		if (fscanf(f, "%u:", &major) != 1)
			major = 0;
		fclose(f);
	}
	return major;
}

int usbnode_ready(struct trawl_error *err)
{
	int tries;

	if (access("/sys/bus/usb", F_OK) < 0)
		return trawl_fail(err, TRAWL_CANNOT,
				  "usb: this kernel has no USB (/sys/bus/usb is missing)");
	if (access("/dev/usbmon0", F_OK) == 0)
		return 0;
	/* In a container the module may be loaded without its nodes being visible. */
	if (node_major())
		return trawl_fail(err, TRAWL_CANNOT,
				  "usb: usbmon is loaded, but /dev/usbmon0 is missing; make it by "
				  "'mknod -m 600 /dev/usbmon0 c %u 0', or -i usb:text",
				  node_major());
	if (geteuid() != 0)
		return trawl_fail(err, TRAWL_CANNOT,
				  "usb: /dev/usbmon0 is missing; load its module as root with "
				  "'modprobe usbmon'");
	if (!load_module())
		return trawl_fail(err, TRAWL_CANNOT,
				  "usb: /dev/usbmon0 is missing, and there is no modprobe to load "
				  "usbmon; install kmod");
	/* udev or devtmpfs makes the node some time after the module is loaded. */
	for (tries = 0; tries < 20; tries++) {
		if (access("/dev/usbmon0", F_OK) == 0)
			return 0;
		usleep(50000);
	}
	return trawl_fail(err, TRAWL_CANNOT,
			  "usb: /dev/usbmon0 is missing and 'modprobe usbmon' did not help: a "
			  "kernel with CONFIG_USB_MON is needed");
}

static int ascending(const void *a, const void *b)
{
	return *(const uint16_t *)a - *(const uint16_t *)b;
}

/* Fills in the numbers of this machine's buses, ascending. Returns how many. */
static size_t find_buses(uint16_t *buses, size_t room)
{
	DIR *dir = opendir(USBSYS_ROOT);
	unsigned int bus;
	struct dirent *d;
	size_t n = 0;

	if (!dir)
		return 0;
	while (n < room && (d = readdir(dir))) {
		if (sscanf(d->d_name, "usb%u", &bus) == 1)
			buses[n++] = (uint16_t)bus;
	}
	closedir(dir);
	qsort(buses, n, sizeof(*buses), ascending);
	return n;
}

/* Writes the error for a bus without a node: the node is missing, or there is no such bus. */
static int no_node(uint16_t bus, struct trawl_error *err)
{
	uint16_t buses[128];
	size_t i, n = find_buses(buses, 128), used = 0;
	char list[600] = "none";

	for (i = 0; i < n; i++) {
		if (buses[i] == bus)
			return trawl_fail(err, TRAWL_CANNOT,
					  "usb:%u: /dev/usbmon%u is missing; make it by 'mknod -m "
					  "600 /dev/usbmon%u c %u %u'", bus, bus, bus, node_major(),
					  bus);
	}
	for (i = 0; i < n && used < sizeof(list); i++)
		used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%u", i ? ", " : "",
					 buses[i]);
	return trawl_fail(err, TRAWL_CANNOT, "usb:%u: there is no such bus; this machine has: %s",
			  bus, list);
}

static int no_permission(const char *path, struct trawl_error *err)
{
	struct stat st;
	struct group *group;

	if (stat(path, &st) < 0)
		return trawl_fail(err, TRAWL_CANNOT, "%s: %s", path, strerror(errno));
	group = getgrgid(st.st_gid);
	if (group && st.st_gid != 0 && (st.st_mode & S_IRGRP))
		return trawl_fail(err, TRAWL_CANNOT,
				  "%s: permission denied: only group %s has access (adduser YOU "
				  "%s, then log in again)", path, group->gr_name, group->gr_name);
	return trawl_fail(err, TRAWL_CANNOT,
			  "%s: permission denied; run as root, or let a group read it by a udev "
			  "rule: SUBSYSTEM==\"usbmon\", GROUP=\"trawl\", MODE=\"0640\"", path);
}

int usbnode_find(uint16_t bus, char path[USBNODE_PATH], struct trawl_error *err)
{
	if (usbnode_ready(err) < 0)
		return -1;
	snprintf(path, USBNODE_PATH, "/dev/usbmon%u", bus);
	if (faccessat(AT_FDCWD, path, R_OK, AT_EACCESS) == 0)
		return 0;
	return errno == ENOENT ? no_node(bus, err) : no_permission(path, err);
}
