/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The common ground of the programs that judge a relay from outside; see common.h.
 */
#include "common.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

void die(const char *fmt, ...)
{
	int error = errno;
	va_list ap;

	fprintf(stderr, "%s: ", program_invocation_short_name);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fprintf(stderr, error ? ": %s\n" : "\n", strerror(error));
	exit(1);
}

static bool address_inet(struct address *a, const char *host, int port)
{
	struct sockaddr_in *in = (struct sockaddr_in *)&a->ss;
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)&a->ss;

	if (inet_pton(AF_INET, host, &in->sin_addr) == 1) {
		in->sin_family = AF_INET;
		in->sin_port = htons(port);
		a->len = sizeof(*in);
		return true;
	}
	if (inet_pton(AF_INET6, host, &in6->sin6_addr) == 1) {
		in6->sin6_family = AF_INET6;
		in6->sin6_port = htons(port);
		a->len = sizeof(*in6);
		return true;
	}
	return false;
}

struct address address_parse(const char *text)
{
	struct address a = { .len = 0 };
	struct sockaddr_un *un = (struct sockaddr_un *)&a.ss;
	const char *colon = strrchr(text, ':');
	char host[64];
	size_t n;

	errno = 0;
	if (strchr(text, '/')) {
		un->sun_family = AF_UNIX;
		snprintf(un->sun_path, sizeof(un->sun_path), "%s", text);
		a.len = sizeof(*un);
		return a;
	}
	n = colon ? (size_t)(colon - text) : 0;
	if (!n || n >= sizeof(host))
		die("'%s' is not ADDRESS:PORT", text);
	memcpy(host, text, n);
	host[n] = '\0';
	if (host[0] == '[' && host[n - 1] == ']') {
		host[n - 1] = '\0';
		memmove(host, host + 1, n - 1);
	}
	if (!address_inet(&a, host, atoi(colon + 1)))
		die("'%s' is not an address", host);
	return a;
}

uint64_t number_parse(const char *text)
{
	char *end;
	uint64_t n = strtoull(text, &end, 10);
	int shift = *end == 'k' ? 10 : *end == 'm' ? 20 : *end == 'g' ? 30 : 0;

	errno = 0;
	if (end == text || end[shift != 0])
		die("'%s' is not a number", text);
	return n << shift;
}

int sock_listen(const struct address *a)
{
	const struct sockaddr_un *un = (const struct sockaddr_un *)&a->ss;
	int fd = socket(a->ss.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	int one = 1;

	if (fd < 0)
		die("socket");
	if (a->ss.ss_family == AF_UNIX)
		unlink(un->sun_path);
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(fd, (const struct sockaddr *)&a->ss, a->len) < 0)
		die("bind");
	if (listen(fd, 8192) < 0)
		die("listen");
	return fd;
}

int sock_port(int fd)
{
	struct sockaddr_storage ss;
	socklen_t len = sizeof(ss);

	if (getsockname(fd, (struct sockaddr *)&ss, &len) < 0)
		return 0;
	if (ss.ss_family == AF_INET6)
		return ntohs(((struct sockaddr_in6 *)&ss)->sin6_port);
	return ntohs(((struct sockaddr_in *)&ss)->sin_port);
}

int sock_connect(const struct address *a, bool nonblock)
{
	int flags = SOCK_STREAM | SOCK_CLOEXEC | (nonblock ? SOCK_NONBLOCK : 0);
	int fd = socket(a->ss.ss_family, flags, 0);
	int error;

	if (fd < 0)
		return -1;
	if (!connect(fd, (const struct sockaddr *)&a->ss, a->len) || errno == EINPROGRESS)
		return fd;
	error = errno;
	close(fd);
	errno = error;
	return -1;
}

void sock_nodelay(int fd)
{
	int one = 1;

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
}

void sock_linger_zero(int fd)
{
	struct linger l = { .l_onoff = 1, .l_linger = 0 };

	setsockopt(fd, SOL_SOCKET, SO_LINGER, &l, sizeof(l));
}

uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * NSEC + (uint64_t)ts.tv_nsec;
}

void want_descriptors(void)
{
	struct rlimit r;

	if (getrlimit(RLIMIT_NOFILE, &r))
		return;
	r.rlim_cur = r.rlim_max;
	setrlimit(RLIMIT_NOFILE, &r);
}

void pin_to(int cpu)
{
	cpu_set_t set;

	if (cpu < 0)
		return;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		die("core %d", cpu);
}

