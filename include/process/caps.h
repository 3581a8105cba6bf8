/* SPDX-License-Identifier: BSD-2-Clause */
/* Capabilities (capabilities(7)): the parts of root's rights that outlive the change of user. */
#ifndef PROCESS_CAPS_H
#define PROCESS_CAPS_H

#include "config/keyword.h"

#include <stdint.h>

struct err;
struct proxies;
struct proxy_part;
struct server_part;

extern struct server_part caps_server_part;
extern struct proxy_part caps_proxy_part;

/* A set: bit N is the capability with the number N. */
typedef uint64_t caps_set;

/* "setcap <name>[,<name>...]": the field at kw->offset is a caps_set. */
keyword_parse caps_parse;
/* What connections of this configuration will need: sources that are not ours, interfaces,
 * namespaces, marks. Listening sockets are open before. */
caps_set caps_needed(const struct proxies *all);
/* Those of root that serves as root: what its sockets, files and pipes need. */
caps_set caps_of_root(void);

/* Those that we have; none when the kernel does not say. */
caps_set caps_permitted(void);
/* Whatever is executed from now on, setuid or not, can have no others. Needs CAP_SETPCAP;
 * without it nothing happens. */
void caps_bound(caps_set keep);
/* From now on we have these and no others, nor can have them. 0, or -1 and errno. */
int caps_set_all(caps_set keep);
/* Prints the names of those that setcap knows, comma separated. */
const char *caps_print(caps_set set, char *buf, size_t size);

#endif
