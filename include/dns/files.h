/* SPDX-License-Identifier: BSD-2-Clause */
/* The texts of /etc/hosts (hosts(5)) and /etc/resolv.conf (resolv.conf(5)). Pure. */
#ifndef DNS_FILES_H
#define DNS_FILES_H

#include "base/str.h"
#include "net/addr.h"

#include <stdbool.h>

enum { DNS_NAME_MOST = 253 }; /* bytes of a name: RFC 1035 2.3.4, without the dot at its end */

/* A line "nameserver" of resolv.conf. */
struct dns_server_line {
	unsigned number;  /* from 1 */
	struct span word; /* behind "nameserver"; empty: there is none */
	bool good;        /* it is an address: */
	struct addr addr; /* with its port */
};
/* The next such line of the text, from behind the one that *line was; both begin zeroed, but for
 * the text. False: there is none. Nothing else of the file counts: names are looked up as they
 * stand, without a search list. */
bool dns_servers_next(struct span *rest, struct dns_server_line *line);

/* Names of hosts and their addresses, in memory of its own. */
struct dns_hosts;
/* Lines that are none are passed over. NULL: no memory. */
struct dns_hosts *dns_hosts_parse(struct span text);
void dns_hosts_free(struct dns_hosts **hosts);
/* Addresses of a name (lower case), in the order of the file; how many there are, of which at most
 * `most` were filled in. */
unsigned dns_hosts_find(const struct dns_hosts *hosts, struct span name, struct addr *addrs,
			unsigned most);

/* Is it a name that can be asked for (RFC 1123 2.1, and underscores)? Then it is copied in lower
 * case and without a dot at its end; name has room for DNS_NAME_MOST + 1. Its length; 0: it is
 * none. An address is none. */
size_t dns_name(struct span text, char *name);
/* An address without a port ("192.0.2.1", "2001:db8::1", "[2001:db8::1]"); false: it is none. */
bool dns_literal(struct span text, struct addr *addr);

/* The beginning of a file, at most so many bytes, to be freed; NULL with errno: it cannot be read.
 */
char *dns_file_read(const char *path, size_t most, size_t *len);

#endif
