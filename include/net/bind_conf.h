/* SPDX-License-Identifier: BSD-2-Clause */
/* Bind lines: their addresses and words, and the words of the global section that listening
 * sockets obey. Used for "bind" of proxies and for "stats socket". */
#ifndef NET_BIND_CONF_H
#define NET_BIND_CONF_H

#include "base/result.h"
#include "config/module.h"
#include "net/listener.h"

/* Names of proxies, servers and sockets have at most so many characters: places that print them,
 * and processes that tell each other of them, have room for that. */
enum { NAME_MOST = 255 };

/* Words of bind lines; tune.maxaccept, noreuseport, unix-bind. */
extern const struct module bind_module;

/* A bind line without addresses, in the arena of the configuration. */
struct bind_conf *bind_conf_new(struct statement *st, void *owner);
/* Consumes the next word, a list of addresses parted by commas, and makes a listener for each
 * address and port. 0, or -1 after a report. */
MUST_USE int bind_conf_addresses(struct statement *st, struct bind_conf *bind);
/* A listener for an address that stands elsewhere, behind those that the line has. */
void bind_conf_listen(struct config *cfg, struct bind_conf *bind, const struct addr *addr);
/* Addresses and all words behind them up to the end of the line. 0, or -1 after a report. */
MUST_USE int bind_conf_parse(struct statement *st, struct bind_conf *bind);

/* Adds the addresses of the line to a variable of the environment, parted by semicolons. */
void bind_conf_export(const struct bind_conf *bind, const char *variable);

#endif
