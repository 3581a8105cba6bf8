/* SPDX-License-Identifier: BSD-2-Clause */
/* Scans of sessions, for the stats socket: the tables of each section, one behind the other. */
#include "udp/scan.h"

#include "proxy/proxy.h"
#include "udp/lb.h"
#include "udp/session.h"

enum { CHAINS = 4096 }; /* looked at in a row */

static struct udp_lb *section_at(unsigned n)
{
	struct proxy *px;
	struct udp_lb *lb;

	list_for_each(px, &proxies_running->list, node) {
		lb = udp_lb_of(px);
		if (lb && lb->table && !n--)
			return lb;
	}
	return NULL;
}

static struct udp_session *chain_at(const struct udp_lb *lb, uint32_t n)
{
	return n <= lb->mask ? lb->table[n] : lb->apart[n - lb->mask - 1];
}

struct udp_session *udp_scan_next(struct udp_scan *scan)
{
	const struct udp_lb *lb = section_at(scan->section);
	struct udp_session *first = NULL;
	unsigned looked = 0;

	if (!lb) {
		scan->over = true;
		return NULL;
	}
	while (!first && looked++ < CHAINS && scan->chain < 2 * (lb->mask + 1))
		first = chain_at(lb, scan->chain++);
	if (scan->chain == 2 * (lb->mask + 1)) {
		scan->chain = 0;
		scan->section++;
	}
	return first;
}
