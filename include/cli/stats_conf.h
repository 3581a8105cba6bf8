/* SPDX-License-Identifier: BSD-2-Clause */
/* The words "stats socket", "stats timeout", "stats maxconn", "node" and "description" of the
 * global section, and those of bind lines that matter to sockets for commands alone. */
#ifndef CLI_STATS_CONF_H
#define CLI_STATS_CONF_H

#include "config/module.h"
#include "net/bind_part.h"

struct arena;

/* What a bind line says of the conversations on its sockets. */
struct cli_socket {
	int level;           /* LEVEL_* */
	int severity_output; /* enum cli_severity */
};

extern struct bind_part cli_socket_part;
extern const struct cli_socket cli_socket_usual; /* where nothing is said */

static inline const struct cli_socket *cli_socket_of(const struct bind_conf *bind)
{
	const struct cli_socket *words = bind_part(bind, &cli_socket_part);

	return words ? words : &cli_socket_usual;
}

/* Whoever reaches the sockets of the line has this level, if its words say nothing else. */
void cli_socket_allow(struct bind_conf *bind, struct arena *arena, int level);

/* Finishes and starts before the proxies do: it makes one. */
extern const struct module stats_conf_module;

#endif
