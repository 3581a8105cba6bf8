/* SPDX-License-Identifier: BSD-2-Clause */
/* Listening sockets and their control groups, for `penstock colocate status`. */
#include "colocate/listeners.h"

#include "base/bug.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ftw.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DIAG_CGROUP_ID = 21, ANSWER = 1 << 15 }; /* the first has a name in headers since 5.9 */

struct listening {
	uint64_t group; /* the number of its folder */
	uint16_t port;
	bool inside;
};

/* What was found; nftw hands nothing through to what it calls. */
static struct {
	struct listening *all;
	size_t count, room;
} found;

static int listening_add(uint16_t port, uint64_t group)
{
	if (found.count == found.room) {
		const size_t room = found.room ? 2 * found.room : 64;
		struct listening *all = realloc(found.all, room * sizeof(*all));

		if (!all)
			return -1;
		found.all = all;
		found.room = room;
	}
	found.all[found.count++] = (struct listening){ .group = group, .port = port };
	return 0;
}

/* One socket of an answer; -1 with errno: its group is not told, or there is no memory. */
static int listening_read(const struct nlmsghdr *h, const uint8_t *ports)
{
	const struct inet_diag_msg *m = NLMSG_DATA(h);
	int left = (int)(h->nlmsg_len - NLMSG_LENGTH(sizeof(*m)));
	const uint16_t port = ntohs(m->id.idiag_sport);
	const struct rtattr *a;
	uint64_t group;

	if (!ports[port])
		return 0;
	for (a = (const struct rtattr *)(m + 1); RTA_OK(a, left); a = RTA_NEXT(a, left)) {
		if (a->rta_type != DIAG_CGROUP_ID || RTA_PAYLOAD(a) < sizeof(group))
			continue;
		memcpy(&group, RTA_DATA(a), sizeof(group));
		return listening_add(port, group);
	}
	errno = EOPNOTSUPP;
	return -1;
}

/* The messages of one datagram. 1: more follow; 0: it was the last one; -1 with errno. */
static int answer_read(const struct nlmsghdr *h, size_t len, const uint8_t *ports)
{
	for (; NLMSG_OK(h, len); h = NLMSG_NEXT(h, len)) {
		if (h->nlmsg_type == NLMSG_DONE)
			return 0;
		if (h->nlmsg_type == NLMSG_ERROR) {
			errno = -((const struct nlmsgerr *)NLMSG_DATA(h))->error;
			return -1;
		}
		if (listening_read(h, ports))
			return -1;
	}
	return 1;
}

static int family_read(int fd, int family, const uint8_t *ports)
{
	struct {
		struct nlmsghdr head;
		struct inet_diag_req_v2 what;
	} ask = {
		.head = { .nlmsg_len = sizeof(ask), .nlmsg_type = SOCK_DIAG_BY_FAMILY,
			  .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP },
		.what = { .sdiag_family = (uint8_t)family, .sdiag_protocol = IPPROTO_TCP,
			  .idiag_states = 1 << TCP_LISTEN },
	};
	union {
		struct nlmsghdr head;
		char bytes[ANSWER];
	} answer;
	ssize_t n;
	int r = 1;

	if (send(fd, &ask, sizeof(ask), 0) < 0)
		return -1;
	while (r > 0) {
		n = recv(fd, &answer, sizeof(answer), 0);
		r = n < 0 ? -1 : answer_read(&answer.head, (size_t)n, ports);
	}
	return r;
}

static int listeners_read(const uint8_t *ports)
{
	const int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
	int r, saved;

	if (fd < 0)
		return -1;
	r = family_read(fd, AF_INET, ports) || family_read(fd, AF_INET6, ports) ? -1 : 0;
	saved = errno;
	close(fd);
	errno = saved;
	return r;
}

static int group_visit(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
	size_t i;

	(void)path;
	(void)ftw;
	for (i = 0; kind == FTW_D && i < found.count; i++)
		found.all[i].inside |= found.all[i].group == st->st_ino;
	return 0;
}

int listeners_outside(const char *cgroup, const uint8_t *ports, uint8_t *outside)
{
	size_t i;
	int r = listeners_read(ports);

	if (!r && found.count)
		r = nftw(cgroup, group_visit, 16, FTW_PHYS);
	for (i = 0; !r && i < found.count; i++)
		if (!found.all[i].inside)
			outside[found.all[i].port] = 1;
	free(found.all);
	memset(&found, 0, sizeof(found));
	return r;
}
