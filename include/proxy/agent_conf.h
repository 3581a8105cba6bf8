/* SPDX-License-Identifier: BSD-2-Clause */
/* What lines "server" and "default-server" say of the agent that is asked about a server: the words
 * agent-... but for agent-check itself. */
#ifndef PROXY_AGENT_CONF_H
#define PROXY_AGENT_CONF_H

#include "net/addr.h"
#include "proxy/part.h"

struct agent_conf {
	struct addr addr;  /* SRV_AGENT_ADDR; else that of the checks: server_where_agent */
	int port;          /* 0: that of the checks: server_agent_port */
	unsigned inter;    /* ms, 2000 */
	const char *send;  /* first words to the agent; NULL: none */
};

extern struct server_part agent_conf_part;
extern const struct agent_conf agent_conf_usual; /* where nothing is said */

static inline const struct agent_conf *agent_conf_of(const struct server *s)
{
	const struct agent_conf *conf = server_part(s, &agent_conf_part);

	return conf ? conf : &agent_conf_usual;
}

#endif
