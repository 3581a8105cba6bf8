/* SPDX-License-Identifier: BSD-2-Clause */
/* What holds of an agent where no word says so. Its words are read by server_conf.c. */
#include "proxy/agent_conf.h"
#include "proxy/check_target.h"

const struct agent_conf agent_conf_usual = { .inter = 2000 };

static void agent_init(void *part)
{
	*(struct agent_conf *)part = agent_conf_usual;
}

struct server_part agent_conf_part = { SERVER_SETTINGS("agent", struct agent_conf),
				       .kind.init = agent_init };

int server_agent_port(const struct server *s)
{
	int port = agent_conf_of(s)->port;

	return port ? port : check_target_of(s)->port;
}

const struct addr *server_where_agent(const struct server *s)
{
	const struct addr *addr = &agent_conf_of(s)->addr;

	return addr->family ? addr : &check_target_of(s)->addr;
}
