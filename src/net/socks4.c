/* SPDX-License-Identifier: BSD-2-Clause */
/* SOCKS4: one request, one reply of eight bytes. */
#include "net/socks4.h"

#include <arpa/inet.h>
#include <string.h>

enum { VERSION = 4, CONNECT = 1, GRANTED = 90 };

/* As the reference calls itself: a proxy may have it in its rules. */
static const char user[] = "HAProxy";

/* The address of IPv4 that is meant, be it written as one of IPv6. */
static bool as_v4(const struct addr *to, struct in_addr *v4)
{
	if (to->family == AF_INET) {
		*v4 = to->v4;
		return true;
	}
	if (to->family != AF_INET6 || !IN6_IS_ADDR_V4MAPPED(&to->v6))
		return false;
	memcpy(v4, &to->v6.s6_addr[12], sizeof(*v4));
	return true;
}

size_t socks4_request(char *memory, const struct addr *to)
{
	uint16_t port = htons(to->port);
	struct in_addr v4;

	_Static_assert(8 + sizeof(user) == SOCKS4_REQUEST, "the request's length");
	if (!as_v4(to, &v4))
		return 0;
	memory[0] = VERSION;
	memory[1] = CONNECT;
	memcpy(memory + 2, &port, sizeof(port));
	memcpy(memory + 4, &v4, sizeof(v4));
	memcpy(memory + 8, user, sizeof(user));
	return SOCKS4_REQUEST;
}

bool socks4_granted(const char *reply)
{
	return reply[1] == GRANTED;
}
