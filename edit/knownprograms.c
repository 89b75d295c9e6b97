/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "edit/knownprograms.h"

enum { TASK_NAME = 15 };

/* In the order of strcmp(). */
static const char *const names[] = {
	"(sd-pam)", "ModemManager", "NetworkManager", "Rscript", "Xorg", "Xwayland",
	"accounts-daemon", "agetty", "alsactl", "anacron", "apache2", "apt", "apt-get", "aptd",
	"ar", "at-spi2-registr", "atd", "avahi-daemon", "awk", "basename", "bash", "bc",
	"beam.smp", "blkid", "blktrace", "bluetoothd", "bpftool", "bpftrace", "btrace",
	"busybox", "bzip2", "cargo", "cat", "cc", "cc1", "cc1plus", "chmod", "chown", "chrome",
	"chromium", "chronyd", "cmake", "colord", "containerd", "containerd-shim", "cp", "cpio",
	"cron", "crond", "crun", "csh", "cupsd", "curl", "cut", "dash", "date", "dbench",
	"dbus-broker", "dbus-daemon", "dbus-launch", "dconf-service", "dd", "deno", "df",
	"dhclient", "dhcpcd", "diff", "dig", "dirname", "dmesg", "dmsetup", "dnsmasq", "docker",
	"dockerd", "dotnet", "dovecot", "dpkg", "du", "echo", "emacs", "env", "epmd", "erl",
	"etcd", "ethtool", "evolution", "exim4", "expr", "false", "fdisk", "ffmpeg", "file",
	"find", "fio", "firefox", "fish", "flatpak", "fping", "fsck", "fstrim", "fuser", "fwupd",
	"g++", "gawk", "gcc", "gdb", "gdm", "gdm3", "getent", "getty", "ghostscript", "gimp",
	"git", "gmake", "gnome-shell", "gnome-terminal-", "gnupg", "gpg", "gpg-agent", "grep",
	"gunzip", "gvfsd", "gzip", "hald", "haproxy", "hdparm", "head", "hexdump", "hping3",
	"htop", "httpd", "id", "init", "ioping", "iostat", "iotop", "iozone", "ip", "iperf3",
	"irqbalance", "iw", "iwd", "java", "journalctl", "jq", "kill", "kmod", "kthreadd",
	"kubelet", "kwin_wayland", "kwin_x11", "ld", "ldconfig", "libvirtd", "lightdm",
	"lighttpd", "ln", "logger", "login", "logrotate", "ls", "lsblk", "lsof", "lspci",
	"lsusb", "lvm", "lxc-start", "lxd", "m4", "make", "mariadbd", "mawk", "mc", "md5sum",
	"memcached", "mkdir", "mkfs", "mkfs.ext4", "mktemp", "modprobe", "mongod", "mount",
	"mpv", "mtr", "mv", "mysql", "mysqld", "nano", "nc", "ncat", "netstat", "nfsd", "nft",
	"nginx", "ninja", "nm-dispatcher", "node", "nohup", "npm", "nslookup", "ntpd", "objdump",
	"octave", "od", "openssl", "packagekitd", "perf", "perl", "pgbench", "php", "php-fpm",
	"pidof", "ping", "pip", "pipewire", "pipewire-pulse", "pkexec", "plasmashell", "podman",
	"polkitd", "postfix", "postgres", "postmaster", "printf", "ps", "psql", "pulseaudio",
	"pwd", "python", "python3", "qemu-system-x86_64", "qmgr", "rabbitmq-server", "readelf",
	"realpath", "redis-cli", "redis-server", "rm", "rmdir", "rpm", "rsync", "rsyslogd",
	"rtkit-daemon", "ruby", "runc", "rustc", "screen", "sddm", "sed", "seq", "sftp-server",
	"sh", "sha256sum", "slapd", "sleep", "smartd", "smbd", "snapd", "socat", "sort",
	"sqlite3", "sqlplus", "squid", "ss", "ssh", "ssh-agent", "ssh-keygen", "sshd", "stat",
	"strace", "stress", "stress-ng", "stty", "su", "sudo", "swapper", "switcheroo-cont",
	"sync", "sysbench", "sysctl", "systemctl", "systemd", "systemd-homed", "systemd-journal",
	"systemd-logind", "systemd-machine", "systemd-network", "systemd-oomd",
	"systemd-resolve", "systemd-timesyn", "systemd-udevd", "systemd-userdbd", "tail", "tar",
	"taskset", "tcpdump", "tee", "test", "thermald", "thunderbird", "time", "timeout",
	"tmux", "top", "touch", "tr", "trace-cmd", "traceroute", "trawl", "trawl-decode",
	"trawl-edit", "trawl-replay", "trawl-report", "true", "tshark", "udevadm", "udevd",
	"udhcpc", "udisksd", "umount", "uname", "unattended-upgr", "uniq", "upowerd", "uptime",
	"usermod", "uwsgi", "valgrind", "varnishd", "vi", "vim", "virtiofsd", "vmstat", "wc",
	"wget", "whoami", "wireplumber", "wireshark", "wpa_supplicant", "wrk", "xargs", "xz",
	"yes", "zsh", "zstd",
};

struct word {
	const char *text;
	size_t len;
};

static int compare(const void *word, const void *name)
{
	const struct word *w = word;
	const char *other = *(const char *const *)name;
	int order = strncmp(w->text, other, w->len);

	if (order)
		return order;
	return w->len == TASK_NAME || !other[w->len] ? 0 : -1; /* the kernel cuts names of tasks */
}

/* Returns how many digits are before name[len], at most two. */
static size_t digits_before(const char *name, size_t len)
{
	size_t n = 0;

	while (n < 2 && n < len && isdigit((unsigned char)name[len - n - 1]))
		n++;
	return n;
}

/* Returns the length of the version at the end of a name, as in python3.11 and gcc-12. */
static size_t version_length(const char *name, size_t len)
{
	size_t n = digits_before(name, len), more;

	if (n && n < len && name[len - n - 1] == '.') {
		more = digits_before(name, len - n - 1);
		n += more ? more + 1 : 0;
	}
	return n + (n && n < len && name[len - n - 1] == '-');
}

bool known_program(const char *name, size_t len)
{
	struct word w = { name, len };

	if (!len)
		return false;
	if (bsearch(&w, names, ARRAY_SIZE(names), sizeof(*names), compare))
		return true;
	w.len -= version_length(name, len);
	return w.len && w.len < len &&
	       bsearch(&w, names, ARRAY_SIZE(names), sizeof(*names), compare);
}

void known_programs(void (*name)(void *arg, const char *name), void *arg)
{
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		name(arg, names[i]);
}
