/* SPDX-License-Identifier: BSD-2-Clause */
/* The section "udp-lb": load balancing of datagrams. */
#ifndef UDP_UDP_CONF_H
#define UDP_UDP_CONF_H

#include "config/module.h"

/* The section and its words: finishes before proxies, whose listeners it completes. */
extern const struct module udp_words_module;
/* What such a section cannot have; serves, in a process that does. */
extern const struct module udp_module;

struct bind_part;
extern struct bind_part shards_part; /* the word "shards" */

#endif
