/* SPDX-License-Identifier: BSD-2-Clause */
/* Addresses: 24 bytes where the system's sockaddr_storage takes 128, so that each stream can
 * keep its own; and the forms in which the configuration writes them (manual 4.2 "bind",
 * "server", chapter 11 of the management guide for sockets passed on). */
#ifndef NET_ADDR_H
#define NET_ADDR_H

#include "base/result.h"

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

struct arena;
struct err;
struct text;

struct addr {
	uint16_t family;   /* AF_UNSPEC, AF_INET, AF_INET6, AF_UNIX, or AF_FD */
	uint16_t port;     /* host byte order; 0: none */
	uint32_t scope_id; /* IPv6 link-local */
	union {
		struct in_addr v4;
		struct in6_addr v6;
		const char *path; /* AF_UNIX: file, or '@' and an abstract name; may be NULL */
		int fd;           /* AF_FD: an inherited descriptor */
	};
};

enum { AF_FD = 0xfd00,       /* "fd@N": a descriptor */
       AF_SOCKPAIR = 0xfd01, /* "sockpair@N" */
};

/* What an address may be, and what was found beside it. */
enum { ADDR_PORT_NEEDED = 1 << 0, /* IP needs a port */
       ADDR_PORT_NONE = 1 << 1,   /* IP may not have one */
       ADDR_PORT_RANGE = 1 << 2,  /* "1000-1010" */
       ADDR_PORT_OFFSET = 1 << 3, /* "+10", "-10", or no port: as the client's (servers) */
       ADDR_NAMES = 1 << 4,       /* host names, resolved now by the system's resolver */
       ADDR_FDS = 1 << 5,         /* fd@, sockpair@ */
       ADDR_UNIX = 1 << 6,        /* unix@, abns@, /path */
       ADDR_STAR = 1 << 7,        /* "*" and an empty host: any address */
       ADDR_DGRAM = 1 << 8,       /* for datagrams: udp@, uxdg@ instead of tcp@, uxst@ */
       ADDR_NAMES_LATER = 1 << 9, /* host names, left unresolved: for addr_resolve */
       ADDR_STREAM_TOO = 1 << 10, /* with ADDR_DGRAM: for streams, where the prefix says so alone */
};

struct addr_spec {
	struct addr addr;     /* port: the first of the range */
	uint16_t last_port;   /* of the range; equals addr.port without one */
	int port_offset;      /* with has_offset */
	bool has_offset;      /* "+N", "-N" or none at all: client's port plus port_offset */
	const char *hostname; /* when the host was a name, in the arena; else NULL */
	uint16_t family;      /* that the name's address must have; AF_UNSPEC: any */
	bool stream;          /* with ADDR_STREAM_TOO: it is for streams */
	bool unresolved;      /* the name had no address: addr is not usable; *err says why */
};

/* How addresses of names are found: written before the configuration is read, or by its words. */
struct addr_names {
	bool avoid_getaddrinfo; /* -dG: gethostbyname() is asked instead of getaddrinfo() */
	bool stay; /* nobody is asked for any name, and nothing is connected to: each has the
		    * unspecified address. Written by explain/ */
};
extern struct addr_names addr_names;

/* Replaces variables of the environment ("$NAME", "${NAME}"; unset: by nothing), then parses
 * "host:port", "ipv4@...", "ipv6@...", "unix@/path", "/path", "abns@name", "fd@3", "sockpair@3"
 * with allow = ADDR_* or'ed. Names and paths are copied to the arena. 0, or -1 and err. A name that
 * does not resolve is no error here: spec->unresolved (err filled). */
MUST_USE int addr_parse(const char *word, unsigned allow, struct arena *arena,
			struct addr_spec *spec, struct err *err);
/* Asks the system's resolver, and waits: the first address of the name goes to addr, whose port
 * stays. 0, or -1 and err. */
MUST_USE int addr_resolve(const char *host, uint16_t family, struct addr *addr, struct err *err);
/* An address of the internet, as digits without a port: "192.0.2.1", "2001:db8::1". 0; -1: it is
 * none. */
MUST_USE int addr_of_ip(const char *text, struct addr *addr);
/* System form; returns its length. Paths too long are cut (addr_parse refused them). */
socklen_t addr_to_sockaddr(const struct addr *addr, struct sockaddr_storage *ss);
/* From the system's form; a Unix path is not kept (path = NULL). */
void addr_from_sockaddr(struct addr *addr, const struct sockaddr_storage *ss, socklen_t len);
/* "192.0.2.1", "2001:db8::1", "unix", for IPv6 without brackets. */
void addr_print(const struct addr *addr, struct text *t);
void addr_print_v4(struct in_addr v4, struct text *t);
/* The same and ":port" when it has one: as logs and commands of the reference have it. */
void addr_print_port(const struct addr *addr, struct text *t);
/* For people: "192.0.2.1:80", "[2001:db8::1]:80" (RFC 3986 3.2.2); without a port as addr_print. */
void addr_print_clear(const struct addr *addr, struct text *t);
/* With its family in front: "ipv4@192.0.2.1:80", "ipv6@[::1]:80", "unix@/path", "abns@name". */
void addr_print_named(const struct addr *addr, struct text *t);
/* "*", "0.0.0.0", "::": no address in particular. */
static inline bool addr_is_any(const struct addr *addr)
{
	return (addr->family == AF_INET && !addr->v4.s_addr) ||
	       (addr->family == AF_INET6 && IN6_IS_ADDR_UNSPECIFIED(&addr->v6));
}
MUST_USE bool addr_equal(const struct addr *a, const struct addr *b); /* ports too */

#endif
