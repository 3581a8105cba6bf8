/* SPDX-License-Identifier: BSD-2-Clause */
/* NetScaler Client IP insertion. The older form is magic, length of the rest, IP header, TCP
 * header; since 10.5 there are a total length, a type (1) and a length between magic and IP header.
 * That a version of IP cannot be 0 tells them apart. As in the reference, the total length is not
 * looked at: the length of the headers says where the client's bytes begin. */
#include "net/netscaler.h"

#include <arpa/inet.h>
#include <string.h>

enum { OLD_HEAD = 8, NEW_HEAD = 12, NEW_TYPE = 1,
       IP4_LEAST = 20, IP6_LEN = 40, TCP_LEAST = 20, TCP = 6,
       LONGEST = 1024 }; /* IP and TCP headers with options have 120 */

static uint32_t long_at(const char *bytes)
{
	uint32_t n;

	memcpy(&n, bytes, sizeof(n));
	return ntohl(n);
}

static uint16_t short_at(const char *bytes)
{
	uint16_t n;

	memcpy(&n, bytes, sizeof(n));
	return ntohs(n);
}

static void set_addr(struct addr *addr, int family, const char *host, size_t size, const char *port)
{
	*addr = (struct addr){ .family = (uint16_t)family };
	memcpy(&addr->v6, host, size); /* a union: v4 begins there, too */
	addr->port = short_at(port);
}

static bool ip4(const char *ip, size_t len, struct netscaler *h)
{
	size_t size = len ? (*ip & 15) * 4u : 0;

	if (size < IP4_LEAST || len < size + TCP_LEAST || ip[9] != TCP)
		return false;
	set_addr(&h->src, AF_INET, ip + 12, 4, ip + size);
	set_addr(&h->dst, AF_INET, ip + 16, 4, ip + size + 2);
	return true;
}

static bool ip6(const char *ip, size_t len, struct netscaler *h)
{
	if (len < IP6_LEN + TCP_LEAST || ip[6] != TCP)
		return false;
	set_addr(&h->src, AF_INET6, ip + 8, 16, ip + IP6_LEN);
	set_addr(&h->dst, AF_INET6, ip + 24, 16, ip + IP6_LEN + 2);
	return true;
}

static bool addresses(const char *ip, size_t len, struct netscaler *h)
{
	switch ((uint8_t)*ip >> 4) {
	case 4:
		return ip4(ip, len, h);
	case 6:
		return ip6(ip, len, h);
	default:
		return false;
	}
}

/* Is what came so far other than the beginning of the number? */
static bool other_magic(const char *bytes, size_t len, uint32_t magic)
{
	uint32_t wanted = htonl(magic);

	return memcmp(bytes, &wanted, len < sizeof(wanted) ? len : sizeof(wanted)) != 0;
}

enum netscaler_result netscaler_parse(const char *bytes, size_t len, uint32_t magic,
				      struct netscaler *h)
{
	size_t head = OLD_HEAD, size;

	if (other_magic(bytes, len, magic))
		return NETSCALER_MAGIC;
	if (len < NEW_HEAD)
		return NETSCALER_INCOMPLETE; /* an IP header alone is longer */
	size = long_at(bytes + 4);
	if (!((uint8_t)bytes[8] >> 4)) {
		if (short_at(bytes + 8) != NEW_TYPE)
			return NETSCALER_UNHANDLED;
		head = NEW_HEAD;
		size = short_at(bytes + 10);
	}
	if (size < IP4_LEAST + TCP_LEAST || size > LONGEST)
		return NETSCALER_UNHANDLED;
	h->len = head + size;
	if (len < h->len)
		return NETSCALER_INCOMPLETE;
	return addresses(bytes + head, size, h) ? NETSCALER_DONE : NETSCALER_UNHANDLED;
}
