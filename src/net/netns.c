/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sockets of other network namespaces: the thread visits the namespace for the length of one
 * call. A process that could not come back would go on in the wrong network: it ends.
 */
#include "net/netns.h"

#include "base/bug.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define NETNS_FOLDER "/var/run/netns"

/* Of the namespace in which we started; opened once, on first use. */
static int home_fd(void)
{
	static int home = -1;

	if (home < 0)
		home = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	return home;
}

static int open_namespace(const char *name)
{
	char path[256];

	if (strchr(name, '/') ||
	    (size_t)snprintf(path, sizeof(path), NETNS_FOLDER "/%s", name) >= sizeof(path)) {
		errno = ENOENT;
		return -1;
	}
	return open(path, O_RDONLY | O_CLOEXEC);
}

/* Opened by netns_keep: they can be entered although their files are out of reach. */
struct netns_kept {
	struct netns_kept *next;
	int fd;
	char name[];
};

static struct netns_kept *kept;

static int kept_fd(const char *name)
{
	const struct netns_kept *k;

	for (k = kept; k; k = k->next)
		if (!strcmp(k->name, name))
			return k->fd;
	return -1;
}

void netns_keep(const char *name)
{
	struct netns_kept *k;
	int fd;

	if (home_fd() < 0 || kept_fd(name) >= 0)
		return;
	fd = open_namespace(name);
	k = fd < 0 ? NULL : malloc(sizeof(*k) + strlen(name) + 1);
	if (!k) {
		if (fd >= 0)
			close(fd);
		return;
	}
	k->fd = fd;
	strcpy(k->name, name);
	k->next = kept;
	kept = k;
}

static void leave(int *fd, const char *name)
{
	int error = errno;

	if (*fd != kept_fd(name))
		close(*fd);
	*fd = -1;
	errno = error;
}

bool sockets_refused;

int netns_socket(const char *name, int domain, int type, int protocol)
{
	int home, there, fd, error;

	if (unlikely(sockets_refused)) {
		errno = EPERM;
		return -1;
	}
	if (!name)
		return socket(domain, type, protocol);
	home = home_fd();
	if (home < 0)
		return -1;
	there = kept_fd(name);
	if (there < 0)
		there = open_namespace(name);
	if (there < 0)
		return -1;
	if (setns(there, CLONE_NEWNET)) {
		leave(&there, name);
		return -1;
	}
	fd = socket(domain, type, protocol);
	error = errno;
	BUG_ON(setns(home, CLONE_NEWNET));
	leave(&there, name);
	errno = error;
	return fd;
}
