/* SPDX-License-Identifier: BSD-2-Clause */
/* Sockets before they are connections. Namespaces are entered for the one call and left at
 * once; their descriptors stay open for the next. */
#include "net/sock.h"

#include "base/bug.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct netns {
	struct netns *next;
	int fd;
	char name[];
};

struct sock_tune sock_tune;

static struct netns *namespaces;
static int own_namespace = -1;

static struct netns *netns_open(const char *name)
{
	struct netns *ns = malloc(sizeof(*ns) + strlen(name) + 1);
	char path[256];

	if (!ns)
		return NULL;
	snprintf(path, sizeof(path), "/run/netns/%s", name);
	ns->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (ns->fd < 0) {
		free(ns);
		return NULL;
	}
	strcpy(ns->name, name);
	ns->next = namespaces;
	namespaces = ns;
	return ns;
}

static struct netns *netns_find(const char *name)
{
	struct netns *ns;

	if (own_namespace < 0)
		own_namespace = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	if (own_namespace < 0)
		return NULL;
	for (ns = namespaces; ns; ns = ns->next)
		if (!strcmp(ns->name, name))
			return ns;
	return netns_open(name);
}

int sock_open(int family, const char *namespace)
{
	struct netns *ns;
	int fd, saved;

	if (!namespace)
		return socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	ns = netns_find(namespace);
	if (!ns || setns(ns->fd, CLONE_NEWNET) < 0)
		return -1;
	fd = socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	saved = errno;
	BUG_ON(setns(own_namespace, CLONE_NEWNET) < 0);
	errno = saved;
	return fd;
}

bool sock_set(int fd, int level, int option, int value)
{
	return setsockopt(fd, level, option, &value, sizeof(value)) == 0;
}

void sock_keepalive(int fd, int cnt, unsigned idle_s, unsigned intvl_s)
{
	sock_set(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
	if (cnt)
		sock_set(fd, IPPROTO_TCP, TCP_KEEPCNT, cnt);
	if (idle_s)
		sock_set(fd, IPPROTO_TCP, TCP_KEEPIDLE, (int)idle_s);
	if (intvl_s)
		sock_set(fd, IPPROTO_TCP, TCP_KEEPINTVL, (int)intvl_s);
}
