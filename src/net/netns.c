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

int netns_socket(const char *name, int domain, int type, int protocol)
{
	int home, there, fd, error;

	if (!name)
		return socket(domain, type, protocol);
	home = home_fd();
	if (home < 0)
		return -1;
	there = open_namespace(name);
	if (there < 0)
		return -1;
	if (setns(there, CLONE_NEWNET)) {
		error = errno;
		close(there);
		errno = error;
		return -1;
	}
	fd = socket(domain, type, protocol);
	error = errno;
	BUG_ON(setns(home, CLONE_NEWNET));
	close(there);
	errno = error;
	return fd;
}
