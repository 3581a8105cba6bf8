/* SPDX-License-Identifier: BSD-2-Clause */
/* Sockets of sessions that outlive a reload. */
#include "udp/beside.h"

#include "dgram/beside.h"
#include "log/log.h"
#include "proxy/proxy.h"
#include "udp/lb.h"
#include "udp/session.h"

#include <errno.h>
#include <string.h>

bool udp_beside_open(struct udp_session *s)
{
	struct addr client, local;

	udp_session_addrs(s, &client, &local);
	s->beside = dgram_beside_open(&s->port->dgram, &local, &client);
	return s->beside;
}

struct parting {
	const struct dgram_port *port;
	unsigned lost;
	int error;
};

static void part_one(struct udp_session *s, void *arg)
{
	struct parting *p = arg;

	if (&s->port->dgram != p->port || s->beside || udp_beside_open(s))
		return;
	p->lost++;
	p->error = errno;
	udp_session_end(s, END_RESOURCE);
}

void udp_beside_all(struct dgram_port *port)
{
	struct udp_lb *lb = udp_port_of(port)->lb;
	struct parting p = { .port = port };

	udp_sessions_each(lb, part_one, &p);
	if (p.lost)
		log_process(LOG_L_WARNING, "udp-lb %s: %u sessions end, for which there was no "
			    "socket: %s.", lb->proxy->name, p.lost, strerror(p.error));
}
