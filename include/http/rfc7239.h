/* SPDX-License-Identifier: BSD-2-Clause */
/* One element of the field Forwarded (RFC 7239): "for=10.0.0.1;by=\"[::1]:80\"". Read as strictly
 * as HAProxy 2.8 reads it, so that what passes means the same to everybody: names in lower case,
 * each once, no blanks within. Pure: spans of what was given. */
#ifndef HTTP_RFC7239_H
#define HTTP_RFC7239_H

#include "base/str.h"

#include <netinet/in.h>
#include <stdbool.h>

enum rfc7239_name { RFC7239_BY, RFC7239_FOR, RFC7239_HOST, RFC7239_PROTO, RFC7239_NAMES };

/* The values without their quotes; ptr NULL: not there. */
struct rfc7239 {
	struct span value[RFC7239_NAMES];
};

/* False: it is not valid. */
bool rfc7239_parse(struct span element, struct rfc7239 *element_parts);
/* "for" as RFC7239_FOR; RFC7239_NAMES: there is no such parameter. */
enum rfc7239_name rfc7239_name_find(struct span name);

/* Who is named by for and by: an address, "unknown" or a made-up name that begins with '_'. */
struct rfc7239_node {
	sa_family_t family;    /* AF_INET, AF_INET6; 0: name is set instead */
	struct in_addr v4;
	struct in6_addr v6;
	struct span name;
	unsigned port;         /* 0: none */
	struct span port_name; /* in place of a number: "_x"; ptr NULL: none */
};

/* A node without quotes, all of it. False: it is none. */
bool rfc7239_node_parse(struct span text, struct rfc7239_node *node);
/* A host with or without a port, as Host has it, in the letters that are valid here. */
bool rfc7239_host_is_valid(struct span text);

/* Writes a text as a node: an IPv4 address, one in brackets, "unknown" and what begins with '_' as
 * they are, another name with '_' in front, "unknown" where that would not be valid. */
void rfc7239_put_node(struct text *t, struct span text);
void rfc7239_put_v4(struct text *t, struct in_addr addr);
void rfc7239_put_v6(struct text *t, const struct in6_addr *addr); /* in brackets */
/* A number from 1 to 65535, or a name as above. False, and nothing is written: it can be neither.
 */
bool rfc7239_put_port(struct text *t, struct span text);

#endif