static uint64_t mix(uint64_t x)
{
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
	return x ^ (x >> 31);
}

uint64_t rnd(uint64_t *state)
{
	return mix(*state += 0x9e3779b97f4a7c15ull);
}

uint64_t rnd_range(uint64_t *state, uint64_t low, uint64_t high)
{
	return low + rnd(state) % (high - low + 1);
}

/* The eight bytes of text `seed` that begin at 8 * word. */
static uint64_t pattern_word(uint64_t seed, uint64_t word)
{
	return mix(mix(seed) + word * 0x9e3779b97f4a7c15ull);
}

void pattern_fill(void *buf, size_t len, uint64_t seed, uint64_t pos)
{
	unsigned char *p = buf;

	while (len) {
		uint64_t w = pattern_word(seed, pos / 8);
		size_t off = pos % 8;
		size_t n = len < 8 - off ? len : 8 - off;

		memcpy(p, (unsigned char *)&w + off, n);
		p += n;
		pos += n;
		len -= n;
	}
}

size_t pattern_check(const void *buf, size_t len, uint64_t seed, uint64_t pos)
{
	const unsigned char *p = buf;
	size_t done = 0;

	while (done < len) {
		uint64_t w = pattern_word(seed, (pos + done) / 8);
		const unsigned char *want = (unsigned char *)&w;
		size_t off = (pos + done) % 8;

		if (!off && len - done >= 8 && !memcmp(p + done, want, 8)) {
			done += 8;
			continue;
		}
		for (; off < 8 && done < len; off++, done++)
			if (p[done] != want[off])
				return done;
	}
	return done;
}

/* Reads a small file of /proc; false when there is none. */
static bool slurp(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t n = 0;
	ssize_t got;

	if (fd < 0)
		return false;
	while (n < size - 1 && (got = read(fd, buf + n, size - 1 - n)) > 0)
		n += (size_t)got;
	close(fd);
	buf[n] = '\0';
	return n > 0;
}

uint64_t proc_cpu_ns(pid_t pid)
{
	char path[64], buf[256];
	uint64_t sum = 0;
	struct dirent *e;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	dir = opendir(path);
	while (dir && (e = readdir(dir))) {
		snprintf(path, sizeof(path), "/proc/%d/task/%.16s/schedstat", (int)pid, e->d_name);
		if (e->d_name[0] != '.' && slurp(path, buf, sizeof(buf)))
			sum += strtoull(buf, NULL, 10);
	}
	if (dir)
		closedir(dir);
	return sum;
}

void proc_cpu_ticks(pid_t pid, uint64_t *user, uint64_t *sys)
{
	char path[64], buf[1024], *p;
	unsigned long u = 0, s = 0;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	if (slurp(path, buf, sizeof(buf)) && (p = strrchr(buf, ')')))
		sscanf(p + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &u, &s);
	*user = u;
	*sys = s;
}

int proc_fds(pid_t pid, int *pipes)
{
	char path[64], link[64];
	unsigned long seen[4096], inode; /* of pipes with one end so far */
	struct dirent *e;
	int n = 0, lone = 0;
	DIR *dir;

	*pipes = 0;
	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	dir = opendir(path);
	if (!dir)
		return -1;
	while ((e = readdir(dir))) {
		ssize_t len;
		int i;

		if (e->d_name[0] == '.')
			continue;
		n++;
		len = readlinkat(dirfd(dir), e->d_name, link, sizeof(link) - 1);
		link[len < 0 ? 0 : len] = '\0';
		if (sscanf(link, "pipe:[%lu]", &inode) != 1)
			continue;
		for (i = 0; i < lone && seen[i] != inode; i++)
			;
		if (i < lone) {
			*pipes += 2;
			seen[i] = seen[--lone];
		} else if (lone < 4096) {
			seen[lone++] = inode;
		}
	}
	closedir(dir);
	return n;
}

uint64_t proc_status_kb(pid_t pid, const char *field)
{
	char path[64], buf[4096], *p;
	size_t len = strlen(field);

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	if (!slurp(path, buf, sizeof(buf)))
		return 0;
	for (p = buf; p; p = strchr(p, '\n')) {
		p += *p == '\n';
		if (!strncmp(p, field, len) && p[len] == ':')
			return strtoull(p + len + 1, NULL, 10);
		if (!*p)
			break;
	}
	return 0;
}
