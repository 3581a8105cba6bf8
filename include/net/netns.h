/* SPDX-License-Identifier: BSD-2-Clause */
/* Sockets in other network namespaces (ip-netns(8): /var/run/netns/NAME). */
#ifndef NET_NETNS_H
#define NET_NETNS_H

#include "base/result.h"
#include "base/str.h"

#include <stdbool.h>

struct module;

/* Section namespace_list: which namespaces PROXY headers may name. */
extern const struct module namespaces_module;
/* The name as the running configuration lists it; NULL: it does not. */
const char *netns_listed(struct span name);
/* netns_keep for all that are listed. */
void netns_keep_listed(void);

/* On server lines, "*": that of the client. */
static inline bool netns_is_any(const char *name)
{
	return name && name[0] == '*' && !name[1];
}

/* Nothing is opened (EPERM): whoever asks others by itself is to find out that it cannot. */
extern bool sockets_refused;
/* socket(2) inside the named namespace; name NULL: in the current one. The descriptor, or -1
 * with errno. Needs CAP_SYS_ADMIN with a name. */
MUST_USE int netns_socket(const char *name, int domain, int type, int protocol);
/* Opens the namespace and keeps it for netns_socket, until the process ends: for one that will
 * change its root directory. One that is made anew under the same name is not noticed. Where that
 * fails, netns_socket looks for the file each time, and its error says why there is none. */
void netns_keep(const char *name);

#endif
