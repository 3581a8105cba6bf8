/* SPDX-License-Identifier: BSD-2-Clause */
/* Scans of sessions, for the stats socket. A session that has had all its datagrams, and waits for
 * answers alone, is in no table, and not seen. */
#include "udp/scan.h"

#include "proxy/proxy.h"
#include "udp/lb.h"
#include "udp/session.h"

enum { CHAINS = 4096 }; /* looked at in a row */

static struct udp_lb *section_at(unsigned n)
{
	struct proxy *px;

	list_for_each(px, &proxies_running->list, node)
		if (px->udp && px->udp->table && !n--)
			return px->udp;
	return NULL;
}

struct udp_session *udp_scan_next(struct udp_scan *scan)
{
	const struct udp_lb *lb = section_at(scan->section);
	unsigned looked = 0;

	if (!lb) {
		scan->over = true;
		return NULL;
	}
	while (looked++ < CHAINS && scan->chain <= lb->mask)
		if (lb->table[scan->chain++])
			return lb->table[scan->chain - 1];
	if (scan->chain > lb->mask) {
		scan->chain = 0;
		scan->section++;
	}
	return NULL;
}
