/* SPDX-License-Identifier: BSD-2-Clause */
/* ICMP messages, as the kernel keeps them for a socket. */
#include "dgram/errors.h"

#include <errno.h>
#include <time.h>

#include <linux/errqueue.h>
#include <netinet/icmp6.h>
#include <netinet/in.h>
#include <netinet/ip_icmp.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

enum { MESSAGES_MOST = 256 }; /* that are taken: more than the kernel keeps */

void dgram_errors_hear(int fd, uint16_t family)
{
	const int on = 1;

	if (family == AF_INET6)
		setsockopt(fd, SOL_IPV6, IPV6_RECVERR, &on, sizeof(on));
	else
		setsockopt(fd, SOL_IP, IP_RECVERR, &on, sizeof(on));
}

bool dgram_error_is_refusal(int error)
{
	return error == ECONNREFUSED || error == EHOSTUNREACH || error == ENETUNREACH ||
	       error == EHOSTDOWN;
}

/* A destination that is unreachable, for whatever reason; a fragment that never came, and a time to
 * live that is over, have errno EHOSTUNREACH, too. */
static enum dgram_error judge(const struct sock_extended_err *e)
{
	switch (e->ee_origin) {
	case SO_EE_ORIGIN_ICMP:
		return e->ee_type == ICMP_DEST_UNREACH && e->ee_code != ICMP_FRAG_NEEDED ?
			       DGRAM_ERROR_REFUSED : DGRAM_ERROR_PASSING;
	case SO_EE_ORIGIN_ICMP6:
		return e->ee_type == ICMP6_DST_UNREACH ? DGRAM_ERROR_REFUSED : DGRAM_ERROR_PASSING;
	default:
		return DGRAM_ERROR_NONE;
	}
}

static enum dgram_error judge_message(struct msghdr *msg)
{
	struct sock_extended_err e;
	struct cmsghdr *c;

	for (c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
		if (!(c->cmsg_level == SOL_IP && c->cmsg_type == IP_RECVERR) &&
		    !(c->cmsg_level == SOL_IPV6 && c->cmsg_type == IPV6_RECVERR))
			continue;
		memcpy(&e, CMSG_DATA(c), sizeof(e));
		return judge(&e);
	}
	return DGRAM_ERROR_NONE;
}

enum dgram_error dgram_errors_take(int fd)
{
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(sizeof(struct sock_extended_err) +
				     sizeof(struct sockaddr_in6))];
	} control;
	enum dgram_error found = DGRAM_ERROR_NONE, one;
	struct msghdr msg;
	unsigned i;

	for (i = 0; i < MESSAGES_MOST; i++) {
		msg = (struct msghdr){ .msg_control = &control, .msg_controllen = sizeof(control) };
		if (recvmsg(fd, &msg, MSG_ERRQUEUE | MSG_DONTWAIT) < 0)
			break;
		one = judge_message(&msg);
		if (one > found)
			found = one;
	}
	return found;
}
